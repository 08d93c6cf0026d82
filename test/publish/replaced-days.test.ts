import { parquetMetadata } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { dayKey, unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import type { Row } from '../../lib/lake/parquet/writer.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishDay } from '../../lib/publish/publish-day.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { receiptsOfADay } from '../lake/parquet/receipts.ts';
import { campaign, oneIn } from '../support/campaign.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { putRows, RUTS } from '../support/units.ts';

const DAY = '2026-11-19';
const [RUT, OTHER_RUT] = RUTS;
const VERSIONS = campaign({ quick: 10, long: 200 });

const put = (store: LakeStore, rut: Rut, rows: readonly Row[]) =>
  putRows(store, RECIBIDOS, unitKey(RECIBIDOS.name, DAY, rut), rut, rows);

async function published(store: LakeStore): Promise<Buffer> {
  await publishDay(store, writeWithHyparquet, { table: RECIBIDOS, day: DAY });
  const file = await store.open(dayKey(RECIBIDOS.name, DAY));
  return Buffer.from(await file.slice(0));
}

/** Where each column of the object begins. */
function placesIn(bytes: Buffer): number[] {
  const { row_groups: groups } = parquetMetadata(new Uint8Array(bytes).buffer);
  return groups.flatMap(({ columns }) =>
    columns.map(({ meta_data: pages }) => Number(pages?.dictionary_page_offset ?? pages?.data_page_offset)),
  );
}

/** The same receipts, one of which has another status, or another amount. */
const CHANGES: Readonly<Record<string, (row: Row) => Row>> = {
  'another status': (row) => ({ ...row, estado_codigo: row.estado_codigo === 'AE' ? 'BE' : 'AE' }),
  'another amount': (row) => ({ ...row, totales_total: BigInt(row.totales_total ?? 0) + 1n }),
};

describe('a day that is replaced', () => {
  it.each(oneIn(2, Object.entries(CHANGES)))(
    'has hardly ever a column at the same place: %s',
    async (_what, change) => {
      const store = new MemoryStore(() => 0);
      const rows = receiptsOfADay(4_500);
      await put(store, OTHER_RUT, rows.slice(0, 10));
      let sameLengths = 0;
      let samePlaces = 0;
      let before: number[] | undefined;
      for (let version = 0; version < VERSIONS; version += 1) {
        const place = (version * 97) % rows.length;
        rows.splice(place, 1, ...rows.slice(place, place + 1).map(change));
        await put(store, RUT, rows);
        const bytes = await published(store);
        expect(bytes.length).toBeGreaterThan(64 * 1024);
        const places = placesIn(bytes);
        const [first = 0] = places;
        const [firstBefore = 0] = before ?? [];
        const wouldShare = places.filter(
          (place, column) => place - first === (before?.[column] ?? 0) - firstBefore,
        );
        if (before !== undefined && wouldShare.length === places.length) sameLengths += 1;
        if (places.some((place, column) => place === before?.[column])) samePlaces += 1;
        before = places;
      }
      expect(sameLengths).toBeGreaterThan(0);
      expect(samePlaces).toBeLessThanOrEqual(Math.ceil(VERSIONS / 100));
    },
  );

  it('is not written again only because it has no padding', async () => {
    const store = new MemoryStore(() => 0);
    await put(store, RUT, receiptsOfADay(3_000));
    const unpadded: typeof writeWithHyparquet = (file) => writeWithHyparquet({ ...file, paddingBytes: 0 });
    await publishDay(store, unpadded, { table: RECIBIDOS, day: DAY });
    const { outcome } = await publishDay(store, writeWithHyparquet, { table: RECIBIDOS, day: DAY });
    expect(outcome).toBe('unchanged');
    expect(placesIn(await published(store))[0]).toBe(4);
  });
});
