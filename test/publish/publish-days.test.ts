import { describe, expect, it, vi } from 'vitest';
import { dayKey, STORE_CLOCK_KEY, unitKey } from '../../lib/lake/layout.ts';
import { listMarks, Marks } from '../../lib/lake/marks.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { type LakeStore, replaceText, StaleObjectError } from '../../lib/lake/store/store.ts';
import { EMITIDOS, RECIBIDOS, type Table } from '../../lib/lake/tables.ts';
import { lagNote, publishLagging, unmarkedLags } from '../../lib/publish/publish-days.ts';
import { publicationLines } from '../../lib/run/export-and-publish.ts';
import { addDays, type Day, type Period } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { lockRequest } from '../support/lake/lock-request.ts';
import { markDays } from '../support/lake/marked-days.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { dayRows, putUnit, RUTS } from '../support/units.ts';

const MINUTE_MS = 60_000;
const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
const [A, B] = RUTS;

class World<Store extends LakeStore = MemoryStore> {
  /** The writers', and of a store in memory. */
  readonly clock: FakeClock;
  readonly store: Store;

  constructor(store: Store, clock = new FakeClock()) {
    this.store = store;
    this.clock = clock;
  }

  /** Marks and writes units of a run. */
  async write(days: readonly Day[], ruts: readonly Rut[] = [A], ids = [1]): Promise<Marks> {
    const marks = await markDays(this.store, 'run-1', days, this.clock);
    for (const day of days) for (const rut of ruts) await putUnit(this.store, RECIBIDOS, day, rut, ids);
    return marks;
  }

  publish(store: LakeStore = this.store, isTimeUp?: () => boolean) {
    return publishLagging(store, writeWithHyparquet, { isTimeUp });
  }

  async marked(): Promise<string[]> {
    return (await listMarks(this.store)).map(({ day }) => day);
  }
}

function inMemory(): World {
  const clock = new FakeClock();
  return new World(new MemoryStore(() => clock.now()), clock);
}

