import { describe, expect, it } from 'vitest';
import { LAST_WRITE, listOpenRuns, listParts, type Run, runKey } from '../../lib/audit/keys.ts';
import { readAudit } from '../../lib/audit/read.ts';
import { sealRun, sealRuns } from '../../lib/audit/seal.ts';
import { stageChanges, writeAudit } from '../../lib/audit/write.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, RECIBIDOS } from '../../lib/lake/tables.ts';
import { addDays } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { planUnits, type UnitResult } from '../../lib/units/unit.ts';
import { readOn } from '../support/coverage/coverage-lake.ts';
import { damageObject } from '../support/lake/damage.ts';
import { FaultyStore } from '../support/lake/faulty-store.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rowsIn } from '../support/lake/text-rows.ts';

const RUN: Run = { id: '20261120020000-nocturna', day: '2026-11-20' };
const KEY = runKey(EXPORTACIONES, RUN);
const RUTS: readonly Rut[] = ['211003420017', '214844360018', '219999830019'];
const DAY = '2026-11-19';

const toolsOf = (store: LakeStore) => ({ store, writer: writeWithHyparquet });

/** The results of two of a company's units. */
function results(rut: Rut): UnitResult[] {
  return [readOn(RUN.day, { rut, day: DAY }), readOn(RUN.day, { rut, day: addDays(DAY, -1) })];
}

async function write(store: LakeStore, ruts: readonly Rut[], run = RUN): Promise<void> {
  for (const rut of ruts) await writeAudit(toolsOf(store), run, results(rut));
}

/** The units in the run's object, in its order, duplicates included. */
async function sealedUnits(store: LakeStore): Promise<string[]> {
  const rows = await rowsIn(store, KEY, EXPORTACIONES);
  return rows.map(({ rut, fecha }) => `${rut} ${fecha}`);
}

async function read(store: LakeStore): Promise<string[]> {
  const rows: string[] = [];
  await readAudit(store, { columns: ['state'] }, ({ rut, dayNumber }) => rows.push(`${rut} ${dayNumber}`));
  return rows.sort();
}

const UNITS = RUTS.flatMap((rut) => [`${rut} 20776`, `${rut} 20775`]);

describe('a run that is sealed', () => {
  it('is one object, sorted by RUT, and nothing is left of its parts', async () => {
    const folder = newFolder();
    const store = new FolderStore(folder);
    await write(store, RUTS.toReversed());
    expect(await read(store)).toEqual(UNITS.toSorted());
    expect(await sealRuns(toolsOf(store))).toEqual([]);
    expect(filesIn(folder)).toEqual([KEY]);
    expect(await sealedUnits(store)).toEqual(UNITS);
    expect(await read(store)).toEqual(UNITS.toSorted());
  });

  it('has every row once, even if several processes seal it at the same time', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, RUTS);
    await Promise.all([1, 2, 3, 4].map(() => sealRuns(toolsOf(store))));
    expect(await sealedUnits(store)).toEqual(UNITS);
  });

  it('leaves a damaged part where it is, and names it', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, RUTS);
    const [broken = ''] = [...store.objects.keys()].filter((key) => key.includes(RUTS[2] ?? '-'));
    await damageObject(store, broken);
    expect(await sealRuns(toolsOf(store))).toEqual([expect.stringContaining(broken)]);
    expect(await sealedUnits(store)).toEqual(UNITS.slice(0, 4));
    expect((await readAudit(store, { columns: [] }, () => undefined)).damaged).toHaveLength(1);
    expect([...store.objects.keys()].sort()).toEqual([broken, KEY].sort());
  });

  it('is left as it is when its own object is damaged', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, RUTS.slice(0, 1));
    await sealRuns(toolsOf(store));
    await damageObject(store, KEY);
    await write(store, RUTS.slice(1, 2));
    const before = [...store.objects.keys()];
    expect(await sealRun(toolsOf(store), RUN)).toEqual([expect.stringContaining(KEY)]);
    expect([...store.objects.keys()]).toEqual(before);
    expect(await read(store)).toEqual(UNITS.slice(2, 4).toSorted());
  });
});

it('has no row for planned units that a damaged part may have, so that they do not count as failed', async () => {
  const store = new MemoryStore(() => 0);
  await write(store, RUTS.slice(0, 2));
  const [broken = ''] = [...store.objects.keys()].filter((key) => key.includes(RUTS[1] ?? '-'));
  await damageObject(store, broken);
  const units = () => RUTS.flatMap((rut) => planUnits(rut, ['recibidos'], [DAY]));
  expect(await sealRun(toolsOf(store), RUN, { run: RUN, units })).toHaveLength(1);
  expect(await sealedUnits(store)).toEqual([...UNITS.slice(0, 2), `${RUTS[2]} 20776`]);
});

