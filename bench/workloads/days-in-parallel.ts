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
 * short page; all becomes one Parquet file with exact decimals, timestamps and ZSTD. Nothing is proved: a row that
 * moves between two pages is lost, a failed request ends the script, and nothing can be read again by itself.
 */
const options: { url: string; lake: string; days: Day[]; workers: number } = JSON.parse(
  process.argv[2] ?? '{}',
);
const { rut = '', token = '' } = sandboxCompanies(1)[0] ?? {};
const PAGE_SIZE = 100;

interface Receipt {
  [field: string]: unknown;
  totales?: { total?: string; total_pagar?: string };
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
  const rows: Receipt[] = [];
  const waiting = [...options.days].reverse();
  const work = async (): Promise<void> => {
    for (let day = waiting.pop(); day !== undefined; day = waiting.pop()) {
      for (let page = 1; ; page += 1) {
        const items = await readPage(day, page);
        requests += 1;
        rows.push(...items);
        if (items.length < PAGE_SIZE) break;
      }
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  rows.sort((a, b) => Number(a.id) - Number(b.id));
  await writeFile(join(options.lake, 'recibidos.parquet'), parquetOf(rows));
  return { requests, receipts: rows.length };
});

async function readPage(day: Day, page: number): Promise<Receipt[]> {
  const query = `FechaDesde=${day}&FechaHasta=${day}&PageNumber=${page}&PageSize=${PAGE_SIZE}`;
  const answer = await fetch(`${options.url}/v2/consulta/comprobantes/recibidos?${query}`, {
    headers: { authorization: `Bearer ${token}`, 'x-emisor': rut },
  });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  // As texts, before a double rounds long ones.
  const text = (await answer.text()).replaceAll(/("total(?:_pagar)?": ?)(-?[\d.]+)/g, '$1"$2"');
  const { items } = JSON.parse(text);
  return items;
}

function parquetOf(rows: readonly Receipt[]): Uint8Array {
  const columnData = COLUMNS.map(([name, , cellOf]) => ({
    name,
    data: rows.map((row) => cellOf(row) ?? null),
  }));
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

/** In hundredths, of the digits that came. */
function cents(value: string | undefined): bigint | undefined {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(value ?? '') ?? [];
  return whole === '' ? undefined : BigInt(sign + whole + fraction.padEnd(2, '0'));
}

function moment(value: unknown): bigint | undefined {
  return typeof value === 'string' ? BigInt(Date.parse(`${value}Z`)) * 1_000n : undefined;
}
