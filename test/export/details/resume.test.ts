import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAGGING_FOLDER, unitKey } from '../../../lib/lake/layout.ts';
import { Marks } from '../../../lib/lake/marks.ts';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { StaleObjectError } from '../../../lib/lake/store/store.ts';
import { EMITIDOS_DETALLE } from '../../../lib/lake/tables.ts';
import type { UnitResult } from '../../../lib/units/unit.ts';
import { campaign, itLong } from '../../support/campaign.ts';
import { newDetailWorld } from '../../support/export/detail-world.ts';
import { settled } from '../../support/fake-clock.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { MemoryStore } from '../../support/lake/memory-store.ts';
import { rowsIn } from '../../support/lake/text-rows.ts';
import { runMain } from '../../support/program/run-main.ts';
import { newSandbox } from '../../support/sandbox.ts';

const DETAILS = campaign({ quick: 1000, long: 5000 });
const UNTIL_TIME_IS_UP = DETAILS * 0.54;
/** Details after which those that were read are stored. */
const SAVED_EVERY = 1_000;

it('when time is up in the middle of thousands of details, the unit is handed back, and the next invocation reads only what is missing', async () => {
  const world = await newDetailWorld(DETAILS);
  const isTimeUp = () => world.asked.length >= UNTIL_TIME_IS_UP;

  expect(await world.tryExport({}, { isTimeUp })).toBeUndefined();

  const readFirst = new Set(world.asked);
  expect(readFirst.size).toBe(world.asked.length);
  expect(readFirst.size).toBeGreaterThanOrEqual(UNTIL_TIME_IS_UP);
  expect(readFirst.size).toBeLessThan(UNTIL_TIME_IS_UP + 10);
  expect(new Set((await world.details()).map(({ id }) => Number(id)))).toEqual(readFirst);

  const result = await world.export();

  expect(result).toMatchObject({ detailState: 'completo', detailsStored: DETAILS, detailsUnread: 0 });
  expect(result.detailsRead).toBe(DETAILS - readFirst.size);
  expect(new Set(world.asked).intersection(readFirst).size).toBe(0);
  expect(new Set(world.asked).union(readFirst).size).toBe(DETAILS);
  expect((await world.details()).map(({ id }) => id)).toEqual(
    Array.from({ length: DETAILS }, (_, index) => BigInt(index + 1)),
  );
});

it('details are stored after every thousand, under one mark of their day', async () => {
  const world = await newDetailWorld(2_500);
  const { store } = world;
  const counts: number[] = [];
  const marks: string[] = [];
  const replace = store.replace.bind(store);
  store.replace = async (key, bytes, options) => {
    const replaced = await replace(key, bytes, options);
    if (key === world.key) counts.push((await world.details()).length);
    if (key.startsWith(LAGGING_FOLDER) && key.includes(EMITIDOS_DETALLE.name)) marks.push(key);
    return replaced;
  };
  const ownMarks = new Marks(store, { id: 'run' }, world.clock);
  const result = await world.export({}, { marks: ownMarks });
  expect(result).toMatchObject({ detailState: 'completo', detailsStored: 2_500 });
  const [first = 0, second = 0, last] = counts;
  expect({ reads: counts.length, last, marks: marks.length }).toEqual({ reads: 3, last: 2_500, marks: 1 });
  for (const [count, least] of [
    [first, 1_000],
    [second, 2_000],
  ] as const) {
    expect(count).toBeGreaterThanOrEqual(least);
    expect(count).toBeLessThan(least + 10);
  }
});

it('when time was up before the details, nothing is loaded that the next invocation would load again', async () => {
  const world = await newDetailWorld(20);
  await world.export();
  world.list(21);
  const opened: string[] = [];
  const open = world.store.open.bind(world.store);
  world.store.open = (key) => {
    opened.push(key);
    return open(key);
  };
  let questions = 0;
  // The list is read to its end; then time is up.
  const isTimeUp = () => {
    questions += 1;
    return opened.length > 0;
  };
  expect(await world.tryExport({}, { isTimeUp })).toBeUndefined();
  expect({ hasQuestions: questions > 0, asked: world.asked, isOpened: opened.includes(world.key) }).toEqual({
    hasQuestions: true,
    asked: [],
    isOpened: false,
  });
  expect(await world.export()).toMatchObject({ detailState: 'completo', detailsStored: 21, detailsRead: 1 });
});

it('when the signal comes, what was read is stored', async () => {
  const world = await newDetailWorld(200);
  const stop = new AbortController();
  world.answerFor = (id) => {
    if (id === 150) stop.abort(new Error('stop'));
    return undefined;
  };
  expect(await world.tryExport({}, { signal: stop.signal })).toBeUndefined();
  // A request already under way still arrives.
  await settled();
  const asked = world.asked.length;
  const stored = await world.details();
  // Details in flight when the signal came are lost.
  expect(stored.length).toBeGreaterThanOrEqual(asked - 4);
  world.answerFor = () => undefined;
  expect(await world.export()).toMatchObject({ detailState: 'completo', detailsStored: 200 });
  expect(world.asked).toHaveLength(200 - stored.length);
});

