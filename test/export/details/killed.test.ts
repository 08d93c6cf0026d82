import { expect, it } from 'vitest';
import { readLastResults } from '../../../lib/audit/history.ts';
import { sealRuns } from '../../../lib/audit/seal.ts';
import { writeAudit } from '../../../lib/audit/write.ts';
import { dayCoverage } from '../../../lib/coverage/company-coverage.ts';
import { isTroubled } from '../../../lib/coverage/day.ts';
import { newRun } from '../../../lib/export/run.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { EMITIDOS } from '../../../lib/lake/tables.ts';
import { dayNumber } from '../../../lib/time/days.ts';
import { DAY, RUT } from '../../support/api/api-client.ts';
import { newDetailWorld, receipt } from '../../support/export/detail-world.ts';
import { FaultyStore } from '../../support/lake/faulty-store.ts';
import { rowsIn } from '../../support/lake/text-rows.ts';

it('tells of a list whose details are older, at whichever step the run that read it was killed', async () => {
  let olderCount = 0;
  for (let steps = 0, isKilled = true; isKilled; steps += 1) {
    const world = await newDetailWorld(3);
    const store = new FaultyStore(world.store);
    const tools = { store, writer: writeWithHyparquet };
    const night = async (directions: readonly ['emitidos'] | readonly [] = ['emitidos']) => {
      await world.clock.advance(60_000);
      const run = newRun(world.clock.now());
      await writeAudit(tools, run, [await world.export({ directions }, { run, store })]);
    };
    const areDetailsOlder = async () => {
      const [listed] = await rowsIn(store, unitKey(EMITIDOS.name, DAY, RUT), EMITIDOS);
      const [detail] = await world.details();
      return JSON.parse(String(detail?.totales)).total !== Number(listed?.totales_total) / 100;
    };
    const isTold = async () => {
      const history = (await readLastResults(store, { runDays: {} })).find(RUT, 'emitidos', DAY);
      const { state } = dayCoverage(DAY, dayNumber(DAY) + 70, history);
      return isTroubled(state) || history?.lackOfDetails === 'older';
    };
    await night();
    world.listed = [receipt(1, { totales: { total: 924, total_pagar: 924 } }), ...world.listed.slice(1)];
    store.failAfter(steps, 'killed');
    await night().catch(() => undefined);
    isKilled = store.mend();
    const areOlder = await areDetailsOlder();
    olderCount += Number(areOlder);
    const told = [await isTold()];
    // By the next run, which reads other days, and by one that reads this one without its details.
    await sealRuns(tools);
    told.push(await isTold());
    await night([]);
    told.push(await isTold());
    if (areOlder) expect(told, `killed at step ${steps}`).toEqual([true, true, true]);
    await night();
    expect(await isTold()).toBe(false);
  }
  // Until the staged changes are written, and the list; then until the details are.
  expect(olderCount).toBe(1);
});
