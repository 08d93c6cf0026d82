import { describe, expect, it } from 'vitest';
import { closeRuns, closeTable } from '../../lib/audit/close.ts';
import {
  LAST_WRITE,
  latePartName,
  listOpenRuns,
  listParts,
  partKey,
  type Run,
  runKey,
} from '../../lib/audit/keys.ts';
import { PlanKeeper, plannedAlike } from '../../lib/audit/plan.ts';
import { readAudit } from '../../lib/audit/read.ts';
import { stageChanges, writeAudit } from '../../lib/audit/write.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { type ParquetFile, ROW_GROUP_ROWS, rowsOf } from '../../lib/lake/parquet/writer.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, RECIBIDOS } from '../../lib/lake/tables.ts';
import { addDays, daysBetween, rangeText } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { readOn } from '../support/coverage/coverage-lake.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { damageObject } from '../support/lake/damage.ts';
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
async function closed(store: LakeStore): Promise<string[]> {
  const rows = await rowsIn(store, KEY, EXPORTACIONES);
  return rows.map(({ rut, fecha }) => `${rut} ${fecha}`);
}

async function read(store: LakeStore): Promise<string[]> {
  const rows: string[] = [];
  await readAudit(store, { columns: ['state'] }, ({ rut, dayNumber }) => rows.push(`${rut} ${dayNumber}`));
  return rows.sort();
}

const UNITS = RUTS.flatMap((rut) => [`${rut} 20776`, `${rut} 20775`]);

describe('a run that is closed', () => {
  it('is one object, sorted by RUT, and nothing is left of its parts', async () => {
    const folder = newFolder();
    const store = new FolderStore(folder);
    await write(store, RUTS.toReversed());
    expect(await read(store)).toEqual(UNITS.toSorted());
    expect(await closeRuns(toolsOf(store))).toEqual([]);
    expect(filesIn(folder)).toEqual([KEY]);
    expect(await closed(store)).toEqual(UNITS);
    expect(await read(store)).toEqual(UNITS.toSorted());
  });

  it('takes in rows that come later, between the companies that it has', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, [RUTS[0] ?? '0', RUTS[2] ?? '0']);
    await closeRuns(toolsOf(store));
    await write(store, [RUTS[1] ?? '0']);
    expect(await read(store)).toEqual(UNITS.toSorted());
    await closeRuns(toolsOf(store));
    await closeRuns(toolsOf(store));
    expect(await closed(store)).toEqual(UNITS);
    expect(await listOpenRuns(store)).toEqual([]);
  });

  it('has every row once, even if several processes close it at the same time', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, RUTS);
    await Promise.all([1, 2, 3, 4].map(() => closeRuns(toolsOf(store))));
    expect(await closed(store)).toEqual(UNITS);
  });

  it('leaves a damaged part where it is, and names it', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, RUTS.slice(0, 2));
    const broken = partKey(EXPORTACIONES, RUN, RUTS[2] ?? '0', 'broken');
    await writeAudit(toolsOf(store), RUN, results(RUTS[2] ?? '0'));
    const [last = ''] = [...store.objects.keys()].filter((key) => key.includes(RUTS[2] ?? '-'));
    const object = store.objects.get(last);
    store.objects.delete(last);
    if (object !== undefined) store.objects.set(broken, object);
    await damageObject(store, broken);
    expect(await closeRuns(toolsOf(store))).toEqual([expect.stringContaining(broken)]);
    expect(await closed(store)).toEqual(UNITS.slice(0, 4));
    expect((await readAudit(store, { columns: [] }, () => undefined)).damaged).toHaveLength(1);
    expect([...store.objects.keys()].sort()).toEqual([broken, KEY].sort());
  });

  it('is left as it is when its own object is damaged', async () => {
    const store = new MemoryStore(() => 0);
    await write(store, RUTS.slice(0, 1));
    await closeRuns(toolsOf(store));
    await damageObject(store, KEY);
    await write(store, RUTS.slice(1, 2));
    const before = [...store.objects.keys()];
    expect(await closeTable(toolsOf(store), EXPORTACIONES, RUN)).toEqual([expect.stringContaining(KEY)]);
    expect([...store.objects.keys()]).toEqual(before);
    expect(await read(store)).toEqual(UNITS.slice(2, 4).toSorted());
  });
});

