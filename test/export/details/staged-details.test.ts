import { expect, it } from 'vitest';
import { DetailStaging, listStagedDetails } from '../../../lib/export/details/staged-details.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { EMITIDOS_DETALLE } from '../../../lib/lake/tables.ts';
import { DAY, RUT } from '../../support/api/api-client.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryStore } from '../../support/lake/memory-store.ts';
import { rowsIn } from '../../support/lake/text-rows.ts';

const UNIT = { rut: RUT, direction: 'emitidos', day: DAY } as const;

function newStaging(store: MemoryStore, clock: FakeClock, rows: ReceiptRows): DetailStaging {
  return new DetailStaging({ store, writer: writeWithHyparquet, clock }, UNIT, rows, []);
}

it('two runs that stage the same unit write over none of each other’s parts', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  const rows = [0, 1].map(() => new ReceiptRows(EMITIDOS_DETALLE, RUT));
  const stagings = rows.map((ofRun) => newStaging(store, clock, ofRun));
  for (let id = 1; id <= 6; id += 1) {
    rows[id % 2]?.append({ id });
    await stagings[id % 2]?.flush();
  }
  const keys = await listStagedDetails(store, EMITIDOS_DETALLE.name, UNIT);
  expect(keys).toHaveLength(6);
  expect(stagings.flatMap((staging) => staging.keys).sort()).toEqual(keys);
  const ids = await Promise.all(
    keys.map(async (key) => (await rowsIn(store, key, EMITIDOS_DETALLE)).map(({ id }) => id)),
  );
  expect(ids.flat().sort()).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
});

it('a part is written after 500 details or five seconds, and has what no other has', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  const rows = new ReceiptRows(EMITIDOS_DETALLE, RUT);
  rows.append({ id: 1 });
  const staging = newStaging(store, clock, rows);
  const read = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      rows.append({ id: rows.rowCount + 1 });
      await staging.afterRead();
    }
  };
  await read(499);
  expect(staging.keys).toEqual([]);
  await read(1);
  expect(staging.keys).toHaveLength(1);
  clock.passUnnoticed(4_999);
  await read(3);
  expect(staging.keys).toHaveLength(1);
  clock.passUnnoticed(1);
  await read(1);
  expect(staging.keys).toHaveLength(2);
  const counts = await Promise.all(
    staging.keys.map(async (key) => (await rowsIn(store, key, EMITIDOS_DETALLE)).length),
  );
  expect(counts).toEqual([500, 4]);
});
