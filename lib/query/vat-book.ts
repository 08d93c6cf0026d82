import { counted, countText, longMonth, type Several, shortDay } from '../text/spanish.ts';
import { monthOf, type Period } from '../time/days.ts';
import {
  type Answer,
  type AnswerColumn,
  amountColumn,
  dateColumn,
  isNumber,
  sumOf,
  textColumn,
  totalsApart,
  withColumns,
} from './answer.ts';
import { namedQuery } from './named-queries.ts';
import type { AnswerSheet } from './workbook.ts';
import { headingOf } from './written-values.ts';

/** Declared tables as sheets that one can hand over: whose they are, headings in words, totals. */

interface Book {
  title: string;
  /** What the other side of its receipts is called. */
  counterpart?: string;
  /** Amounts that are added up. */
  amounts?: readonly string[];
  /** Columns whose values are added up apart: by currency all of them, in pesos the first. */
  apart?: readonly string[];
  /** Its rows, if not receipts. */
  row?: Several;
}

const NET = ['no_gravado', 'exportacion', 'neto_minima', 'neto_basica'];
const VAT = ['iva_minima', 'iva_basica'];
const AMOUNTS = [...NET, ...VAT, 'otros', 'total'];

const BOOKS: Readonly<Record<string, Book>> = {
  'libro-iva-ventas': { title: 'Libro IVA ventas', counterpart: 'Cliente', amounts: AMOUNTS },
  'libro-iva-compras': { title: 'Libro IVA compras', counterpart: 'Proveedor', amounts: AMOUNTS },
  'posicion-iva': { title: 'IVA y retenciones' },
  resguardos: {
    title: 'Resguardos',
    counterpart: 'Nombre',
    amounts: ['valor'],
    apart: ['retencion', 'codigo'],
    row: ['retención', 'retenciones'],
  },
};

/** The book that a query is; undefined if it is none. */
export function bookOf(asked: string): Book | undefined {
  return BOOKS[namedQuery(asked).name];
}

/** Headings that the books have otherwise. */
const HEADINGS: Readonly<Record<string, string>> = {
  neto_minima: 'Neto tasa mínima',
  iva_minima: 'IVA tasa mínima',
  comprobantes: 'Comprobantes',
  neto_basica: 'Neto tasa básica',
  iva_basica: 'IVA tasa básica',
  neto: 'Neto',
  iva: 'IVA',
  retencion: 'Retención',
  monto_sujeto: 'Monto sujeto',
  valor: 'Retenido',
};

interface Asked extends Period {
  /** Companies to have a sheet, even without receipts, besides those that have any. */
  ruts: readonly string[];
  names: ReadonlyMap<string, string> | undefined;
}

/** A sheet for each company, whose RUT stands above the table; of a book one to print, and one of all its columns. */
export function companySheets({ columns, rows }: Answer, book: Book, asked: Asked): AnswerSheet[] {
  const { title, counterpart, amounts = [] } = book;
  const rowsOf = Map.groupBy(rows, ([rut]) => rut);
  const ruts = [...new Set([...asked.ruts, ...rows.flatMap(([rut]) => rut ?? [])])];
  const headings = counterpart === undefined ? HEADINGS : { ...HEADINGS, contraparte: counterpart };
  return ruts.flatMap((rut) => {
    const companyAnswer = { columns, rows: rowsOf.get(rut) ?? [] };
    const { lines, totals } = totalsApart(withColumns(companyAnswer, ({ name }) => name !== 'rut'));
    const sheet = (name: string, answer: Answer, below: Answer['rows'], isToPrint = true) => ({
      name,
      above: [title, `${asked.names?.get(rut) ?? ''} RUT ${rut}`.trim(), periodText(asked)],
      answer: {
        columns: answer.columns.map((column) => ({ ...column, name: headingOf(column.name, headings) })),
        rows: answer.rows,
      },
      totals: below,
      isToPrint,
    });
    const [name, whole] = ruts.length === 1 ? [title, 'Todas las columnas'] : [rut, `${rut} completo`];
    const added = amounts.length === 0 ? totals.rows : totalsOf(lines, book);
    if (amounts !== AMOUNTS) return sheet(name, lines, added);
    const printed = toPrint(lines);
    return [
      sheet(name, printed, totalsOf(printed, { ...book, amounts: SUMMED })),
      sheet(whole, lines, added, false),
    ];
  });
}

