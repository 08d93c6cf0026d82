import { expect, it } from 'vitest';
import { DetailPool } from '../../../lib/export/details/detail-pool.ts';
import { DetailStaging } from '../../../lib/export/details/read-missing.ts';
import { stagedDetailsFolder } from '../../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { EMITIDOS_DETALLE } from '../../../lib/lake/tables.ts';
import { DAY, RUT } from '../../support/api/api-client.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryStore } from '../../support/lake/memory-store.ts';
import { rowsIn } from '../../support/lake/text-rows.ts';

const UNIT = { rut: RUT, direction: 'emitidos', day: DAY } as const;

/** A run that stages the unit's details in this lake, beside others. */
async function newRun(store: MemoryStore, clock: FakeClock) {
  const pool = new DetailPool(UNIT);
  const staging = new DetailStaging({ store, writer: writeWithHyparquet, clock }, UNIT, pool);
  await staging.begin();
  const read = async (id: number, readMicros = 0n) => {
    pool.addRead({ id: BigInt(id), row: 0, summaryHash: '', lastSeen: null }, { id }, readMicros);
    await staging.afterRead();
  };
  return { pool, staging, read };
}

/** The ids in each part. */
async function parts(store: MemoryStore): Promise<number[][]> {
  const ids: number[][] = [];
  for await (const key of store.list(stagedDetailsFolder(EMITIDOS_DETALLE.name, UNIT))) {
    ids.push((await rowsIn(store, key, EMITIDOS_DETALLE)).map(({ id }) => Number(id)));
  }
  return ids;
}

it('two runs that stage the same unit write over none of each other’s parts, and a third has all details', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  const runs = [await newRun(store, clock), await newRun(store, clock)];
  for (let id = 1; id <= 6; id += 1) {
    await runs[id % 2]?.read(id);
    await runs[id % 2]?.staging.flush();
  }
  expect(await parts(store)).toEqual([[1], [2], [3], [4], [5], [6]]);
  await runs[1]?.staging.remove();
  expect(await parts(store)).toEqual([[2], [4], [6]]);
  const third = await newRun(store, clock);
  expect([...third.pool.ids]).toEqual([2n, 4n, 6n]);
});

it('of a receipt in two parts, the detail that was read later counts', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  for (const readMicros of [20n, 10n]) {
    const { staging, read } = await newRun(store, clock);
    await read(1, readMicros);
    await staging.flush();
  }
  const { pool } = await newRun(store, clock);
  expect(pool.readAt(pool.find(1n))).toBe(20n);
});

it('a part is written after 500 details or five seconds, and has what no other has', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  const { read } = await newRun(store, clock);
  const counts = async () => (await parts(store)).map(({ length }) => length);
  for (let id = 1; id <= 499; id += 1) await read(id);
  expect(await counts()).toEqual([]);
  await read(500);
  expect(await counts()).toEqual([500]);
  clock.passUnnoticed(4_999);
  for (let id = 501; id <= 503; id += 1) await read(id);
  expect(await counts()).toEqual([500]);
  clock.passUnnoticed(1);
  await read(504);
  expect(await counts()).toEqual([500, 4]);
});
