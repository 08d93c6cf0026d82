import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Day } from '../../lib/time/days.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { report } from './figures.ts';

/**
 * A peer: the first script that one would write, page after page with fetch and stock parquetjs-lite. Amounts are
 * doubles and dates are text, since it can store nothing better. Nothing is proved.
 */
const options: { url: string; lake: string; days: Day[] } = JSON.parse(process.argv[2] ?? '{}');
const { ParquetSchema, ParquetWriter } = createRequire(import.meta.url)('parquetjs-lite');
const { rut = '', token = '' } = sandboxCompanies(1)[0] ?? {};
const text = { type: 'UTF8', optional: true, compression: 'GZIP' };
const whole = { type: 'INT64', optional: true, compression: 'GZIP' };
const amount = { type: 'DOUBLE', optional: true, compression: 'GZIP' };
const schema = new ParquetSchema({
  id: whole,
  tipo_comprobante: whole,
  serie: text,
  numero: whole,
  forma_pago: whole,
  moneda: text,
  fecha_emision: text,
  fecha_firma: text,
  emisor_ruc: text,
  emisor_razon_social: text,
  receptor_nro_doc: text,
  receptor_denominacion: text,
  total: amount,
  total_pagar: amount,
  estado: text,
});
await report(async () => {
  let requests = 0;
  let receipts = 0;
  const writer = await ParquetWriter.openFile(schema, join(options.lake, 'recibidos.parquet'));
  for (const day of options.days) {
    for (let page = 1; ; page += 1) {
      const answer = await fetch(
        `${options.url}/v2/consulta/comprobantes/recibidos?FechaDesde=${day}&FechaHasta=${day}&PageNumber=${page}&PageSize=100`,
        { headers: { authorization: `Bearer ${token}`, 'x-emisor': rut } },
      );
      const { items } = JSON.parse(await answer.text());
      requests += 1;
      for (const { emisor, receptor, totales, estado, ...rest } of items) {
        await writer.appendRow(
          withoutNulls({
            ...rest,
            emisor_ruc: emisor?.ruc,
            emisor_razon_social: emisor?.razon_social,
            receptor_nro_doc: receptor?.nro_doc,
            receptor_denominacion: receptor?.denominacion,
            total: totales?.total,
            total_pagar: totales?.total_pagar,
            estado: estado?.codigo,
          }),
        );
      }
      receipts += items.length;
      if (items.length < 100) break;
    }
  }
  await writer.close();
  return { requests, receipts };
});

function withoutNulls(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));
}
