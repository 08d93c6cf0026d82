import { counted, longMonth, type Several, shortDay } from '../text/spanish.ts';
import { monthOf, type Period } from '../time/days.ts';
import { type Answer, type AnswerColumn, sumOf, textColumn } from './answer.ts';
import { namedQuery } from './named-queries.ts';
import type { AnswerSheet } from './workbook.ts';
import { headingOf } from './written-values.ts';

/** The VAT books, and the VAT position, as sheets that one can hand over: whose they are, headings in words, totals. */

interface Book {
  title: string;
  /** What the other side of its receipts is called. */
  counterpart?: string;
}

const BOOKS: Readonly<Record<string, Book>> = {
  'libro-iva-ventas': { title: 'Libro IVA ventas', counterpart: 'Cliente' },
  'libro-iva-compras': { title: 'Libro IVA compras', counterpart: 'Proveedor' },
  'posicion-iva': { title: 'IVA y retenciones' },
};

/** The book that a query is; undefined if it is none. */
export function bookOf(asked: string): Book | undefined {
  return BOOKS[namedQuery(asked).name];
}

const AMOUNTS = [
  ...['no_gravado', 'exportacion', 'neto_minima', 'iva_minima', 'neto_basica', 'iva_basica'],
  ...['otros', 'total'],
];

/** Headings that the books have otherwise. */
const HEADINGS: Readonly<Record<string, string>> = {
  neto_minima: 'Neto tasa mínima',
  iva_minima: 'IVA tasa mínima',
  comprobantes: 'Comprobantes',
  neto_basica: 'Neto tasa básica',
  iva_basica: 'IVA tasa básica',
};

const RECEIPT: Several = ['comprobante', 'comprobantes'];

interface Asked extends Period {
  /** Companies to have a sheet, even without receipts, besides those that have any. */
  ruts: readonly string[];
  names: ReadonlyMap<string, string> | undefined;
}

/**
 * A sheet for each company. Its RUT stands above the table. In a book where every receipt is in pesos, the columns of
 * amounts in pesos are left out: they would say the same twice.
 */
export function companySheets({ columns, rows }: Answer, book: Book, asked: Asked): AnswerSheet[] {
  const { title, counterpart } = book;
  const { names } = asked;
  const rowsOf = Map.groupBy(rows, ([rut]) => rut);
  const ruts = [...new Set([...asked.ruts, ...rows.flatMap(([rut]) => rut ?? [])])];
  const currencyAt = columns.findIndex(({ name }) => name === 'moneda');
  const headings = counterpart === undefined ? HEADINGS : { ...HEADINGS, contraparte: counterpart };
  return ruts.map((rut) => {
    const all = rowsOf.get(rut) ?? [];
    const isInPesos = counterpart !== undefined && all.every((row) => row[currencyAt] === 'UYU');
    const isShown = ({ name }: AnswerColumn) =>
      name !== 'rut' && !(isInPesos && /_pesos$|^tipo_cambio$|^cambio_de$/.test(name));
    const shown = columns.filter(isShown);
    const own = all.map((row) => row.filter((_, index) => isShown(columns[index] ?? textColumn(''))));
    return {
      name: ruts.length === 1 ? title : rut,
      above: [title, `${names?.get(rut) ?? ''} RUT ${rut}`.trim(), periodText(asked)],
      answer: {
        columns: shown.map((column) => ({ ...column, name: headingOf(column.name, headings) })),
        rows: own,
      },
      totals: counterpart === undefined ? [] : totalsOf({ columns: shown, rows: own }),
    };
  });
}

function periodText({ from, to }: Period): string {
  if (from === undefined) return 'los últimos doce meses enteros y el corriente';
  const month = monthOf(from);
  return month.from === from && month.to === to
    ? longMonth(from)
    : `${shortDay(from)} a ${to === undefined ? 'hoy' : shortDay(to)}`;
}

/** A row for each currency, and one of all in pesos. Sums are exact; what is not known is in none of them. */
function totalsOf({ columns, rows }: Answer): Answer['rows'] {
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const row = (label: string, of: Answer['rows'], amounts: readonly string[]) => {
    const sums = new Map(amounts.map((name) => [place(name), sumOf(of.map((one) => one[place(name)]))]));
    return columns.map((_, index) => (index === place('contraparte') ? label : (sums.get(index) ?? null)));
  };
  const hasPesos = place('total_pesos') !== -1;
  const pesos = hasPesos ? AMOUNTS.map((name) => `${name}_pesos`) : [];
  const byCurrency = [...Map.groupBy(rows, (one) => one[place('moneda')] ?? null)].map(([currency, of]) =>
    row(
      `Total ${currency ?? 'sin moneda conocida'}: ${counted(of.length, RECEIPT)}`,
      of,
      // Without a currency there is no sum: it may be of several.
      currency === null ? [] : [...AMOUNTS, ...pesos],
    ),
  );
  const known = rows.filter((one) => one[place('total_pesos')] !== null).length;
  const lack = known < rows.length ? '; los otros no tienen total o tipo de cambio' : '';
  const all = row(`Total en pesos: ${known} de ${counted(rows.length, RECEIPT)}${lack}`, rows, pesos);
  const sorted = byCurrency.sort((a, b) =>
    String(a[place('contraparte')]) < String(b[place('contraparte')]) ? -1 : 1,
  );
  return hasPesos ? [...sorted, all] : sorted;
}
