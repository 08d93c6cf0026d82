import { describe, expect, it, vi } from 'vitest';
import { dayKey, unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import {
  type LakeStore,
  type ObjectBytes,
  readObject,
  readText,
  replaceText,
  StaleObjectError,
} from '../../lib/lake/store/store.ts';
import { EMITIDOS_DETALLE, RECIBIDOS, type Table } from '../../lib/lake/tables.ts';
import { laggingRuts, publishDay } from '../../lib/publish/publish-day.ts';
import { Mutex } from '../../lib/system/concurrency.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { campaign } from '../support/campaign.ts';
import { damageObject } from '../support/lake/damage.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { threeStores } from '../support/lake/three-stores.ts';
import { dayRows, putRows, putUnit, RUTS } from '../support/units.ts';

const DAY = '2026-11-19';
const [A, B, C, D] = RUTS;

const { stores: STORES, bucket, standIn } = await threeStores();
const memory = () => new MemoryStore(() => 0);

function publish(store: LakeStore, table: Table = RECIBIDOS, forgottenRut?: string) {
  return publishDay(store, writeWithHyparquet, { table, day: DAY }, { forgottenRut });
}

function bytesAt(store: LakeStore, key: string): Promise<string> {
  return readObject(store, key, async (file) => Buffer.from(await file.slice(0)).toString('base64'));
}

// Memory takes no step that the others don't.
describe.each(campaign({ quick: STORES.slice(1), long: STORES }))(
  'publishing a day in %s',
  (_where, open) => {
    it('puts all companies’ rows into one object, by RUT and id, and says when there is nothing to do', async () => {
      const store = open();
      expect(await publish(store)).toEqual({ outcome: 'unchanged', problems: [] });
      await putUnit(store, RECIBIDOS, DAY, C, [7]);
      await putUnit(store, RECIBIDOS, DAY, A, [9, 3]);
      expect(await laggingRuts(store, { table: RECIBIDOS, day: DAY })).toEqual([A, C]);
      expect(await publish(store)).toEqual({ outcome: 'written', problems: [] });
      expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([`${A} 3 100`, `${A} 9 100`, `${C} 7 100`]);
      expect(await publish(store)).toEqual({ outcome: 'unchanged', problems: [] });
      expect(await laggingRuts(store, { table: RECIBIDOS, day: DAY })).toEqual([]);
      await putUnit(store, RECIBIDOS, DAY, B, [1], 5n);
      await putUnit(store, RECIBIDOS, DAY, A, [3, 4], 6n);
      expect(await publish(store)).toEqual({ outcome: 'written', problems: [] });
      expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([
        `${A} 3 6`,
        `${A} 4 6`,
        `${B} 1 5`,
        `${C} 7 100`,
      ]);
    });

    it('writes the same bytes in whatever order the units came, and however often it was published', async () => {
      const inOrder = open();
      const reordered = open();
      for (const rut of RUTS) await putUnit(inOrder, EMITIDOS_DETALLE, DAY, rut, [1, 2, 3]);
      await publish(inOrder, EMITIDOS_DETALLE);
      for (const rut of [D, B, A, C]) {
        await putUnit(reordered, EMITIDOS_DETALLE, DAY, rut, [5]);
        await publish(reordered, EMITIDOS_DETALLE);
        await putUnit(reordered, EMITIDOS_DETALLE, DAY, rut, [1, 2, 3]);
        await publish(reordered, EMITIDOS_DETALLE);
      }
      const key = dayKey(EMITIDOS_DETALLE.name, DAY);
      expect(await bytesAt(reordered, key)).toBe(await bytesAt(inOrder, key));
    });

    it('leaves the day as it is while a unit is damaged or gone, and names each', async () => {
      const store = open();
      const unitOf = (rut: Rut) => unitKey(RECIBIDOS.name, DAY, rut);
      for (const rut of RUTS) await putUnit(store, RECIBIDOS, DAY, rut, [1]);
      await publish(store);
      const before = await bytesAt(store, dayKey(RECIBIDOS.name, DAY));
      await putUnit(store, RECIBIDOS, DAY, A, [1, 2]);
      await damageObject(store, unitOf(C));
      // Another company's rows in its object.
      await store.remove(unitOf(D));
      await putUnit(store, RECIBIDOS, DAY, A, [1, 2], 100n, unitOf(D));
      const damaged = await publish(store);
      expect(damaged.outcome).toBe('left');
      expect(damaged.problems.map(({ rut }) => rut)).toEqual([C, D]);
      await store.remove(unitOf(B));
      const gone = await publish(store);
      expect(gone.outcome).toBe('left');
      expect(gone.problems.map(({ rut, reason }) => `${rut} ${reason}`)).toEqual([
        expect.stringMatching(`^${B} .* is gone from .* forget --rut`),
      ]);
      expect(await bytesAt(store, dayKey(RECIBIDOS.name, DAY))).toBe(before);
      for (const rut of [C, D]) await store.remove(unitOf(rut));
      for (const rut of [B, C, D]) await putUnit(store, RECIBIDOS, DAY, rut, [8]);
      expect(await publish(store)).toEqual({ outcome: 'written', problems: [] });
      expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([
        `${A} 1 100`,
        `${A} 2 100`,
        ...[B, C, D].map((rut) => `${rut} 8 100`),
      ]);
    });

    it('leaves the day as it is where a unit has receipts of another day, and takes those without a date', async () => {
      const store = open();
      const at = (day: string) => BigInt(Date.parse(`${day}T00:00:00Z`)) * 1000n;
      const put = (rut: Rut, ...dates: (bigint | null)[]) =>
        putRows(
          store,
          RECIBIDOS,
          unitKey(RECIBIDOS.name, DAY, rut),
          rut,
          dates.map((fecha_emision, index) => ({ id: BigInt(index + 1), fecha_emision })),
        );
      await put(A, at('2026-11-20') - 1n, null);
      await put(B, at(DAY), at('2026-11-20'));
      await put(C, at(DAY) - 1n);
      const { outcome, problems } = await publish(store);
      expect({ outcome, ruts: problems.map(({ rut }) => rut) }).toEqual({ outcome: 'left', ruts: [B, C] });
      expect(problems.map(({ reason }) => reason).join()).toContain(
        `it has a row of another day than ${DAY}`,
      );
      await put(B, at(DAY));
      await put(C, null);
      expect((await publish(store)).outcome).toBe('written');
    });

    it('rebuilds a damaged day from its units, and leaves one without units as it is', async () => {
      const store = open();
      const key = dayKey(RECIBIDOS.name, DAY);
      const because = (reason: RegExp) => ({
        table: RECIBIDOS,
        day: DAY,
        reason: expect.stringMatching(reason),
      });
      await replaceText(store, key, 'no Parquet', undefined);
      for (const _ of [1, 2]) {
        const problems = [because(/no units to rebuild it from/)];
        expect(await publish(store)).toEqual({ outcome: 'left', problems });
      }
      expect(await readText(store, key)).toBe('no Parquet');
      for (const rut of RUTS) await putUnit(store, RECIBIDOS, DAY, rut, [1]);
      // Without the advice to restore it.
      const rebuilt = because(/damaged, or not a Parquet file: [^.]*\. It was rebuilt from its units\.$/);
      expect(await publish(store)).toEqual({
        outcome: 'written',
        problems: [{ ...rebuilt, isRebuilt: true }],
      });
      const whole = await bytesAt(store, key);
      // Another program's file.
      await putUnit(store, RECIBIDOS, DAY, A, [1], 100n, key);
      const foreign = because(/it does not say which units are in it\. It was rebuilt/);
      expect(await publish(store)).toEqual({
        outcome: 'written',
        problems: [{ ...foreign, isRebuilt: true }],
      });
      expect(await bytesAt(store, key)).toBe(whole);
    });

    it('removes a company only when it is told to', async () => {
      const store = open();
      for (const rut of RUTS) await putUnit(store, RECIBIDOS, DAY, rut, [1]);
      await publish(store);
      // A copy by a program that keeps folders alike.
      const copy = unitKey(RECIBIDOS.name, DAY, A).replace('.parquet', '-PC.parquet');
      await replaceText(store, copy, 'no unit', undefined);
      expect(await publish(store, RECIBIDOS, B)).toEqual({ outcome: 'written', problems: [] });
      expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([A, C, D].map((rut) => `${rut} 1 100`));
      for (const rut of [A, B, C]) await store.remove(unitKey(RECIBIDOS.name, DAY, rut));
      expect((await publish(store)).outcome).toBe('left');
      await putUnit(store, EMITIDOS_DETALLE, DAY, D, [1]);
      await publish(store, EMITIDOS_DETALLE);
      expect(await publish(store, EMITIDOS_DETALLE, D)).toEqual({ outcome: 'written', problems: [] });
      expect(await dayRows(store, EMITIDOS_DETALLE, DAY)).toBeUndefined();
    });

    it('keeps what was published of another company while the last one was removed', async () => {
      const store = open();
      await putUnit(store, RECIBIDOS, DAY, A, [1]);
      await publish(store);
      await store.remove(unitKey(RECIBIDOS.name, DAY, A));
      const key = dayKey(RECIBIDOS.name, DAY);
      const remove = store.remove.bind(store);
      store.remove = async (removed) => {
        if (removed === key && (await store.find(unitKey(RECIBIDOS.name, DAY, B))) === undefined) {
          await putUnit(store, RECIBIDOS, DAY, B, [2]);
          await publish(store);
        }
        await remove(removed);
      };
      expect(await publish(store, RECIBIDOS, A)).toEqual({ outcome: 'written', problems: [] });
      expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([`${B} 2 100`]);
    });
  },
);

it('reads each unit of a changed day with one request, and none of a day that did not change', async () => {
  const store = bucket();
  const ruts = Array.from({ length: 12 }, (_, index): Rut => `${210_000_000_000 + index}`);
  const ids = (from: number) => Array.from({ length: 5 }, (_, index) => from + index);
  for (const rut of ruts) await putUnit(store, RECIBIDOS, DAY, rut, ids(1));
  await publish(store);
  await putUnit(store, RECIBIDOS, DAY, ruts[7] ?? '0', ids(2));
  standIn.requests.length = 0;
  expect((await publish(store)).outcome).toBe('written');
  const methods = standIn.requests
    .filter((request) => !request.includes('list-type'))
    .map((request) => request.split(' ')[0]);
  expect(methods.sort()).toEqual([...Array(13).fill('GET'), 'PUT']);
  expect(await dayRows(store, RECIBIDOS, DAY)).toHaveLength(60);
  standIn.requests.length = 0;
  expect((await publish(store)).outcome).toBe('unchanged');
  expect(standIn.requests.filter((request) => !request.includes('list-type'))).toHaveLength(1);
});

it('takes a unit that is replaced between the listing and the reading as it then is', async () => {
  const store = memory();
  await putUnit(store, RECIBIDOS, DAY, A, [1]);
  const { open } = store;
  let isReplaced = false;
  const leftOpen = new Set<ObjectBytes>();
  store.open = async (key) => {
    if (!isReplaced && key === unitKey(RECIBIDOS.name, DAY, A)) {
      isReplaced = true;
      await putUnit(store, RECIBIDOS, DAY, A, [1, 2]);
    }
    const file = await open.call(store, key);
    leftOpen.add(file);
    return Object.assign(file, { close: async () => void leftOpen.delete(file) });
  };
  expect(await publish(store)).toEqual({ outcome: 'written', problems: [] });
  expect(isReplaced).toBe(true);
  expect(leftOpen.size).toBe(0);
  expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([`${A} 1 100`, `${A} 2 100`]);
  // Its footer names the version that it has.
  expect(await laggingRuts(store, { table: RECIBIDOS, day: DAY })).toEqual([]);
});

it('fails with the day as it was where a unit cannot be read, or others keep replacing the day', async () => {
  const store = memory();
  for (const rut of [A, B]) await putUnit(store, RECIBIDOS, DAY, rut, [1]);
  await publish(store);
  await putUnit(store, RECIBIDOS, DAY, B, [1, 2]);
  const key = unitKey(RECIBIDOS.name, DAY, B);
  const { open } = store;
  store.open = async (opened) => {
    if (opened === key) throw new Error('no network');
    return await open.call(store, opened);
  };
  await expect(publish(store)).rejects.toThrow('no network');
  const replace = vi.fn(() => Promise.reject(new StaleObjectError(key)));
  Object.assign(store, { open, replace });
  await expect(publish(store)).rejects.toThrow(StaleObjectError);
  expect(replace).toHaveBeenCalledTimes(10);
  expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([A, B].map((rut) => `${rut} 1 100`));
});

it.each([
  [2 ** 20, 0],
  [2 ** 20 + 1, 1],
])('is made by itself where its units have more than a megabyte: %i bytes', async (byteCount, turns) => {
  const store = memory();
  await putUnit(store, RECIBIDOS, DAY, A, [1]);
  const { listFingerprints } = store;
  store.listFingerprints = async function* (folder) {
    for await (const listed of listFingerprints.call(store, folder)) yield { ...listed, byteCount };
  };
  const large = new Mutex();
  const taken = vi.spyOn(large, 'runExclusive');
  const { outcome } = await publishDay(store, writeWithHyparquet, { table: RECIBIDOS, day: DAY }, { large });
  expect({ outcome, turns: taken.mock.calls.length }).toEqual({ outcome: 'written', turns });
});

it('refuses a unit, and a day, with columns that it would lose', async () => {
  const columns = [...RECIBIDOS.columns, { name: 'newer', type: 'string' as const, meaning: 'None' }];
  for (const key of [unitKey(RECIBIDOS.name, DAY, A), dayKey(RECIBIDOS.name, DAY)]) {
    const store = memory();
    const rows = rowsOf(columns, [{ id: 1n, rut: A, newer: 'x' }]);
    await putUnit(store, RECIBIDOS, DAY, B, [1]);
    const metadata = { 'cfe-lake.units': `${A}abcdefghijkl1` };
    await store.replace(key, writeWithHyparquet({ columns, rows, metadata }), {
      metadata,
      expected: undefined,
    });
    const words = `${key} in memory has columns that this version does not know (newer)`;
    await expect(publish(store)).rejects.toThrow(words);
  }
});
