import { type Day, isDay } from '../../time/days.ts';
import { amountOf, decimalMarkOf } from './amounts.ts';
import { dateOf, dateOrderOf } from './dates.ts';
import { currencyOf } from './identities.ts';
import { type ListFile, tablesOf } from './read-list.ts';
import { valueIn } from './reading.ts';
import {
  type ListTable,
  type TableCell,
  type TableRow,
  textOf,
  UnreadableTableError,
  wordsOf,
} from './table.ts';

/** Exchange rates as the central bank and its copies have them, in a row a day, or a row a day and currency. */
export interface RateList {
  rates: readonly Rate[];
  /** Names of currencies that are not known, or of rates that are not of bank notes, and how many rows have them. */
  leftOut: ReadonlyMap<string, number>;
}

export interface Rate {
  day: Day;
  /** As receipts name it: ISO 4217, UYI or UYR. */
  currency: string;
  /** Pesos for one unit, in millionths. */
  value: bigint;
  /** The heading of its column. */
  column: string;
  /** Its row in the file, counted from 1. */
  row: number;
}

const DECIMALS = 6;
const HEADING_WITHIN = 30;
const DATE = /^(?:fecha|dia|date)\b/;
const CURRENCY = /^(?:moneda|divisa|currency|nombre|codigo iso|iso)\b/;
/** What receipts are converted at is the buyer's rate. The last is only better than none. */
const VALUES = [
  /\b(?:compra|comprador|tcc)\b/,
  /^(?:valor|cotizacion|tipo de cambio|tc|promedio)\b/,
  /\bventa\b/,
];
/** Rates between banks that are not of bank notes, and against the dollar. */
const OTHER_RATE = /\b(?:cable|fondo|arbitraje)\b/;
const NOT_OF_NAME =
  /\b(?:billete|interbancari[oa]|compra|comprador|venta|vendedor|valor|cotizacion|tipo de cambio|en pesos|promedio|tcc|tcv|de|del|la|el)\b/g;
const ISO_CODES: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), 'UYI', 'UYR']);

interface RateColumn {
  place: number;
  name: string;
  /** Undefined where each row says it. */
  currency: string | undefined;
}

interface RateHeading {
  row: number;
  date: number;
  currency: number | undefined;
  columns: readonly RateColumn[];
}

/** The rates of the only sheet that has any, or of the one that was asked for. Throws UnreadableTableError. */
export async function readRates({ bytes, sheet }: Omit<ListFile, 'as'>): Promise<RateList> {
  const tables = await tablesOf(bytes, (table) => headingIn(table)?.columns.length ?? 0);
  const found = tables.flatMap((table) => {
    const heading = sheet === undefined || table.sheet === sheet ? headingIn(table) : undefined;
    return heading === undefined || (table.isHidden && sheet === undefined) ? [] : [{ table, heading }];
  });
  const [only] = found;
  if (only === undefined) {
    throw new UnreadableTableError(
      'none of its first 30 rows is a heading with a date and a rate (Fecha, Moneda, Valor; or Fecha and a column a currency)',
    );
  }
  if (found.length > 1) {
    const names = found.map(({ table }) => `"${table.sheet}"`).join(', ');
    throw new UnreadableTableError(`--sheet NAME must say which of its sheets to read: ${names}`);
  }
  return ratesBelow(only.table, only.heading);
}

function headingIn(table: ListTable): RateHeading | undefined {
  for (const [index, { row, cells }] of table.rows.slice(0, HEADING_WITHIN).entries()) {
    const words = cells.map(wordsOf);
    const date = words.findIndex((each) => DATE.test(each));
    if (date === -1) continue;
    const place = words.findIndex((each) => CURRENCY.test(each));
    const currency = place === -1 ? undefined : place;
    const above = [table.sheet ?? '', ...table.rows.slice(0, index).flatMap((one) => one.cells)];
    const title = new Set(above.flatMap((cell) => currencyIn(cell) ?? []));
    const [ofAll] = title.size === 1 ? title : [];
    const columns = cells.flatMap((cell, at): (RateColumn & { rank: number })[] => {
      const rank = VALUES.findIndex((value) => value.test(words[at] ?? ''));
      const own = currencyIn(cell);
      if (at === date || at === place || OTHER_RATE.test(words[at] ?? '')) return [];
      const of = currency === undefined ? (own ?? (rank === -1 ? undefined : ofAll)) : undefined;
      if (currency === undefined ? of === undefined : rank === -1) return [];
      return [{ place: at, name: textOf(cell).trim(), currency: of, rank: rank === -1 ? 1 : rank }];
    });
    // Of a currency's columns, the best alone.
    const best = Map.groupBy(
      columns.toSorted((a, b) => a.rank - b.rank),
      (column) => column.currency,
    );
    const chosen = [...best.values()].flatMap(([one, other]) => {
      if (one === undefined || one.rank !== other?.rank) return one ?? [];
      const both = `"${one.name}" and "${other.name}"`;
      throw new UnreadableTableError(
        `its heading in row ${row} has two columns that may be the rate: ${both}`,
      );
    });
    if (chosen.length > 0) return { row, date, currency, columns: chosen };
  }
  return undefined;
}

/** The currency that a name says, with what such tables say beside it; undefined for pesos and for what is none. */
function currencyIn(cell: TableCell | undefined): string | undefined {
  if (typeof cell !== 'string') return undefined;
  const plain =
    valueIn(currencyOf(cell)) ?? valueIn(currencyOf(wordsOf(cell).replace(NOT_OF_NAME, '').trim()));
  return plain !== null && plain !== 'UYU' && ISO_CODES.has(plain) ? plain : undefined;
}

function ratesBelow({ rows }: ListTable, { row, date, currency, columns }: RateHeading): RateList {
  const below = rows.filter((one) => one.row > row && DAY_LIKE.test(textOf(one.cells[date])));
  const order = dateOrderOf(below.map(({ cells }) => cells[date]));
  const leftOut = new Map<string, number>();
  const rates: Rate[] = [];
  for (const { place, name, currency: ofColumn } of columns) {
    const cells = below.map((one) => one.cells[place]);
    // One group of three digits after a sign is a rate's decimals: no rate has thousands without decimals.
    const mark = decimalMarkOf(cells) ?? (cells.some((cell) => textOf(cell).includes(',')) ? ',' : '.');
    for (const one of below) {
      const named = currency === undefined ? undefined : one.cells[currency];
      const of = ofColumn ?? (OTHER_RATE.test(wordsOf(named)) ? undefined : currencyIn(named));
      const amount = amountOf(one.cells[place], mark, DECIMALS);
      if (of === undefined) {
        const text = textOf(named).trim();
        leftOut.set(text, (leftOut.get(text) ?? 0) + 1);
      } else if (amount.state === 'unreadable') throw unreadable(one, name, amount.text);
      // Blank, or a dash: no rate that day.
      else if (amount.state === 'read' && amount.value > 0n) {
        const day = valueIn(dateOf(one.cells[date], order));
        if (day === null || !isDay(day)) throw unreadable(one, 'date', textOf(one.cells[date]));
        rates.push({ day, currency: of, value: amount.value, column: name, row: one.row });
      }
    }
  }
  return { rates, leftOut };
}

/** Notes below a table are no rows of it. */
const DAY_LIKE = /\d/;

function unreadable({ row }: TableRow, column: string, text: string): UnreadableTableError {
  return new UnreadableTableError(`its row ${row} has no readable ${column}: "${text}"`);
}
