import { expect, it } from 'vitest';
import { proveService } from '../../../lib/export/reading/prove-service.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { RECIBIDOS } from '../../../lib/lake/tables.ts';
import { publishDays } from '../../../lib/publish/publish-days.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY, RUT, received } from '../../support/export/unit-world.ts';

/** What the lake's days, all published, prove of the service. */
async function provedBy({ store, clock, api, days }: CompanyWorld) {
  const [from = DAY] = days;
  await publishDays(
    store,
    writeWithHyparquet,
    days.map((day) => ({ table: RECIBIDOS, day })),
  );
  const { facts } = await proveService({
    store,
    ruts: [RUT],
    daysOf: { recibidos: { from, to: DAY } },
    clientOf: () => api.client(),
    clock,
    signal: new AbortController().signal,
    isReadFirst: true,
  });
  return facts.recibidos;
}

it('takes no row before 21:00 for a proof that lists have all of their last day', async () => {
  const world = new CompanyWorld([3, 3, 3]);
  world.listed.push(received(900_000, { fecha_emision: `${DAY}T20:59:59` }));
  await world.export();
  expect(await provedBy(world)).toMatchObject({ provedWidthDays: 3, isBoundWhole: false });
});

it('takes the latest row of a day that is still listed for one', async () => {
  const world = new CompanyWorld([3, 3, 3]);
  world.listed.push(received(900_000, { fecha_emision: `${DAY}T21:00:00` }));
  const gone = received(900_001, { fecha_emision: `${DAY}T23:00:00` });
  world.listed.push(gone);
  await world.export();
  world.listed = world.listed.filter((receipt) => receipt !== gone);
  await world.export();
  expect(await provedBy(world)).toMatchObject({ isBoundWhole: true });
});
