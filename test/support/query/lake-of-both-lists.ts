import { DIRECTIONS } from '../../../lib/units/unit.ts';
import { type MadeRow, madeLake } from './made-lake.ts';
import { detail, issued, received } from './made-receipts.ts';

const MADE = { emitidos: issued, recibidos: received };
const ITEMS = '[{"retenciones_percepciones":[{"codigo":"x","tasa":7,"monto_sujeto":9,"valor":5}]}]';

/** The day that its queries are asked on. */
export const TODAY = '2026-11-20';

interface MadeReceipt {
  day?: string;
  row?: MadeRow;
  /** Of the detail's totals, besides the currency. */
  totals?: object;
  detail?: MadeRow;
}

/** A lake with these receipts in each of the two lists. */
export async function lakeOfBothLists(
  receipts: readonly MadeReceipt[],
  cotizaciones: readonly MadeRow[] = [],
) {
  const tables = DIRECTIONS.map((direction) => {
    const rows = receipts.map(({ day = '2026-11-02', row }, index) =>
      MADE[direction](day, `A${index + 1}`, row),
    );
    const details = rows.map((row, index) =>
      detail(row, {
        totales: JSON.stringify({ moneda: 'UYU', ...receipts[index]?.totals }),
        items: ITEMS,
        ...receipts[index]?.detail,
      }),
    );
    return { [direction]: rows, [`${direction}_detalle`]: details };
  });
  return await askedLake(Object.assign({ cotizaciones }, ...tables));
}

/** A lake of exactly these rows, by table, asked for some columns of each row of an answer. */
export async function askedLake(rows: Parameters<typeof madeLake>[0]) {
  const answerOf = await madeLake(rows);
  return async (name: string, ...columns: number[]) =>
    (await answerOf(name, TODAY)).map((row) => columns.map((column) => row[column]));
}