it('is closed a row group at a time: no company is planned before its turn', async () => {
  const ruts = Array.from({ length: 120 }, (_, index): Rut => `${210_000_000_000 + index}`);
  const days = daysBetween('2023-03-01', addDays('2023-03-01', 999));
  let planned = 0;
  const companies = ruts.map((rut) => ({
    ruts: [rut],
    units: {
      get recibidos() {
        planned += 1;
        return [rangeText({ from: days[0] ?? DAY, to: days.at(-1) ?? DAY })];
      },
    },
  }));
  const groups: { rows: number; planned: number }[] = [];
  async function* writer({ rows }: ParquetFile): AsyncGenerator<Uint8Array> {
    if ('rowCount' in rows) return;
    for await (const { rowCount } of rows) groups.push({ rows: rowCount, planned });
    yield new Uint8Array();
  }
  const plan = { run: RUN, startedAtMs: 0, companies };
  await closeTable({ store: new MemoryStore(() => 0), writer }, EXPORTACIONES, RUN, plan);
  // The company whose rows do not fit any more is the last one that was planned.
  expect(groups).toEqual([
    { rows: ROW_GROUP_ROWS, planned: 101 },
    { rows: ROW_GROUP_ROWS / 5, planned: 120 },
  ]);
});

it('has no row for planned units that a damaged part may have, so that they do not count as failed', async () => {
  const store = new MemoryStore(() => 0);
  await write(store, RUTS.slice(0, 2));
  const [broken = ''] = [...store.objects.keys()].filter((key) => key.includes(RUTS[1] ?? '-'));
  await damageObject(store, broken);
  const plan = { run: RUN, startedAtMs: 0, companies: plannedAlike(RUTS, ['recibidos'], [DAY]) };
  expect(await closeRuns(toolsOf(store), 0, plan)).toHaveLength(1);
  expect(await closed(store)).toEqual([...UNITS.slice(0, 2), `${RUTS[2]} 20776`]);
});

it('does not count as failed, while it is not closed, what a damaged part may have', async () => {
  const store = new MemoryStore(() => 0);
  const companies = plannedAlike(RUTS, ['recibidos'], [DAY]);
  await new PlanKeeper(store, RUN, companies, new FakeClock()).renew();
  await write(store, RUTS.slice(0, 1));
  const question = { columns: ['state'], nowMs: Number.MAX_SAFE_INTEGER } as const;
  const states = async () => {
    const rows: string[] = [];
    const { damaged } = await readAudit(store, question, ({ rut, state }) => rows.push(`${rut} ${state}`));
    return { rows: rows.sort(), damaged: damaged.length };
  };
  const recorded = [`${RUTS[0]} exportado`, `${RUTS[0]} exportado`];
  const failed = RUTS.slice(1).map((rut) => `${rut} fallido`);
  expect(await states()).toEqual({ rows: [...recorded, ...failed], damaged: 0 });
  const [part = ''] = [...store.objects.keys()].filter((key) => key.endsWith('.parquet'));
  await damageObject(store, part);
  expect(await states()).toEqual({ rows: [], damaged: 1 });
});

describe('changes that are staged when their run is closed', () => {
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
    await closeRuns(toolsOf(store));
    expect(await listParts(store, CAMBIOS, RUN)).toHaveLength(1);
    await put(store, isOwn ? write : 'of another');
    await closeRuns(toolsOf(store));
    expect(await listParts(store, CAMBIOS, RUN)).toHaveLength(0);
    expect(await rowsIn(store, runKey(CAMBIOS, RUN), CAMBIOS)).toHaveLength(count);
  });
});

