import { readdirSync, readFileSync } from 'node:fs';

/** A common question, in SQL that runs in Athena and DuckDB. */
export interface NamedQuery {
  name: string;
  /** Its name in the other language, Spanish or English. */
  alias?: string;
  /** One line. */
  summary: string;
  /** What the answer says and doesn't say, paragraph by paragraph. */
  notes: readonly string[];
  sql: string;
}

const FOLDER = new URL('./named/', import.meta.url);

/** All named queries, by name: the files of the folder `named`. */
export function namedQueries(): NamedQuery[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  return files
    .sort()
    .map((file) =>
      parseNamedQuery(file.slice(0, -'.sql'.length), readFileSync(new URL(file, FOLDER), 'utf8')),
    );
}

/** The query with this name or alias; undefined if there is none. */
export function namedQuery(name: string): NamedQuery | undefined {
  return namedQueries().find((known) => known.name === name || known.alias === name);
}

/** Parses a query and its leading comment: a line that says what it asks, then notes. */
export function parseNamedQuery(name: string, sql: string): NamedQuery {
  const lines = sql.split('\n');
  const headLength = lines.findIndex((line) => !line.startsWith('--'));
  const head = lines.slice(0, headLength).map((line) => line.slice('--'.length).trim());
  const [summary, blank = '', ...rest] = head;
  if (summary === undefined || blank !== '') {
    throw new TypeError(`${name}.sql does not begin with one line of comment and an empty one`);
  }
  const notes = rest.join('\n').split('\n\n');
  return {
    name,
    alias: ALIASES[name],
    summary,
    notes: notes.map((paragraph) => paragraph.replaceAll('\n', ' ')),
    sql,
  };
}

/** The second name of each query: Spanish for English names, English for Spanish ones. */
export const ALIASES: Readonly<Record<string, string>> = {
  'changes-since-close': 'cambios-desde-el-cierre',
  'credit-notes-without-reference': 'notas-de-credito-sin-referencia',
  'daily-report': 'reporte-diario',
  'duplicate-supplier-invoices': 'facturas-repetidas',
  'formulario-2181': 'form-2181',
  'items-sold': 'articulos-vendidos',
  'late-signed-and-future-dated': 'firmados-tarde-o-a-futuro',
  'libro-iva-compras': 'vat-book-purchases',
  'libro-iva-ventas': 'vat-book-sales',
  'numbering-gaps': 'saltos-de-numeracion',
  'numbers-under-two-ids': 'identificados-dos-veces',
  'payables-by-supplier': 'deudas-por-proveedor',
  'purchases-by-month': 'compras-por-mes',
  'receivables-by-due-date': 'cobros-por-vencimiento',
  'rejected-by-age': 'rechazados-por-antiguedad',
  resguardos: 'withholdings',
  'sales-by-month': 'ventas-por-mes',
  'unanswered-by-age': 'sin-respuesta-por-antiguedad',
  'vat-by-month': 'iva-por-mes',
};
