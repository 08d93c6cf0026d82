import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Day } from '../../lib/time/days.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { report } from './figures.ts';

/**
 * A peer: the script that a careful engineer would write. Eight workers take one day each and page it to an empty or
 * short page; every day becomes one Parquet file with decimals, timestamps and ZSTD. Nothing is proved: a row that
 * moves between two pages is lost, a number beyond 2^53 is rounded, and a failed request ends the script.
 */
const options: { url: string; lake: string; days: Day[]; workers: number } = JSON.parse(
  process.argv[2] ?? '{}',
);
const { rut = '', token = '' } = sandboxCompanies(1)[0] ?? {};
const PAGE_SIZE = 100;

interface Receipt {
  [field: string]: unknown;
  totales?: { total?: number; total_pagar?: number };
  emisor?: { ruc?: string; razon_social?: string };
  receptor?: { nro_doc?: string; denominacion?: string };
  estado?: { codigo?: string };
}

const WHOLE: Partial<SchemaElement> = { type: 'INT64' };
const TEXT: Partial<SchemaElement> = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
const AMOUNT: Partial<SchemaElement> = { type: 'INT64', converted_type: 'DECIMAL', precision: 17, scale: 2 };
const MOMENT: Partial<SchemaElement> = { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' };

const COLUMNS: readonly [name: string, element: Partial<SchemaElement>, of: (receipt: Receipt) => unknown][] =
  [
    ['rut', TEXT, () => rut],
    ['id', WHOLE, ({ id }) => whole(id)],
    ['tipo_comprobante', WHOLE, ({ tipo_comprobante }) => whole(tipo_comprobante)],
    ['serie', TEXT, ({ serie }) => serie],
    ['numero', WHOLE, ({ numero }) => whole(numero)],
    ['forma_pago', WHOLE, ({ forma_pago }) => whole(forma_pago)],
    ['moneda', TEXT, ({ moneda }) => moneda],
    ['fecha_emision', MOMENT, ({ fecha_emision }) => moment(fecha_emision)],
    ['fecha_firma', MOMENT, ({ fecha_firma }) => moment(fecha_firma)],
    ['emisor_ruc', TEXT, ({ emisor }) => emisor?.ruc],
    ['emisor_razon_social', TEXT, ({ emisor }) => emisor?.razon_social],
    ['receptor_nro_doc', TEXT, ({ receptor }) => receptor?.nro_doc],
    ['receptor_denominacion', TEXT, ({ receptor }) => receptor?.denominacion],
    ['totales_total', AMOUNT, ({ totales }) => cents(totales?.total)],
    ['totales_total_pagar', AMOUNT, ({ totales }) => cents(totales?.total_pagar)],
    ['estado_codigo', TEXT, ({ estado }) => estado?.codigo],
  ];

await report(async () => {
  let requests = 0;
  let receipts = 0;
  const waiting = [...options.days].reverse();
  const work = async (): Promise<void> => {
    for (let day = waiting.pop(); day !== undefined; day = waiting.pop()) {
      const rows: Receipt[] = [];
      for (let page = 1; ; page += 1) {
        const items = await readPage(day, page);
        requests += 1;
        rows.push(...items);
        if (items.length < PAGE_SIZE) break;
      }
      receipts += rows.length;
      await writeFile(join(options.lake, `${day}.parquet`), parquetOf(rows));
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  return { requests, receipts };
});

async function readPage(day: Day, page: number): Promise<Receipt[]> {
  const query = `FechaDesde=${day}&FechaHasta=${day}&PageNumber=${page}&PageSize=${PAGE_SIZE}`;
  const answer = await fetch(`${options.url}/v2/consulta/comprobantes/recibidos?${query}`, {
    headers: { authorization: `Bearer ${token}`, 'x-emisor': rut },
  });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { items } = JSON.parse(await answer.text());
  return items;
}

function parquetOf(rows: readonly Receipt[]): Uint8Array {
  const columnData = COLUMNS.map(([name, , of]) => ({ name, data: rows.map((row) => of(row) ?? null) }));
  const elements = COLUMNS.map(
    ([name, element]): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...element }),
  );
  const buffer = parquetWriteBuffer({
    columnData,
    schema: [{ name: 'schema', num_children: COLUMNS.length }, ...elements],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) },
  });
  return new Uint8Array(buffer);
}

function whole(value: unknown): bigint | undefined {
  return typeof value === 'number' ? BigInt(value) : undefined;
}

function cents(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(Math.round(value * 100));
}

function moment(value: unknown): bigint | undefined {
  return typeof value === 'string' ? BigInt(Date.parse(`${value}Z`)) * 1_000n : undefined;
}
