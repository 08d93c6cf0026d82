import { expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { AuditNotWrittenError } from '../../lib/audit/write.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FakeTokens, newPool, RUT } from '../support/api/api-client.ts';
import { servedApi } from '../support/api/fake-api.ts';
import { exportRun } from '../support/export/export-run.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

it('a run whose audit could not be written, if only once, has failed, and has the results so far', async () => {
  const server = await servedApi();
  const store = new MemoryStore(() => 0);
  const { replace } = store;
  store.replace = async (key, ...rest) => {
    if (!key.includes('/exportaciones/')) return await replace.call(store, key, ...rest);
    Object.assign(store, { replace });
    throw new Error('no permission');
  };
  const run = exportRun({
    run: { id: '20261120020000-nocturna', day: '2026-11-20' },
    companies: [{ rut: RUT, tokens: new FakeTokens('one') }],
    directions: ['recibidos'],
    days: ['2026-11-19'],
    session: openApiSession({ address: server.address, pool: newPool() }),
    store,
    writer: writeWithHyparquet,
    maxInFlight: 4,
    companiesAtOnce: 1,
  });
  const error = await run.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AuditNotWrittenError);
  expect(error).toMatchObject({
    message: expect.stringContaining('no permission'),
    results: [{ rut: RUT, state: 'vacio' }],
  });
});