describe('the marks of days', () => {
  it('are published at once, and removed by a publication that began sixteen minutes after them', async () => {
    const world = inMemory();
    await world.write(DAYS);
    expect(await world.publish()).toMatchObject({ written: 3, problems: [], failedDays: 0 });
    await world.clock.advance(16 * MINUTE_MS);
    expect(await world.publish()).toMatchObject({ written: 0, unchanged: 3 });
    expect(await world.marked()).toEqual(DAYS);
    await world.clock.advance(1);
    expect(await world.publish()).toMatchObject({ written: 0, unchanged: 3 });
    expect(await world.marked()).toEqual([]);
    const { length } = world.store.replaced;
    expect(await world.publish()).toMatchObject({ written: 0, unchanged: 0 });
    expect(world.store.replaced).toHaveLength(length);
  });

  it('are timed before any unit is listed, by an object that is put for it', async () => {
    const { store, ...world } = inMemory();
    await markDays(store, 'run-1', ['2026-11-01'], world.clock);
    const steps: string[] = [];
    const { replace, listFingerprints } = store;
    store.replace = async (key, ...rest) => {
      await settled();
      steps.push(key);
      return await replace.call(store, key, ...rest);
    };
    store.listFingerprints = (folder) => {
      steps.push(folder);
      return listFingerprints.call(store, folder);
    };
    await publishLagging(store, writeWithHyparquet);
    expect(steps).toEqual(['.lagging', STORE_CLOCK_KEY, 'unidades/recibidos/fecha=2026-11-01']);
  });

  it('are taken at once by the one writer of a folder, and by nobody else', async () => {
    const store = new FolderStore(newFolder());
    const lock = await store.lock(lockRequest());
    const world = new World(new FolderStore(store.address, lock));
    await world.write(DAYS);
    expect(await world.publish(store)).toMatchObject({ written: 3, problems: [] });
    expect(await world.marked()).toEqual(DAYS);
    expect(await world.publish()).toMatchObject({ unchanged: 3, problems: [] });
    expect(await world.marked()).toEqual([]);
    await lock.release();
  });

  it.each([
    ['its clock is set back', 1, 0],
    ['it sleeps', 0, 1],
  ])(
    'serve a machine’s writes to a day for ten minutes, then others are put: %s',
    async (_what, monotonic, wall) => {
      const { store } = inMemory();
      let passedMs = 0;
      const clock = {
        now: () => wall * passedMs,
        monotonicMs: () => monotonic * passedMs,
        sleep: async () => undefined,
      };
      const marks = new Marks(store, { id: 'run-1' }, clock);
      const counts: number[] = [];
      for (const minutes of [0, 10, 10.1]) {
        passedMs = minutes * MINUTE_MS;
        await marks.around(RECIBIDOS, '2026-11-01', async () => undefined);
        counts.push((await listMarks(store)).length);
      }
      expect(counts).toEqual([1, 1, 2]);
    },
  );

  it('live from before they are put, however long that takes', async () => {
    const { store, clock } = inMemory();
    const { replace } = store;
    store.replace = async (...given) => {
      await clock.advance(11 * MINUTE_MS);
      return await replace.call(store, ...given);
    };
    const marks = new Marks(store, { id: 'run-1' }, clock);
    for (let writes = 0; writes < 2; writes += 1)
      await marks.around(RECIBIDOS, '2026-11-01', async () => undefined);
    expect(await listMarks(store)).toHaveLength(2);
  });

  it('are put again after a write that took so long that a publication had removed its mark', async () => {
    const world = inMemory();
    const marks = await markDays(world.store, 'run-1', [], world.clock);
    await marks.around(RECIBIDOS, '2026-11-01', async () => {
      await world.clock.advance(7 * 60 * MINUTE_MS);
      await world.publish();
      expect(await world.marked()).toEqual([]);
      await putUnit(world.store, RECIBIDOS, '2026-11-01', A, [1]);
    });
    expect(await world.publish()).toMatchObject({ written: 1 });
  });

  it('are put for a unit that is not written again, unless its day has it as it is', async () => {
    const { store, clock } = inMemory();
    await putUnit(store, RECIBIDOS, '2026-11-01', A, [1]);
    const found = await store.find(unitKey('recibidos', '2026-11-01', A));
    if (found === undefined) throw new Error('there is a unit');
    const markIfLagging = async () => {
      await new Marks(store, { id: 'run-1' }, clock).unlessPublished(RECIBIDOS, '2026-11-01', A, found);
      return (await listMarks(store)).length;
    };
    expect(await markIfLagging()).toBe(1);
    await clock.advance(30 * MINUTE_MS);
    await publishLagging(store, writeWithHyparquet);
    expect(await markIfLagging()).toBe(0);
    await putUnit(store, RECIBIDOS, '2026-11-01', A, [1, 2]);
    expect(await markIfLagging()).toBe(1);
  });

  it('are put where the day is damaged; a run opens it once', async () => {
    const { store, clock } = inMemory();
    const key = dayKey('recibidos', '2026-11-01');
    await replaceText(store, key, 'no Parquet', undefined);
    const opened = vi.spyOn(store, 'open');
    const marks = new Marks(store, { id: 'run-1' }, clock);
    for (const rut of [A, B]) {
      await putUnit(store, RECIBIDOS, '2026-11-01', rut, [1]);
      const found = await store.find(unitKey('recibidos', '2026-11-01', rut));
      if (found !== undefined) await marks.unlessPublished(RECIBIDOS, '2026-11-01', rut, found);
    }
    expect(await listMarks(store)).toHaveLength(1);
    expect(opened.mock.calls).toEqual([[key]]);
  });

  it('keep a unit from being written if they can’t be put', async () => {
    const world = inMemory();
    const marks = await markDays(world.store, 'run-1', [], world.clock);
    const { replace } = world.store;
    world.store.replace = () => Promise.reject(new Error('no space'));
    let writes = 0;
    const write = () =>
      marks.around(RECIBIDOS, '2026-11-01', async () => {
        writes += 1;
      });
    await expect(write()).rejects.toThrow('no space');
    expect(writes).toBe(0);
    world.store.replace = replace;
    await write();
    expect({ writes, marked: await world.marked() }).toEqual({ writes: 1, marked: ['2026-11-01'] });
  });

  it('stay for a day that could not be published, or that there was no time for', async () => {
    const world = inMemory();
    await world.write(DAYS);
    await world.clock.advance(30 * MINUTE_MS);
    let asked = 0;
    const isTimeUp = () => {
      asked += 1;
      return asked > 1;
    };
    expect(await world.publish(world.store, isTimeUp)).toMatchObject({ written: 1, remaining: 2 });
    expect(await dayRows(world.store, RECIBIDOS, '2026-11-02')).toBeDefined();
    expect(await world.marked()).toEqual(['2026-10-31', '2026-11-01']);
    expect(await world.publish()).toMatchObject({ written: 2, remaining: 0 });
    expect(await world.marked()).toEqual([]);
  });

  it('that can’t be removed are told; the days are published', async () => {
    const world = inMemory();
    await world.write(['2026-11-01']);
    await world.clock.advance(30 * MINUTE_MS);
    const { store } = world;
    const { remove } = store;
    store.remove = () => Promise.reject(new Error('no permission'));
    const stuck = await world.publish();
    expect(await dayRows(store, RECIBIDOS, '2026-11-01')).toEqual([`${A} 1 100`]);
    expect(publicationLines(stuck)).toEqual(['recibidos, day 2026-11-01, is not published: no permission']);
    store.remove = remove;
    expect(await world.publish()).toMatchObject({ unchanged: 1, problems: [] });
    expect(await world.marked()).toEqual([]);
  });
});

