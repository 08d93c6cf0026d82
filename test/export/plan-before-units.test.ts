import { expect, it } from 'vitest';
import { PlanKeeper, plannedAlike, readPlan, removePlan } from '../../lib/audit/plan.ts';
import { CompanyWorld } from '../support/export/company-world.ts';
import { DAY, RUT } from '../support/export/unit-world.ts';

it('has the plan of its run in the lake before a unit is written, whatever removed it meanwhile: so its day is published, though the worker dies', async () => {
  const world = new CompanyWorld([3]);
  const { store, clock } = world;
  const { run } = world.tools();
  const plan = new PlanKeeper(store, run, plannedAlike([RUT], ['recibidos'], [DAY]), clock);
  await plan.renew();
  // The machine sleeps for some hours, and a publication takes the run for over.
  world.api.beforeAnswer = async () => {
    await clock.advance(5 * 3_600_000);
    const standing = await readPlan(store, run);
    if (standing !== undefined) await removePlan(store, standing);
  };
  const replace = store.replace.bind(store);
  const plansAtWrite: boolean[] = [];
  store.replace = async (key, ...rest) => {
    if (key.endsWith('.parquet')) plansAtWrite.push((await readPlan(store, run)) !== undefined);
    return await replace(key, ...rest);
  };
  await world.export({ plan, run });
  expect(plansAtWrite).toEqual([true]);
});
