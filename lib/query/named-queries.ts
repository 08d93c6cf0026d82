import { readdirSync, readFileSync } from 'node:fs';
import { addDays, monthOf, type Period } from '../time/days.ts';

/** A common question, in SQL that runs in Athena and DuckDB. */
export interface NamedQuery {
  name: string;
  /** Its name in the other language, Spanish or English. */
  alias?: string;
  /** One line. */
  summary: string;
  /** What the answer means and leaves out, in paragraphs. */
  notes: readonly string[];
  sql: string;
}

const FOLDER = new URL('./named/', import.meta.url);

/** All named queries, by name: the files of the folder `named`, without the parts that they include. */
export function namedQueries(): NamedQuery[] {
  const files = readdirSync(FOLDER).filter((file) => /^[^_].*\.sql$/.test(file));
  return files
    .sort()
    .map((file) => parseNamedQuery(file.slice(0, -'.sql'.length), withParts(readNamed(file))));
}

function readNamed(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}

/** Common table expressions that named queries include, each followed by a comma. */
export function queryPart(name: string): string {
  return withParts(`-- include ${name}\n`);
}

/** The SQL with the file `_NAME.sql` in place of each line `-- include NAME`, indented as that line is. */
function withParts(sql: string): string {
  return sql.replace(/^( *)-- include (\w+)\n/gm, (_, indent: string, part: string) =>
    withParts(readNamed(`_${part}.sql`)).replace(/^(?=.)/gm, indent),
  );
}

export function namedQuery(name: string): NamedQuery {
  const query = namedQueries().find((known) => known.name === name || known.alias === name);
  if (query === undefined) throw new TypeError(`there is no query ${name}`);
  return query;
}

/** Parses a query and its leading comment: a line that says what it asks, then notes. */
export function parseNamedQuery(name: string, sql: string): NamedQuery {
  const lines = sql.split('\n');
  const headLength = lines.findIndex((line) => !line.startsWith('--'));
  const head = lines.slice(0, headLength).map((line) => line.slice('--'.length).trim());
  const [summary, blank = '', ...noteLines] = head;
  if (summary === undefined || blank !== '') {
    throw new TypeError(`${name}.sql does not begin with one line of comment and an empty one`);
  }
  const notes = noteLines.join('\n').split('\n\n');
  return {
    name,
    alias: aliasOf(name),
    summary,
    notes: notes.map((paragraph) => paragraph.replaceAll('\n', ' ')),
    sql,
  };
}

/** The Spanish name of each query, by its English one. Its file has one of them, and the other is its alias. */
const SPANISH_NAMES: Readonly<Record<string, string>> = {
  'changes-since-close': 'cambios-desde-el-cierre',
  'credit-notes-without-reference': 'notas-de-credito-sin-referencia',
  'daily-report': 'reporte-diario',
  'duplicate-supplier-invoices': 'facturas-repetidas',
  'form-2181': 'formulario-2181',
  'items-sold': 'articulos-vendidos',
  'late-signed-and-future-dated': 'firmados-tarde-o-a-futuro',
  'numbering-gaps': 'saltos-de-numeracion',
  'numbers-under-two-ids': 'numerados-dos-veces',
  'payables-by-supplier': 'deudas-por-proveedor',
  'purchases-by-month': 'compras-por-mes',
  'receivables-by-due-date': 'cobros-por-vencimiento',
  'received-to-check': 'recibidos-por-mirar',
  'rejected-by-age': 'rechazados-por-antiguedad',
  'sales-by-month': 'ventas-por-mes',
  'unanswered-by-age': 'sin-respuesta-por-antiguedad',
  'unidentified-e-tickets': 'e-tickets-sin-identificar',
  'vat-book-purchases': 'libro-iva-compras',
  'vat-book-sales': 'libro-iva-ventas',
  'vat-by-month': 'iva-por-mes',
  'vat-position': 'posicion-iva',
  withholdings: 'resguardos',
};

function aliasOf(name: string): string | undefined {
  const english = Object.keys(SPANISH_NAMES).find((known) => SPANISH_NAMES[known] === name);
  return SPANISH_NAMES[name] ?? english;
}

/** A query's name in Spanish, as its workbook is called. */
export function spanishName({ name }: Pick<NamedQuery, 'name'>): string {
  return SPANISH_NAMES[name] ?? name;
}

/** The queries whose answers people declare. */
const DECLARED = [
  'libro-iva-ventas',
  'libro-iva-compras',
  'posicion-iva',
  'resguardos',
  'formulario-2181',
] as const;
export type DeclaredQuery = (typeof DECLARED)[number];

export function isDeclared(asked: string): boolean {
  return DECLARED.some((name) => name === namedQuery(asked).name);
}

/** Restricts a named query to companies and days. Absent parts leave the query's own condition. */
export interface Narrowing extends Period {
  /** RUTs, digits only. */
  ruts: readonly string[];
  /** Values of the UI by year, decimals as text, in place of those in the query (docs/e-tickets.md). */
  ui?: ReadonlyMap<number, string>;
}

const LAST_DAY = '9999-12-31';

// The forms of conditions on time in named queries; a test checks that narrowing replaces them all.
const PERIOD = String.raw`date_trunc\('month', current_date - INTERVAL '\d+' MONTH\)`;
const CLOSE = String.raw`date_trunc\('month', current_date\)`;