describe('a publication', () => {
  it('tells of each day that it has looked at, the newest first', async () => {
    const world = inMemory();
    await world.write(DAYS);
    await markDays(world.store, 'run-2', DAYS, world.clock);
    await markDays(world.store, 'run-2', ['2026-11-03'], world.clock, ['emitidos']);
    const progress: string[] = [];
    await publishLagging(world.store, writeWithHyparquet, {
      onDayEnd: ({ table, day }, dayCount) => progress.push(`${table.name} ${day} of ${dayCount}`),
    });
    const days = ['emitidos 2026-11-03', ...DAYS.map((day) => `recibidos ${day}`)];
    expect(progress.toSorted()).toEqual(days.map((day) => `${day} of 4`));
    expect(progress[0]).toBe('emitidos 2026-11-03 of 4');
  });

  it('counts a day as failed whose unit is gone, and leaves its mark', async () => {
    const world = inMemory();
    await world.write(['2026-11-01'], [A, B]);
    await world.publish();
    await world.store.remove(unitKey('recibidos', '2026-11-01', B));
    await world.clock.advance(30 * MINUTE_MS);
    expect(await world.publish()).toMatchObject({
      failedDays: 1,
      written: 0,
      unchanged: 0,
      problems: [{ rut: B }],
    });
    expect(await world.marked()).toHaveLength(1);
  });

  it.each([
    [new Error('no permission'), ['recibidos, day 2026-11-01, is not published: no permission'], 1],
    // Another publication has put it meanwhile.
    [new StaleObjectError('clock'), [], 0],
  ])(
    'that cannot put its clock (%s) publishes, and takes no mark that it can’t time',
    async (error, lines, left) => {
      const world = inMemory();
      await world.write(['2026-11-01']);
      await publishLagging(world.store, writeWithHyparquet);
      await world.clock.advance(30 * MINUTE_MS);
      const { replace, find } = world.store;
      world.store.replace = async (key, ...rest) => {
        if (key === STORE_CLOCK_KEY) throw error;
        return await replace.call(world.store, key, ...rest);
      };
      world.store.find = async (key) => {
        const found = await find.call(world.store, key);
        return found && { ...found, storedAtMs: world.clock.now() };
      };
      const publication = await world.publish();
      expect(publicationLines(publication)).toEqual(lines);
      expect(publication.failedDays).toBe(lines.length);
      expect(await dayRows(world.store, RECIBIDOS, '2026-11-01')).toEqual([`${A} 1 100`]);
      expect(await world.marked()).toHaveLength(left);
    },
  );
});

describe('days that may lag', () => {
  const WEEK = { from: '2026-11-01', to: '2026-11-07' } as const;
  const week = Array.from({ length: 7 }, (_, index) => addDays(WEEK.from, index));

  it('are named in a note, three of them, if they are of the tables and the period asked for', async () => {
    const world = inMemory();
    await world.write(week);
    const note = (tables: Table[] = [RECIBIDOS], range: Period = WEEK) => lagNote(world.store, tables, range);
    expect(await note()).toMatch(
      /: recibidos 2026-11-01, recibidos 2026-11-02, recibidos 2026-11-03, … may lag behind\./,
    );
    expect(await note([RECIBIDOS], { ...WEEK, from: '2026-11-05' })).toMatch(
      /: recibidos 2026-11-05, recibidos 2026-11-06, recibidos 2026-11-07 may lag/,
    );
    expect(await note([EMITIDOS])).toBeUndefined();
    expect(await note([RECIBIDOS], { from: '2026-10-01', to: '2026-10-31' })).toBeUndefined();
    await world.publish();
    expect(await world.marked()).toHaveLength(7);
    expect(await note()).toBeUndefined();
  });

  it('are counted where they are too many to be looked at', async () => {
    const world = inMemory();
    const days = Array.from({ length: 63 }, (_, index) => addDays('2026-09-01', index));
    await markDays(world.store, 'run-1', days, world.clock);
    const note = (from: Day) => lagNote(world.store, [RECIBIDOS], { from, to: '2026-12-31' });
    expect(await note('2026-09-01')).toMatch(/: 1 day may lag behind\./);
    expect(await note('2026-09-02')).toBeUndefined();
  });

  it('are told apart from those that nothing will publish', async () => {
    const world = inMemory();
    const [marked = '2026-11-01', unmarked = '2026-11-02', whole = '2026-11-03'] = week;
    await world.write([whole]);
    await world.publish();
    for (const day of [marked, unmarked]) await putUnit(world.store, RECIBIDOS, day, A, [1]);
    await markDays(world.store, 'run-2', [marked], world.clock);
    expect(await unmarkedLags(world.store, week)).toEqual([{ table: RECIBIDOS, day: unmarked }]);
    const keys = (await listMarks(world.store)).map(({ key }) => key);
    expect(keys).toContainEqual(expect.stringMatching(`/recibidos/${marked}-run-2-[0-9a-f]{8}$`));
  });
});