it('holds no part of many changes: it is read twice, and left out whole where its end is damaged', async () => {
  const store = new MemoryStore(() => 0);
  const { columns } = CAMBIOS;
  const rowOf = (rut: Rut, id: number) => ({
    ...{ corrida: RUN.id, momento: 0n, rut, direccion: 'recibidos', fecha: 20_776 },
    ...{ id: BigInt(id), cambio: 'aparecio' },
  });
  async function* groups(rut: Rut, count: number) {
    for (let id = 0; id < count; id += 1) yield rowsOf(columns, [rowOf(rut, id)]);
  }
  const keys: string[] = [];
  for (const [index, rut] of RUTS.entries()) {
    const key = partKey(CAMBIOS, RUN, rut, latePartName({ rut, direction: 'recibidos', day: DAY }));
    const bytes = writeWithHyparquet({ columns, rows: groups(rut, index === 0 ? 1 : 3), metadata: {} });
    await store.replace(key, bytes, { metadata: {}, expected: undefined });
    keys.push(key);
  }
  const [, , broken = ''] = keys;
  await damageObject(store, broken, (bytes) => bytes.fill(0xff, bytes.length / 4, bytes.length / 4 + 40));
  const opened: string[] = [];
  const { open } = store;
  store.open = (key) => {
    opened.push(key);
    return open.call(store, key);
  };
  expect(await closeTable(toolsOf(store), CAMBIOS, RUN)).toEqual([expect.stringContaining(broken)]);
  expect(keys.map((key) => opened.filter((of) => of === key).length)).toEqual([1, 2, 1]);
  const rows = await rowsIn(store, runKey(CAMBIOS, RUN), CAMBIOS);
  expect(rows.map(({ rut, id }) => `${rut} ${id}`)).toEqual([
    `${RUTS[0]} 0`,
    ...['0', '1', '2'].map((id) => `${RUTS[1]} ${id}`),
  ]);
  expect([...store.objects.keys()].sort()).toEqual([broken, runKey(CAMBIOS, RUN)].sort());
});

/** Fails after `stepsLeft` changes, and at every change after that, as if it were killed. */
class FailingStore extends MemoryStore {
  stepsLeft = Number.POSITIVE_INFINITY;

  override async replace(...given: Parameters<MemoryStore['replace']>) {
    this.step();
    return await super.replace(...given);
  }

  override async remove(key: string) {
    this.step();
    await super.remove(key);
  }

  private step(): void {
    this.stepsLeft -= 1;
    if (this.stepsLeft < 0) throw new Error('no space left on device');
  }
}

it('can be stopped at any step of closing: every row is read once, and the next attempt closes it', async () => {
  let isWhole = false;
  let steps = 0;
  for (; !isWhole; steps += 1) {
    const store = new FailingStore(() => 0);
    await write(store, RUTS.slice(0, 2));
    await closeRuns(toolsOf(store));
    await write(store, RUTS.slice(2));
    await write(store, RUTS, { ...RUN, id: 'another' });
    store.stepsLeft = steps;
    isWhole = await closeRuns(toolsOf(store)).then(
      () => true,
      () => false,
    );
    expect(await read(store)).toEqual([...UNITS, ...UNITS].toSorted());
    store.stepsLeft = Number.POSITIVE_INFINITY;
    await closeRuns(toolsOf(store));
    expect(await closed(store)).toEqual(UNITS);
    expect(await read(store)).toEqual([...UNITS, ...UNITS].toSorted());
    expect(await listOpenRuns(store)).toEqual([]);
  }
  // Up to six changes succeed: an object and its part, another object and its three parts.
  expect(steps).toBe(7);
});

it('is read whole while it is being closed', async () => {
  const store = new MemoryStore(() => 0);
  await write(store, RUTS);
  const { open } = store;
  let isClosed = false;
  store.open = async (key) => {
    if (!isClosed && key.startsWith('.open-runs/')) {
      isClosed = true;
      await closeRuns(toolsOf(store));
    }
    return await open.call(store, key);
  };
  expect(await read(store)).toEqual(UNITS.toSorted());
  expect(isClosed).toBe(true);
});
