import { describe, expect, it } from 'vitest';
import { readLastResults } from '../../lib/audit/history.ts';
import { PlanKeeper, plannedAlike, readPlan, readPlans, removePlan } from '../../lib/audit/plan.ts';
import { planKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { DamagedObjectError } from '../../lib/lake/parquet/reader.ts';
import { type LakeStore, replaceText } from '../../lib/lake/store/store.ts';
import { EXPORTACIONES, RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { publicationLines } from '../../lib/run/export-and-publish.ts';
import type { Day } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { campaign } from '../support/campaign.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { DyingStore } from '../support/lake/dying-store.ts';
import { keptPlan } from '../support/lake/kept-plan.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rowsOfTable } from '../support/lake/text-rows.ts';
import { dayRows, putUnit, RUTS } from '../support/units.ts';

const MINUTE_MS = 60_000;
const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
const [A, B] = RUTS;
const runOf = (id: string) => ({ id, day: '2026-11-02' }) as const;

class World {
  readonly clock = new FakeClock();
  readonly store = new MemoryStore(() => this.clock.now());

  plan(runId: string): Promise<PlanKeeper> {
    return keptPlan(this.store, runId, DAYS, this.clock);
  }

  /** Writes a unit as an export does. */
  async write(plan: PlanKeeper, day: Day, rut: Rut, ids = [1]): Promise<void> {
    await plan.renew();
    await putUnit(this.store, RECIBIDOS, day, rut, ids);
    await plan.renew();
  }

  publish(endedRunId?: string, store: LakeStore = this.store, isTimeUp?: () => boolean) {
    return publishLagging(store, writeWithHyparquet, { nowMs: this.clock.now(), endedRunId, isTimeUp });
  }

  /** The runs that have a plan. */
  async planned(): Promise<string[]> {
    const plans = await readPlans(this.store, (error) => {
      throw error;
    });
    return plans.map(({ run }) => run.id);
  }
}

describe('the plan of a run', () => {
  it('is there before anything is read, with the run’s companies, days and directions', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    for (const day of DAYS) await world.write(plan, day, A);
    expect(world.store.replaced.filter((key) => key.endsWith('plan.json'))).toHaveLength(1);
    expect(await readPlan(world.store, runOf('run-1'))).toMatchObject({
      companies: [{ ruts: [A, B], units: { recibidos: ['2026-10-31..2026-11-02'] } }],
    });
  });

  it('has each company once, however often it is renewed', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    const { companies, renewedAtMs } = (await readPlan(world.store, runOf('run-1'))) ?? {};
    await world.clock.advance(6 * MINUTE_MS);
    await plan.renew();
    const renewed = await readPlan(world.store, runOf('run-1'));
    expect(renewed).toMatchObject({ companies });
    expect(renewed?.renewedAtMs).toBe((renewedAtMs ?? 0) + 6 * MINUTE_MS);
  });

  it('goes with the publication that began when its run had ended, and with no other', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    await world.write(plan, '2026-11-01', A);
    expect(await world.publish('run-2')).toMatchObject({ written: 1, problems: [] });
    expect(await world.planned()).toEqual(['run-1']);
    await world.write(plan, '2026-11-02', A);
    expect(await world.publish()).toMatchObject({ written: 1 });
    expect(await world.planned()).toEqual(['run-1']);
    expect(await world.publish('run-1')).toMatchObject({ written: 0, unchanged: 3 });
    expect(await world.planned()).toEqual([]);
  });

  it('of a run that died goes half an hour later; one that goes on writing renews it', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    await world.write(plan, '2026-11-01', A);
    await world.clock.advance(25 * MINUTE_MS);
    await world.write(plan, '2026-11-02', A);
    await world.clock.advance(25 * MINUTE_MS);
    await world.publish();
    expect(await world.planned()).toEqual(['run-1']);
    await world.clock.advance(6 * MINUTE_MS);
    await world.publish();
    expect(await world.planned()).toEqual([]);
  });

  it('goes only once the audit says which of its units failed', async () => {
    const world = new World();
    await world.write(await world.plan('run-1'), '2026-11-01', A);
    const failed = async () => {
      const { find } = await readLastResults(world.store, { nowMs: world.clock.now() });
      return [A, B].flatMap((rut) => DAYS.map((day) => find(rut, 'recibidos', day)?.state));
    };
    expect(await failed()).toEqual(Array(6).fill(undefined));
    await world.clock.advance(31 * MINUTE_MS);
    expect(await failed()).toEqual(Array(6).fill('fallido'));
    await world.publish();
    expect(await world.planned()).toEqual([]);
    expect(await failed()).toEqual(Array(6).fill('fallido'));
    expect(await rowsOfTable(world.store, EXPORTACIONES)).toHaveLength(6);
  });

  it('is there again after a write that took so long that its run was thought dead', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    await world.clock.advance(7 * 60 * MINUTE_MS);
    await world.publish();
    expect(await world.planned()).toEqual([]);
    await putUnit(world.store, RECIBIDOS, '2026-11-01', A, [1]);
    // As an export does after each write.
    await plan.renew();
    expect(await world.publish('run-1')).toMatchObject({ written: 1 });
    expect(await world.planned()).toEqual([]);
  });

  it('names the companies of all workers that go on after it was removed', async () => {
    const world = new World();
    const keepers = [A, B].map(
      (rut) =>
        new PlanKeeper(world.store, runOf('run-1'), plannedAlike([rut], ['recibidos'], DAYS), world.clock),
    );
    await Promise.all(keepers.map((keeper) => keeper.renew()));
    const plan = await readPlan(world.store, runOf('run-1'));
    expect(plan?.companies.flatMap(({ ruts }) => ruts).sort()).toEqual([A, B]);
  });

  it('stays if its run has renewed it since it was read', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    const read = await readPlan(world.store, runOf('run-1'));
    if (read === undefined) throw new Error('there is no plan');
    await world.clock.advance(31 * MINUTE_MS);
    await plan.renew();
    await removePlan(world.store, read);
    expect(await world.planned()).toEqual(['run-1']);
  });

  it('is written again if a publisher removes it while it is renewed', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    await world.clock.advance(31 * MINUTE_MS);
    const { replace } = world.store;
    world.store.replace = async (...given) => {
      world.store.replace = replace;
      await world.publish();
      expect(await world.planned()).toEqual([]);
      return await replace.call(world.store, ...given);
    };
    await plan.renew();
    expect(await world.planned()).toEqual(['run-1']);
  });

  it('that can’t be read is told once the others’ days are published', async () => {
    const world = new World();
    await world.write(await world.plan('run-1'), '2026-11-01', A);
    await replaceText(world.store, planKey(runOf('run-0')), '{"version":9}', undefined);
    await expect(world.publish('run-1')).rejects.toThrow(DamagedObjectError);
    expect(await dayRows(world.store, RECIBIDOS, '2026-11-01')).toEqual([`${A} 1 100`]);
    expect(await readPlan(world.store, runOf('run-1'))).toBeUndefined();
  });

  it('stays as long as a day of it could not be published, or there was no time', async () => {
    const world = new World();
    const plan = await world.plan('run-1');
    for (const day of DAYS) await world.write(plan, day, A);
    let asked = 0;
    const part = await world.publish('run-1', world.store, () => {
      asked += 1;
      return asked > 1;
    });
    expect(part).toMatchObject({ written: 1, remaining: 2 });
    expect(await dayRows(world.store, RECIBIDOS, '2026-11-02')).toBeDefined();
    expect(await world.planned()).toEqual(['run-1']);
    expect(await world.publish('run-1')).toMatchObject({ written: 2, remaining: 0 });
    expect(await world.planned()).toEqual([]);
  });

  it('stays if it can’t be removed; its days are told as published', async () => {
    const world = new World();
    await world.write(await world.plan('run-1'), '2026-11-01', A);
    const { store } = world;
    const { remove } = store;
    store.remove = () => Promise.reject(new Error('no permission'));
    const stuck = await world.publish('run-1');
    expect(stuck).toMatchObject({ written: 1, failedDays: 0 });
    expect(publicationLines(stuck)).toEqual([
      'recibidos, day 2026-10-31, is published, but still recorded as lagging: no permission',
    ]);
    store.remove = remove;
    expect(await world.publish('run-1')).toMatchObject({ unchanged: 3, problems: [] });
    expect(await world.planned()).toEqual([]);
  });

  it('survives a publisher that dies at any step; the next one makes the days whole', async () => {
    const whole = new World();
    const write = async (world: World) => {
      const plan = await world.plan('run-1');
      for (const day of DAYS) for (const rut of [A, B]) await world.write(plan, day, rut, [1, 2]);
    };
    await write(whole);
    const counted = new DyingStore(whole.store);
    await whole.publish('run-1', counted);
    expect(counted.steps).toBeGreaterThan(20);
    for (let step = 1; step <= counted.steps; step += campaign({ quick: 3, long: 1 })) {
      const world = new World();
      await write(world);
      await world.publish('run-1', new DyingStore(world.store, step)).catch(() => undefined);
      await world.publish('run-1');
      expect(await world.planned()).toEqual([]);
      // None of the units has a row of its own: without the plan, only these say so.
      expect(await rowsOfTable(world.store, EXPORTACIONES)).toHaveLength(6);
      for (const day of DAYS) {
        expect(await dayRows(world.store, RECIBIDOS, day)).toEqual(
          [A, B].flatMap((rut) => [1, 2].map((id) => `${rut} ${id} 100`)),
        );
      }
    }
  });
});