describe('changes that are staged when their run is sealed', () => {
  const unit = { rut: RUTS[0] ?? '0', direction: 'recibidos', day: DAY } as const;
  const about = { rut: unit.rut, direccion: 'recibidos', fecha: 20_776, id: 7n, cambio: 'aparecio' };
  const put = async (store: LakeStore, write: string) => {
    const metadata = { [LAST_WRITE]: write };
    const { columns } = RECIBIDOS;
    const bytes = writeWithHyparquet({ columns, rows: rowsOf(columns, []), metadata });
    await store.replace(unitKey(RECIBIDOS.name, DAY, unit.rut), bytes, { metadata, expected: undefined });
  };

  it.each([
    ['are recorded once their write took place', true, 1],
    ['go once it can no longer take place', false, 0],
  ])('stay while their write may still take place, and %s', async (_what, isOwn, count) => {
    const store = new MemoryStore(() => 0);
    const row = { ...about, corrida: RUN.id, momento: 0n };
    const write = await stageChanges(toolsOf(store), RUN, unit, undefined, [row]);
    await sealRuns(toolsOf(store));
    expect(await listParts(store, CAMBIOS, RUN)).toHaveLength(1);
    await put(store, isOwn ? write : 'of another');
    await sealRuns(toolsOf(store));
    expect(await listParts(store, CAMBIOS, RUN)).toHaveLength(0);
    expect(await rowsIn(store, runKey(CAMBIOS, RUN), CAMBIOS)).toHaveLength(count);
  });
});

describe('a unit that a run staged changes of, and recorded nothing of', () => {
  const [rut = '0', otherRut = '0'] = RUTS;
  const other: Run = { ...RUN, id: '20261120020000-0000000a' };
  const stage = async (store: LakeStore, run: Run, ...of: Rut[]) => {
    for (const staged of of) {
      const unit = { rut: staged, direction: 'recibidos', day: DAY } as const;
      const about = { rut: staged, direccion: 'recibidos', fecha: 20_776, id: 7n, cambio: 'aparecio' };
      const row = { ...about, corrida: run.id, momento: 0n };
      await stageChanges(toolsOf(store), run, unit, undefined, [row]);
    }
  };
  const failed = async (store: LakeStore) => {
    const found: string[] = [];
    await readAudit(store, { columns: ['state', 'runId'] }, (row) => {
      if (row.state === 'fallido') found.push(`${row.runId} ${row.rut} ${row.dayNumber}`);
    });
    return found;
  };

  it('failed, once, and is read as that whatever step of sealing the process ends at', async () => {
    let isWhole = false;
    for (let steps = 0; !isWhole; steps += 1) {
      const store = new FaultyStore(new MemoryStore(() => 0));
      // The one has a row, and the other has not.
      await write(store, [rut]);
      await stage(store, RUN, rut, otherRut);
      await stage(store, other, rut);
      // Their write can no longer take place, so they go.
      for (const of of [rut, otherRut]) {
        const { columns } = RECIBIDOS;
        const bytes = writeWithHyparquet({ columns, rows: rowsOf(columns, []), metadata: {} });
        const options = { metadata: {}, expected: undefined };
        await store.replace(unitKey(RECIBIDOS.name, DAY, of), bytes, options);
      }
      const expected = [`${RUN.id} ${otherRut} 20776`, `${other.id} ${rut} 20776`];
      expect((await failed(store)).sort()).toEqual(expected.toSorted());
      store.failAfter(steps, 'killed');
      await sealRuns(toolsOf(store)).catch(() => undefined);
      isWhole = !store.mend();
      expect((await failed(store)).sort()).toEqual(expected.toSorted());
      await sealRuns(toolsOf(store));
      expect((await failed(store)).sort()).toEqual(expected.toSorted());
      expect(await listOpenRuns(store)).toEqual([]);
    }
  });

  it('stays told if its changes are staged while another process seals the run', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, [rut]);
    const { replace } = store;
    let isSealing = true;
    store.replace = async (key, ...rest) => {
      const replaced = await replace.call(store, key, ...rest);
      if (key === KEY && isSealing) {
        isSealing = false;
        await stage(store, RUN, otherRut);
        const { columns } = RECIBIDOS;
        const bytes = writeWithHyparquet({ columns, rows: rowsOf(columns, []), metadata: {} });
        const options = { metadata: {}, expected: undefined };
        await replace.call(store, unitKey(RECIBIDOS.name, DAY, otherRut), bytes, options);
      }
      return replaced;
    };
    await sealRuns(toolsOf(store));
    expect(await failed(store)).toEqual([`${RUN.id} ${otherRut} 20776`]);
  });
});

it('can be stopped at any step of sealing: every row is read once, and the next attempt seals it', async () => {
  let isWhole = false;
  let steps = 0;
  for (; !isWhole; steps += 1) {
    const store = new FaultyStore(new MemoryStore(() => 0));
    await write(store, RUTS.slice(0, 2));
    await sealRuns(toolsOf(store));
    await write(store, RUTS.slice(2));
    await write(store, RUTS, { ...RUN, id: '20261120020000-0000000a' });
    store.failAfter(steps, 'killed');
    await sealRuns(toolsOf(store)).catch(() => undefined);
    isWhole = !store.mend();
    expect(await read(store)).toEqual([...UNITS, ...UNITS].toSorted());
    await sealRuns(toolsOf(store));
    expect(await sealedUnits(store)).toEqual(UNITS);
    expect(await read(store)).toEqual([...UNITS, ...UNITS].toSorted());
    expect(await listOpenRuns(store)).toEqual([]);
  }
  // Up to six changes succeed: an object and its part, another object and its three parts.
  expect(steps).toBe(7);
});

it('is read whole while it is being sealed', async () => {
  const store = new MemoryStore(() => 0);
  await write(store, RUTS);
  const { open } = store;
  let isSealed = false;
  store.open = async (key) => {
    if (!isSealed && key.startsWith('.open-runs/')) {
      isSealed = true;
      await sealRuns(toolsOf(store));
    }
    return await open.call(store, key);
  };
  expect(await read(store)).toEqual(UNITS.toSorted());
  expect(isSealed).toBe(true);
});
