import { expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { ENDPOINTS } from '../../lib/api/directions.ts';
import { Token } from '../../lib/companies/company.ts';
import { dayKey } from '../../lib/lake/layout.ts';
import { planUnits } from '../../lib/units.ts';
import { DAY, FakeTokens, newPool, RUT, TOKEN } from '../support/api/api-client.ts';
import { startListServer } from '../support/api/list-server.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { WatchedStore } from '../support/lake/watched-store.ts';
import { runSilentExport } from '../support/program/run-export.ts';

it('an export publishes a day while it still waits for other lists', async () => {
  const clock = new FakeClock();
  const store = new WatchedStore(() => clock.now());
  const server = await startListServer();
  server.lists.recibidos = [{ id: 1, fecha_emision: `${DAY}T10:00:00` }];
  server.lists.emitidos = [{ id: 2, fecha_emision: `${DAY}T10:00:00` }];
  server.statusFor = async ({ path }) => {
    if (path === ENDPOINTS.emitidos.listPath) await store.published.promise;
    return undefined;
  };
  const code = await runSilentExport({
    connection: {
      session: openApiSession({ address: server.address, pool: newPool() }),
      companies: [{ rut: RUT, token: new Token(TOKEN), tokens: new FakeTokens(TOKEN) }],
      maxInFlight: 4,
    },
    store,
    unitsOf: (rut) => planUnits(rut, ['recibidos', 'emitidos'], [DAY]),
    unitCount: 2,
  });
  expect(code).toBe(0);
  const keys = [...store.objects.keys()];
  expect(keys).toEqual(expect.arrayContaining([dayKey('recibidos', DAY), dayKey('emitidos', DAY)]));
});
