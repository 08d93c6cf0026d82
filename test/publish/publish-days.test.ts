import { describe, expect, it } from 'vitest';
import { publicationLines } from '../../lib/cli/export-report.ts';
import type { Rut } from '../../lib/companies/company.ts';
import { LagRecorder, readLagRecords, removeRecord } from '../../lib/lake/lag-record.ts';
import { laggingKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import type { Day } from '../../lib/time/days.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { DyingStore } from '../support/lake/dying-store.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { dayRows, putUnit, RUTS } from '../support/units.ts';

const HOUR_MS = 3_600_000;
const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
const [A, B] = RUTS;

class World {
  readonly clock = new FakeClock();
  readonly store = new MemoryStore(() => this.clock.now());

  recorder(runId: string, store: LakeStore = this.store): LagRecorder {
    return new LagRecorder(store, runId, DAYS, this.clock);
  }

  async write(recorder: LagRecorder, day: Day, rut: Rut, ids = [1]): Promise<void> {
    await recorder.record(RECIBIDOS, day);
    await putUnit(this.store, RECIBIDOS, day, rut, ids);
  }

  publish(endedRunId?: string, store: LakeStore = this.store, isTimeUp?: () => boolean) {
    return publishLagging(store, writeWithHyparquet, { nowMs: this.clock.now(), endedRunId, isTimeUp });
  }

  async records(): Promise<string[]> {
    return (await readLagRecords(this.store)).map(({ key }) => key).sort();
  }
}

describe('the record that days lag', () => {
  it('exists before the first write of a month, one for each table, month and run, with the run’s days', async () => {
    const world = new World();
    const recorder = world.recorder('run-1');
    for (const day of DAYS) await recorder.record(RECIBIDOS, day);
    await world.recorder('run-1').record(RECIBIDOS, '2026-11-02');
    expect(world.store.replaced).toEqual(
      ['2026-10', '2026-11'].map((month) => laggingKey('recibidos', month, 'run-1')),
    );
    const [, november] = (await readLagRecords(world.store)).sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(november).toMatchObject({ runId: 'run-1', days: ['2026-11-01', '2026-11-02'] });
  });

  it('goes with the publication that began when its run had ended, and with no other', async () => {
    const world = new World();
    const recorder = world.recorder('run-1');
    await world.write(recorder, '2026-11-01', A);
    expect(await world.publish('run-2')).toMatchObject({ written: 1, problems: [] });
    expect(await world.records()).toHaveLength(1);
    await world.write(recorder, '2026-11-02', A);
    expect(await world.publish()).toMatchObject({ written: 1 });
    expect(await world.records()).toHaveLength(1);
    expect(await world.publish('run-1')).toMatchObject({ written: 0, unchanged: 2 });
    expect(await world.records()).toEqual([]);
  });

  it('of a run that died goes hours later; one that goes on writing renews it', async () => {
    const world = new World();
    const recorder = world.recorder('run-1');
    await world.write(recorder, '2026-11-01', A);
    await world.clock.advance(1.5 * HOUR_MS);
    await world.write(recorder, '2026-11-02', A);
    await world.clock.advance(1.5 * HOUR_MS);
    await world.publish();
    expect(await world.records()).toHaveLength(1);
    await world.clock.advance(HOUR_MS);
    await world.publish();
    expect(await world.records()).toEqual([]);
  });

  it('is there again after a write that took so long that its run was thought dead', async () => {
    const world = new World();
    const recorder = world.recorder('run-1');
    await recorder.record(RECIBIDOS, '2026-11-01');
    await world.clock.advance(7 * HOUR_MS);
    await world.publish();
    expect(await world.records()).toEqual([]);
    await putUnit(world.store, RECIBIDOS, '2026-11-01', A, [1]);
    // As an export does after each write.
    await recorder.record(RECIBIDOS, '2026-11-01');
    expect(await world.publish('run-1')).toMatchObject({ written: 1 });
    expect(await world.records()).toEqual([]);
  });

  it('stays if its run has renewed it since it was read, though the bytes are the same', async () => {
    const world = new World();
    await world.recorder('run-1').record(RECIBIDOS, '2026-11-01');
    const [read] = await readLagRecords(world.store);
    if (read === undefined) throw new Error('there is no record');
    await world.clock.advance(7 * HOUR_MS);
    await world.recorder('run-1').record(RECIBIDOS, '2026-11-01');
    const { find } = world.store;
    world.store.find = async (key) => {
      const found = await find.call(world.store, key);
      // As in a bucket, where equal bytes have equal versions.
      return found && { ...found, version: read.version };
    };
    await removeRecord(world.store, read);
    expect(await world.records()).toHaveLength(1);
  });

  it('is written again if a publisher removes it while it is renewed', async () => {
    const world = new World();
    await world.recorder('run-1').record(RECIBIDOS, '2026-11-01');
    await world.clock.advance(7 * HOUR_MS);
    const { replace } = world.store;
    world.store.replace = async (...given) => {
      world.store.replace = replace;
      await world.publish();
      expect(await world.records()).toEqual([]);
      return await replace.call(world.store, ...given);
    };
    await world.recorder('run-1').record(RECIBIDOS, '2026-11-01');
    expect(await world.records()).toHaveLength(1);
  });

  it('stands for the whole month where it can’t be read', async () => {
    const world = new World();
    await putUnit(world.store, RECIBIDOS, '2026-11-30', A, [1]);
    const bytes = (async function* () {
      yield Buffer.from('{"version":9}');
    })();
    const key = laggingKey('recibidos', '2026-11', 'run-1');
    await world.store.replace(key, bytes, { metadata: {}, expected: undefined });
    expect(await world.publish('run-1')).toMatchObject({ written: 1, unchanged: 29 });
  });

  it('stays as long as a day of it could not be published, or there was no time', async () => {
    const world = new World();
    const recorder = world.recorder('run-1');
    for (const day of DAYS) await world.write(recorder, day, A);
    let asked = 0;
    const part = await world.publish('run-1', world.store, () => {
      asked += 1;
      return asked > 1;
    });
    expect(part).toMatchObject({ written: 1, remaining: 2 });
    expect(await dayRows(world.store, RECIBIDOS, '2026-11-02')).toBeDefined();
    expect(await world.records()).toHaveLength(2);
    expect(await world.publish('run-1')).toMatchObject({ written: 2, remaining: 0 });
    expect(await world.records()).toEqual([]);
  });

  it('stays if it can’t be removed; its days are told as published', async () => {
    const world = new World();
    await world.write(world.recorder('run-1'), '2026-11-01', A);
    const { store } = world;
    const { remove } = store;
    store.remove = () => Promise.reject(new Error('no permission'));
    const stuck = await world.publish('run-1');
    expect(stuck).toMatchObject({ written: 1, failedDays: 0 });
    expect(publicationLines(stuck)).toEqual([
      'recibidos, day 2026-11-01, is published, but still recorded as lagging: no permission',
    ]);
    store.remove = remove;
    expect(await world.publish('run-1')).toMatchObject({ unchanged: 2, problems: [] });
    expect(await world.records()).toEqual([]);
  });

  it('survives a publisher that dies at any step; the next one makes the days whole', async () => {
    const whole = new World();
    const write = async (world: World) => {
      const recorder = world.recorder('run-1');
      for (const day of DAYS) for (const rut of [A, B]) await world.write(recorder, day, rut, [1, 2]);
    };
    await write(whole);
    const counted = new DyingStore(whole.store);
    await whole.publish('run-1', counted);
    expect(counted.steps).toBeGreaterThan(20);
    for (let step = 1; step <= counted.steps; step += 1) {
      const world = new World();
      await write(world);
      await world.publish('run-1', new DyingStore(world.store, step)).catch(() => undefined);
      await world.publish('run-1');
      expect(await world.records()).toEqual([]);
      for (const day of DAYS) {
        expect(await dayRows(world.store, RECIBIDOS, day)).toEqual(
          [A, B].flatMap((rut) => [1, 2].map((id) => `${rut} ${id} 100`)),
        );
      }
    }
  });
});
