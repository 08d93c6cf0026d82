import { ENGLISH, SPANISH } from '../coverage/texts.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { monthOf, type Period } from '../time/days.ts';
import { type Answer, type AnswerColumn, sumOf, textColumn } from './answer.ts';
import { languageOfName, type Narrowing, namedQuery } from './named-queries.ts';
import type { AnswerSheet } from './workbook.ts';

/** The VAT books as sheets that one can hand over: whose they are, headings in words, and totals. */

export interface VatBook {
  side: 'ventas' | 'compras';
  language: 'es' | 'en';
}

/** The book that a query is, in the language of the name by which it was asked; undefined if it is none. */
export function vatBookOf(asked: string): VatBook | undefined {
  const side = /^libro-iva-(ventas|compras)$/.exec(namedQuery(asked).name)?.[1];
  if (side !== 'ventas' && side !== 'compras') return undefined;
  return { side, language: languageOfName(asked) };
}

const AMOUNTS = [
  ...['no_gravado', 'exportacion', 'neto_minima', 'iva_minima', 'neto_basica', 'iva_basica'],
  ...['otros', 'total'],
];

const TEXTS = {
  es: {
    titles: { ventas: 'Libro IVA ventas', compras: 'Libro IVA compras' },
    counterparts: { ventas: 'Cliente', compras: 'Proveedor' },
    headings: {
      ...{ fecha: 'Fecha', tipo_comprobante: 'Tipo', tipo: 'Comprobante', serie: 'Serie', numero: 'Número' },
      ...{ documento: 'RUT o documento', moneda: 'Moneda', tipo_cambio: 'Tipo de cambio' },
      ...{ no_gravado: 'No gravado', exportacion: 'Exportación', otros: 'Otros', total: 'Total' },
      ...{ neto_minima: 'Neto tasa mínima', iva_minima: 'IVA tasa mínima' },
      ...{ neto_basica: 'Neto tasa básica', iva_basica: 'IVA tasa básica', estado: 'Estado', nota: 'Nota' },
    },
    inPesos: (heading: string) => `${heading} en pesos`,
    total: (currency: string, count: number) =>
      `Total ${currency}: ${count === 1 ? '1 comprobante' : `${count} comprobantes`}`,
    noCurrency: 'sin moneda conocida',
    totalInPesos: (count: number, without: number) =>
      `Total en pesos: ${count} de ${count + without} comprobantes${without > 0 ? '; los otros no tienen total o tipo de cambio' : ''}`,
    month: (day: `${number}-${number}-${number}`) => SPANISH.longMonth(day).replace(' de ', ' '),
    days: (from: string, to: string) => `${from} a ${to}`,
    now: 'hoy',
    period: 'los últimos doce meses enteros y el corriente',
  },
  en: {
    titles: { ventas: 'VAT book, sales', compras: 'VAT book, purchases' },
    counterparts: { ventas: 'Customer', compras: 'Supplier' },
    headings: {
      ...{ fecha: 'Date', tipo_comprobante: 'Type', tipo: 'Receipt', serie: 'Series', numero: 'Number' },
      ...{ documento: 'RUT or document', moneda: 'Currency', tipo_cambio: 'Exchange rate' },
      ...{ no_gravado: 'Not taxed', exportacion: 'Export', otros: 'Other', total: 'Total' },
      ...{ neto_minima: 'Net, minimum rate', iva_minima: 'VAT, minimum rate' },
      ...{ neto_basica: 'Net, basic rate', iva_basica: 'VAT, basic rate', estado: 'State', nota: 'Note' },
    },
    inPesos: (heading: string) => `${heading} in pesos`,
    total: (currency: string, count: number) =>
      `Total ${currency}: ${count === 1 ? '1 receipt' : `${count} receipts`}`,
    noCurrency: 'of unknown currency',
    totalInPesos: (count: number, without: number) =>
      `Total in pesos: ${count} of ${count + without} receipts${without > 0 ? '; the others have no total or no rate' : ''}`,
    month: (day: `${number}-${number}-${number}`) => ENGLISH.longMonth(day),
    days: (from: string, to: string) => `${from} to ${to}`,
    now: 'now',
    period: 'the last twelve whole months and the current one',
  },
} as const;

type Texts = (typeof TEXTS)['es' | 'en'];

interface Asked extends Period {
  /** Companies to have a sheet, even without receipts. */
  ruts: readonly string[];
  names: ReadonlyMap<string, string>;
}