describe('what was read before', () => {
  it('is not taken for a receipt that has changed since', async () => {
    const world = await newDetailWorld(50);
    await world.tryExport({}, { isTimeUp: () => world.asked.length >= 30 });
    const [first] = world.asked;
    world.listed = world.listed.map((listed) =>
      listed.id === first ? { ...listed, totales: { total: 1, total_pagar: 1 } } : listed,
    );
    const before = new Set(world.asked);
    await world.export();
    expect(world.asked.filter((id) => before.has(id))).toEqual([first]);
    expect((await world.details()).find(({ id }) => id === BigInt(first ?? 0))).toMatchObject({
      totales: '{"total":1,"total_pagar":1}',
    });
  });

  it('is newer than what is stored', async () => {
    const world = await newDetailWorld(50);
    await world.export();
    world.listed = world.listed.map((listed) => ({ ...listed, estado_dgi: { codigo: 'CE' } }));
    await world.tryExport({}, { isTimeUp: () => world.asked.length >= 30 });
    const readFirst = new Set(world.asked);
    expect(await world.export()).toMatchObject({ detailState: 'completo', detailsRead: 50 - readFirst.size });
    expect(world.asked.filter((id) => readFirst.has(id))).toEqual([]);
    const states = (await world.details()).map(({ estado_dgi: state }) => state);
    expect(new Set(states)).toEqual(new Set(['{"codigo":"CE"}']));
  });
});

it('another run that replaces the details meanwhile is noticed, and nothing is read twice', async () => {
  const world = await newDetailWorld(20);
  const { store } = world;
  if (!(store instanceof MemoryStore)) throw new TypeError('the world has another store');
  const replace = store.replace.bind(store);
  let refusals = 0;
  store.replace = async (key, bytes, options) => {
    if (key === world.key && refusals < 2) {
      refusals += 1;
      for await (const _chunk of bytes);
      throw new StaleObjectError(key);
    }
    return await replace(key, bytes, options);
  };
  expect(await world.export()).toMatchObject({ detailState: 'completo', detailsStored: 20 });
  expect({ refusals, asked: world.asked.length }).toEqual({ refusals: 2, asked: 20 });
  expect(await world.details()).toHaveLength(20);
});

describe('another run that reads a newer list meanwhile', () => {
  it('keeps its details: those of the older list do not mark what it lacked as gone', async () => {
    const world = await newDetailWorld(20);
    let newer: UnitResult | undefined;
    let isOver = false;
    world.beforeDetail = async () => {
      if (isOver) return;
      isOver = true;
      world.list(21);
      newer = await world.export({}, { run: { id: 'newer', day: '2026-11-20' } });
    };
    const older = await world.export();
    const rows = await world.details();
    expect(rows.map(({ visto_por_ultima_vez: lastSeen }) => lastSeen)).toEqual(Array(21).fill(null));
    expect(newer).toMatchObject({ detailState: 'completo', detailsStored: 21 });
    expect(older).toMatchObject({ detailState: 'completo', detailsStored: 21, sha256: newer?.sha256 });
  });

  it('and no details leaves them to the other, which asks for none twice', async () => {
    const world = await newDetailWorld(20);
    let isOver = false;
    world.beforeDetail = async () => {
      if (isOver) return;
      isOver = true;
      world.list(21);
      await world.export({ directions: [] }, { run: { id: 'newer', day: '2026-11-20' } });
    };
    expect(await world.export()).toMatchObject({ detailState: 'completo', detailsStored: 21 });
    expect(world.asked).toContain(21);
    expect(new Set(world.asked).size).toBe(world.asked.length);
  });
});

itLong(
  'a process that is killed in the middle of thousands of details loses a thousand of them at most, and the next one reads only what is missing',
  async () => {
    let details = 0;
    let onDetail = (_asked: number): void => undefined;
    const sandbox = await newSandbox({
      now: '2026-11-20T03:00:00',
      companyCount: 1,
      receiptsPerDay: DETAILS,
      behaviour: {
        intercept: (request, usual) => {
          if (request.endpoint === 'detail') {
            details += 1;
            onDetail(details);
          }
          return usual(request);
        },
      },
    });
    const rut = sandbox.companies[0]?.rut ?? '0';
    const lake = newFolder();
    const words = ['export', '--api', sandbox.url, '--rut', rut, '--date', '2026-11-19', '--lake', lake];
    words.push('--direction', 'emitidos', '--details', 'emitidos');
    const child = spawn(process.execPath, [resolve('bin/cfe-lake.ts'), ...words]);
    const key = unitKey('emitidos_detalle', '2026-11-19', rut);
    onDetail = (asked) => {
      if (asked >= DETAILS / 2 && existsSync(join(lake, key))) child.kill('SIGKILL');
    };
    const signal = await new Promise<string | null>((done) => child.on('close', (_code, name) => done(name)));
    expect(signal).toBe('SIGKILL');

    const store = new FolderStore(lake);
    const storedCount = (await rowsIn(store, key, EMITIDOS_DETALLE)).length;
    const askedFirst = sandbox.stats().detailRequests;
    expect(askedFirst).toBeLessThan(DETAILS);
    // Those that come while an object is written wait for the next one.
    expect(storedCount).toBeGreaterThanOrEqual(askedFirst - 2 * SAVED_EVERY);
    expect(storedCount).toBeGreaterThan(0);

    sandbox.resetStats();
    const { code, stdout } = await runMain(...words, '--json');

    expect(code).toBe(0);
    expect(sandbox.stats().detailRequests).toBe(DETAILS - storedCount);
    expect(JSON.parse(stdout).units).toMatchObject([
      { detalle: 'completo', detalles: DETAILS, detalles_leidos: DETAILS - storedCount },
    ]);
    const stored = await rowsIn(store, key, EMITIDOS_DETALLE);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(DETAILS);
  },
);
