import { COTIZACIONES } from '../lake/tables.ts';
import { tablesIn } from '../query/asked-days.ts';
import { namedQuery, narrowed } from '../query/named-queries.ts';
import { WrongInputError } from '../system/errors.ts';
import { DECLARED } from './differences.ts';
import { FROZEN_TABLES, type FrozenMonth, haveSameRates } from './frozen-month.ts';
import { SAY } from './phrases.ts';

/** Queries that read what a close has not kept: other days than its month's, the audit, changes. */
export const BEYOND_A_CLOSE = [
  'changes-since-close',
  'daily-report',
  'duplicate-supplier-invoices',
  'numbering-gaps',
  'received-to-check',
];

/**
 * The SQL of a named query for a database of frozen rows and answers: of a table that was declared, the answer itself.
 * Throws WrongInputError.
 */
export function frozenSql(frozen: FrozenMonth, asked: string): string {
  const { name, sql } = namedQuery(asked);
  if (BEYOND_A_CLOSE.includes(name)) throw new WrongInputError(SAY.beyond(name));
  const declared = DECLARED.find(({ query }) => query === name);
  if (declared !== undefined) return `SELECT * FROM ${declared.view}`;
  const { ruts, from, to, closes } = frozen;
  const ui = new Map(Object.entries(closes[0]?.index.ui ?? {}).map(([year, value]) => [Number(year), value]));
  return narrowed(sql, { ruts, from, to, ui });
}

/**
 * Throws WrongInputError where a question names a table that closes do not keep, or needs the rates of closes that were
 * made with different ones.
 */
export function assertKept({ closes }: FrozenMonth, sql: string): void {
  const lacking = tablesIn(sql).find((table) => !FROZEN_TABLES.includes(table));
  if (lacking !== undefined) throw new WrongInputError(SAY.notKept(lacking.name));
  if (haveSameRates(closes) || !tablesIn(sql).includes(COTIZACIONES)) return;
  throw new WrongInputError(SAY.rates());
}