const inPesos = (names: readonly string[]) => names.map((name) => `${name}_pesos`);

/** The columns that are read on paper, and those that each is made of. */
const PRINTED: readonly (readonly [AnswerColumn, readonly string[]])[] = [
  [dateColumn('fecha'), ['fecha']],
  [textColumn('tipo'), ['tipo']],
  [textColumn('numero'), ['serie', 'numero']],
  [textColumn('documento'), ['documento']],
  [textColumn('contraparte'), ['contraparte']],
  [amountColumn('neto_pesos'), inPesos(NET)],
  [amountColumn('iva_pesos'), inPesos(VAT)],
  [amountColumn('otros_pesos'), ['otros_pesos']],
  [amountColumn('total_pesos'), ['total_pesos']],
  [textColumn('nota'), ['nota']],
];
const SUMMED = ['neto', 'iva', 'otros', 'total'];

function toPrint({ columns, rows }: Answer): Answer {
  const made = PRINTED.map(([column, names]) => {
    const places = names.map((name) => columns.findIndex((found) => found.name === name));
    return rows.map((row) => {
      const values = places.flatMap((place) => row[place] ?? []);
      return isNumber(column) ? sumOf(values) : values.join(' ') || null;
    });
  });
  return {
    columns: PRINTED.map(([column]) => column),
    rows: rows.map((_, row) => made.map((values) => values[row] ?? null)),
  };
}

function periodText({ from, to }: Period): string {
  if (from === undefined) return 'los últimos doce meses enteros y el corriente';
  const month = monthOf(from);
  return month.from === from && month.to === to
    ? longMonth(from)
    : `${shortDay(from)} a ${to === undefined ? 'hoy' : shortDay(to)}`;
}

/** A row for each currency, and one of all in pesos. Sums are exact; what is not known is in none of them. */
function totalsOf(
  { columns, rows }: Answer,
  { amounts = [], apart = [], row: rowName = ['comprobante', 'comprobantes'] }: Book,
): Answer['rows'] {
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const line = (label: string, summedRows: Answer['rows'], summed: readonly string[]) => {
    const sums = new Map(
      summed.map((name) => [place(name), sumOf(summedRows.map((row) => row[place(name)]))]),
    );
    return columns.map((_, index) => (index === place('contraparte') ? label : (sums.get(index) ?? null)));
  };
  const groups = (names: readonly string[]) =>
    [
      ...Map.groupBy(rows, (row) => ['Total', ...names.flatMap((name) => row[place(name)] ?? [])].join(' ')),
    ].sort(([a], [b]) => (a < b ? -1 : 1));
  const pesos = inPesos(amounts);
  const byCurrency = groups([...apart, 'moneda']).map(([label, group]) => {
    // Without a currency there is no sum: it may be of several.
    const isKnown = group[0]?.[place('moneda')] !== null;
    const count = `${isKnown ? '' : ' sin moneda conocida'}: ${counted(group.length, rowName)}`;
    return line(label + count, group, isKnown ? [...amounts, ...pesos] : []);
  });
  const pesosLines = groups(apart.slice(0, 1)).map(([label, group]) => {
    const known = group.filter((row) => row[place(pesos.at(-1) ?? '')] !== null).length;
    const lack = known < group.length ? '; los otros no tienen total o tipo de cambio' : '';
    return line(
      `${label} en pesos: ${countText(known)} de ${counted(group.length, rowName)}${lack}`,
      group,
      pesos,
    );
  });
  return place('moneda') === -1 ? pesosLines : [...byCurrency, ...pesosLines];
}