/** A sheet for each company of a VAT book that was asked for, with its name, which the audit has. */
export async function bookSheets(
  store: LakeStore,
  answer: Answer,
  book: VatBook,
  { ruts, from, to }: Narrowing,
): Promise<AnswerSheet[]> {
  const { readAudit, runDaysOf } = await import('../audit/read.ts');
  const inBook = [...new Set([...ruts, ...answer.rows.flatMap(([rut]) => rut ?? [])])];
  const names = new Map<string, string>();
  const namedAt = new Map<string, number>();
  const question = { ruts: new Set(inBook), columns: ['companyName', 'startedAtSeconds'] } as const;
  await readAudit(store, from === undefined ? question : { ...question, runDays: runDaysOf(from) }, (row) => {
    const { rut, companyName, startedAtSeconds } = row;
    if (!companyName || (startedAtSeconds ?? 0) < (namedAt.get(rut) ?? 0)) return;
    names.set(rut, companyName);
    namedAt.set(rut, startedAtSeconds ?? 0);
  });
  return vatBookSheets(answer, book, { ruts: inBook, names, from, to });
}

/**
 * A sheet for each company. Its RUT stands above the table. Where every receipt is in pesos, the columns of amounts in
 * pesos are left out: they would say the same twice.
 */
export function vatBookSheets(
  { columns, rows }: Answer,
  { side, language }: VatBook,
  { ruts, names, from, to }: Asked,
): AnswerSheet[] {
  const texts = TEXTS[language];
  const rowsOf = Map.groupBy(rows, ([rut]) => rut);
  const currencyAt = columns.findIndex(({ name }) => name === 'moneda');
  return ruts.map((rut) => {
    const all = rowsOf.get(rut) ?? [];
    const isInPesos = all.every((row) => row[currencyAt] === 'UYU');
    const isShown = ({ name }: AnswerColumn) =>
      name !== 'rut' && !(isInPesos && /_pesos$|^tipo_cambio$/.test(name));
    const shown = columns.filter(isShown);
    const own = all.map((row) => row.filter((_, index) => isShown(columns[index] ?? textColumn(''))));
    return {
      name: ruts.length === 1 ? texts.titles[side] : rut,
      above: [
        texts.titles[side],
        `${names.get(rut) ?? ''} RUT ${rut}`.trim(),
        periodText({ from, to }, texts),
      ],
      answer: {
        columns: shown.map((column) => ({ ...column, name: headingOf(column.name, side, texts) })),
        rows: own,
      },
      totals: totalsOf({ columns: shown, rows: own }, texts),
    };
  });
}

function headingOf(name: string, side: VatBook['side'], texts: Texts): string {
  if (name === 'contraparte') return texts.counterparts[side];
  const headings: Readonly<Record<string, string>> = texts.headings;
  const base = name.replace(/_pesos$/, '');
  const heading = headings[base] ?? base;
  return base === name ? heading : texts.inPesos(heading);
}

function periodText({ from, to }: Period, texts: Texts): string {
  if (from === undefined) return texts.period;
  const month = monthOf(from);
  return month.from === from && month.to === to ? texts.month(from) : texts.days(from, to ?? texts.now);
}

/** A row for each currency, and one of all in pesos. Sums are exact; what is not known is in none of them. */
function totalsOf({ columns, rows }: Answer, texts: Texts): Answer['rows'] {
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const row = (label: string, of: Answer['rows'], amounts: readonly string[]) => {
    const sums = new Map(amounts.map((name) => [place(name), sumOf(of.map((one) => one[place(name)]))]));
    return columns.map((_, index) => (index === place('contraparte') ? label : (sums.get(index) ?? null)));
  };
  const hasPesos = place('total_pesos') !== -1;
  const pesos = hasPesos ? AMOUNTS.map((name) => `${name}_pesos`) : [];
  const byCurrency = [...Map.groupBy(rows, (one) => one[place('moneda')] ?? null)].map(([currency, of]) =>
    row(
      texts.total(currency ?? texts.noCurrency, of.length),
      of,
      // Without a currency there is no sum: it may be of several.
      currency === null ? [] : [...AMOUNTS, ...pesos],
    ),
  );
  const inPesos = rows.filter((one) => one[place('total_pesos')] !== null);
  const all = row(texts.totalInPesos(inPesos.length, rows.length - inPesos.length), rows, pesos);
  const sorted = byCurrency.sort((a, b) =>
    String(a[place('contraparte')]) < String(b[place('contraparte')]) ? -1 : 1,
  );
  return hasPesos ? [...sorted, all] : sorted;
}