/** A table's first day, somewhat before the period, so that the period's first day has neighbours. */
const READ_BEFORE = new RegExp(
  String.raw`((?:\w\.)?)fecha >= ${PERIOD}( - INTERVAL '\d+' (?:DAY|MONTH))`,
  'g',
);
const READ = new RegExp(String.raw`((?:\w\.)?)fecha >= ${PERIOD}`, 'g');
const SIGNED = new RegExp(String.raw`(CAST\(\w\.fecha_firma AS DATE\)) >= ${PERIOD}`, 'g');
const SHOWN = new RegExp(String.raw`${PERIOD} <= (\w+)`, 'g');
/** How far back a query looks for a rate: the UI of the last day of the year before. */
export const RATE_DAYS = 366;
/** Days of rates, which no company has, and which count for days after them; a UR for the whole of its month. */
const RATED = new RegExp(String.raw`${PERIOD}( - INTERVAL '\d+' (?:DAY|MONTH)) <= fecha`, 'g');
const RUN = new RegExp(`fecha_corrida >= ${PERIOD}`, 'g');
const NOTICED = new RegExp(`fecha_corrida >= ${CLOSE}`, 'g');
const UI_VALUES = /(?<=\bunidad_indexada \(anio, valor\) AS \(\n {2}VALUES ).*/;
const CLOSED = new RegExp(`WHERE fecha < ${CLOSE}`, 'g');

/**
 * A named query's SQL for these companies and days instead of its own period. Runs in DuckDB and Athena. A query about
 * changes since the close takes the day after `to` as the close.
 */
export function narrowed(sql: string, { ruts, from, to, ui }: Narrowing): string {
  const ofThese = (alias: string) => companyCondition(alias, ruts);
  const within = (column: string, otherwise: string) => {
    if (from === undefined) return otherwise;
    if (to === undefined) return `${column} >= DATE '${from}'`;
    return `${column} BETWEEN DATE '${from}' AND DATE '${to}'`;
  };
  // No day comes after the last one that can be written.
  const dayAfter = to === undefined || to === LAST_DAY ? to : addDays(to, 1);
  const close = (text: string) => (dayAfter === undefined ? text : `DATE '${dayAfter}'`);
  return sql
    .replace(UI_VALUES, () =>
      uiValues(ui)
        .map(([year, value]) => `(${year}, ${value})`)
        .join(', '),
    )
    .replace(READ_BEFORE, (text, alias: string, before: string) => {
      const bound = from === undefined ? text : `${alias}fecha >= DATE '${from}'${before}`;
      return bound + ofThese(alias);
    })
    .replace(READ, (text, alias: string, offset: number, whole: string) => {
      if (whole.startsWith(' - ', offset + text.length)) return text;
      return within(`${alias}fecha`, text) + ofThese(alias);
    })
    .replace(SIGNED, (text, column: string) => within(column, text))
    .replace(SHOWN, (text, column: string) => within(column, text))
    .replace(RATED, (text, before: string) => {
      if (from === undefined) return text;
      return `DATE '${from}'${before} <= fecha${to === undefined ? '' : ` AND fecha <= DATE '${monthOf(to).to}'`}`;
    })
    .replace(RUN, (text) => (from === undefined ? text : `fecha_corrida >= DATE '${from}'`) + ofThese(''))
    .replace(NOTICED, (text) => text + ofThese(''))
    .replace(CLOSED, (text) => (from === undefined ? text : `${text} AND fecha >= DATE '${from}'`))
    .replace(new RegExp(CLOSE, 'g'), close);
}

/** The values of the UI of 31 December by the year after it (docs/e-tickets.md), with those given in their place. */
export function uiValues(given: ReadonlyMap<number, string> = new Map()) {
  const [values = ''] = UI_VALUES.exec(readNamed('_vigente.sql')) ?? [];
  const known = [...values.matchAll(/\((\d+), ([\d.]+)\)/g)].map(
    ([, year, value = '']) => [Number(year), value] as const,
  );
  return [...new Map([...known, ...given])].sort(([a], [b]) => a - b);
}

/** Restricts a table, by its alias and a dot, to these companies; empty if there are none. */
export function companyCondition(alias: string, ruts: readonly string[]): string {
  if (ruts.length === 0) return '';
  const texts = ruts.map((rut) => `'${rut}'`);
  return ` AND ${alias}rut ${texts.length === 1 ? `= ${texts}` : `IN (${texts.join(', ')})`}`;
}

const NARROWING_TEXTS = {
  en: {
    narrowed: (parts: string) => `Narrowed to ${parts}.`,
    days: (from: string, to: string | undefined) =>
      `${from} to ${to ?? 'now'}, in place of the period that is named`,
    ui: (year: number, value: string) => `The UI for ${year} is taken to be ${value}.`,
  },
  es: {
    narrowed: (parts: string) => `Solo ${parts}.`,
    days: (from: string, to: string | undefined) =>
      `del ${from} al ${to ?? 'presente'}, en lugar del período que se nombra`,
    ui: (year: number, value: string) => `Para ${year} se toma una UI de ${value.replace('.', ',')}.`,
  },
} as const;

/** The same in words; undefined if nothing is narrowed. */
export function narrowingText(
  { ruts, from, to, ui = new Map() }: Narrowing,
  language: 'es' | 'en' = 'en',
): string | undefined {
  const texts = NARROWING_TEXTS[language];
  const companies = ruts.length === 0 ? undefined : `rut ${ruts.join(', ')}`;
  const days = from === undefined ? undefined : texts.days(from, to);
  const parts = [companies, days].filter((part) => part !== undefined);
  const narrowing = parts.length === 0 ? [] : [texts.narrowed(parts.join('; '))];
  const values = [...ui].map(([year, value]) => texts.ui(year, value));
  return [...narrowing, ...values].join(' ') || undefined;
}
