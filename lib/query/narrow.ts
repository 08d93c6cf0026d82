import { addDays } from '../time/days.ts';

/** Companies and days to ask a named query about. What is left out stays as the query has it. */
export interface Narrowing {
  /** RUTs, digits only. */
  ruts: readonly string[];
  /** First day, `YYYY-MM-DD`. */
  from?: string;
  /** Last day, included; with `from` only. */
  to?: string;
}

// The forms of conditions on time in named queries; a test checks that narrowing replaces them all.
const PERIOD = String.raw`date_trunc\('month', current_date - INTERVAL '\d+' MONTH\)`;
const CLOSE = String.raw`date_trunc\('month', current_date\)`;

/** The first day that a table is read from: a little before the period, so that its first day has neighbours. */
const READ_BEFORE = new RegExp(
  String.raw`((?:\w\.)?)fecha >= ${PERIOD}( - INTERVAL '\d+' (?:DAY|MONTH))`,
  'g',
);
const READ = new RegExp(String.raw`((?:\w\.)?)fecha >= ${PERIOD}`, 'g');
const SIGNED = new RegExp(String.raw`(CAST\(\w\.fecha_firma AS DATE\)) >= ${PERIOD}`, 'g');
const SHOWN = new RegExp(String.raw`${PERIOD} <= (\w+)`, 'g');
const NOTICED = new RegExp(`fecha_corrida >= ${CLOSE}`, 'g');
const CLOSED = new RegExp(`WHERE fecha < ${CLOSE}`, 'g');

/**
 * A named query's SQL for these companies and days instead of its own period, for DuckDB and Athena. A query about changes
 * since the close takes the day after the last one as the close.
 */
export function narrowed(sql: string, { ruts, from, to }: Narrowing): string {
  const ofThese = (alias: string) => (ruts.length === 0 ? '' : ` AND ${alias}rut ${oneOf(ruts)}`);
  const within = (column: string, otherwise: string) => {
    if (from === undefined) return otherwise;
    if (to === undefined) return `${column} >= DATE '${from}'`;
    return `${column} BETWEEN DATE '${from}' AND DATE '${to}'`;
  };
  const close = (text: string) => (to === undefined ? text : `DATE '${addDays(to, 1)}'`);
  return sql
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
    .replace(NOTICED, (text) => text + ofThese(''))
    .replace(CLOSED, (text) => (from === undefined ? text : `${text} AND fecha >= DATE '${from}'`))
    .replace(new RegExp(CLOSE, 'g'), close);
}

function oneOf(ruts: readonly string[]): string {
  const texts = ruts.map((rut) => `'${rut}'`);
  return texts.length === 1 ? `= ${texts}` : `IN (${texts.join(', ')})`;
}

/** The same in words; undefined if nothing is narrowed. */
export function narrowingText({ ruts, from, to }: Narrowing): string | undefined {
  const companies = ruts.length === 0 ? undefined : `rut ${ruts.join(', ')}`;
  const days =
    from === undefined ? undefined : `${from} to ${to ?? 'now'}, in place of the period that is named`;
  return companies === undefined && days === undefined
    ? undefined
    : `Narrowed to ${[companies, days].filter((part) => part !== undefined).join('; ')}.`;
}
