import { PESO } from '../../lake/currencies.ts';
import type { Day } from '../../time/days.ts';
import { amountOf, type DecimalMark, decimalMarkOf } from './amounts.ts';
import { currencyOf } from './currency-names.ts';
import { areDaysMonths, type DateOrder, dateOf, dateOrderOf, isOrderTold, mayBeMonthFirst } from './dates.ts';
import { UNREADABLE } from './phrases.ts';
import {
  assertNoHeading,
  currencyIn,
  isDateHeading,
  namelessBeside,
  type RateHeading,
  rateHeadingIn,
} from './rate-heading.ts';
import { markOfBands, rateIn, readings, type WrittenRate } from './rate-values.ts';
import { chosen, type ListFile, tablesOf } from './read-list.ts';
import { shown, valueIn } from './reading.ts';
import {
  isBlank,
  type ListTable,
  shownText,
  type TableCell,
  type TableRow,
  TornTableError,
  textOf,
  UnreadableTableError,
  wordsOf,
} from './table.ts';

/** Exchange rates as the central bank and its copies have them, in a row a day, or a row a day and currency. */
export interface RateList {
  rates: readonly Rate[];
  /** The heading of the column of days. */
  dateColumn: string;
  /** Names that are no currency of the table, or of rates that are not of bank notes, and how many rates they have. */
  leftOut: ReadonlyMap<string, number>;
  /** Columns of numbers beside the rates of which nobody knows what they are. */
  unknownColumns: readonly string[];
  /** Cells that could not be read, in whose place nothing is. */
  unread: readonly UnreadCell[];
  /** Dates of a currency that seem to have the month first, where nothing tells: its first and last, as they are written. */
  monthFirst: { column: string; first: string; last: string } | undefined;
  /** How many rates a known day and currency lack: blank, a dash or zero. */
  lacking: number;
  /** How many rates had more than six decimals. */
  rounded: number;
}

export interface UnreadCell {
  /** Its row in the file, counted from 1. */
  row: number;
  /** The heading of its column. */
  column: string;
  text: string;
}

export interface Rate {
  day: Day;
  /** The code that receipts have: ISO 4217, UYI or UYR. */
  currency: string;
  /** Pesos for one unit, in millionths. */
  value: bigint;
  /** The heading of its column. */
  column: string;
  /** Its row in the file, counted from 1. */
  row: number;
}

/** A rate before its decimal mark is known. */
interface FoundRate extends Omit<Rate, 'value'>, WrittenRate {
  /** The cell to its right, unless its heading says what it is. */
  beside: TableCell | undefined;
  /** Whether that is below another currency. */
  isBesideRate: boolean;
}

/** What a cell of a row says, and nothing more, whose rates are not of bank notes. */
const OTHER_KIND = /^(?:\w+ ){0,2}(?:cable|fondo|fdo)$/;

/** The rates of the only visible sheet that has any, or of the one that was asked for. Throws UnreadableTableError. */
export async function readRates({ bytes, sheet }: Omit<ListFile, 'as'>): Promise<RateList> {
  const tables = await tablesOf(bytes, (table) => rateHeadingIn(table)?.columns.length ?? 0);
  const { table, heading } = chosen(tables, sheet, rateHeadingIn, UNREADABLE.noRateHeading());
  return ratesBelow(table, heading);
}

function ratesBelow(table: ListTable, heading: RateHeading): RateList {
  const below = table.rows.filter(({ row }) => row > heading.row);
  for (const row of below) assertNoHeading(row, heading);
  const order = dateOrderOf(below.map(({ cells }) => cells[heading.date]));
  assertOneDate(below, heading, order);
  const { found, leftOut, unread, lacking } = findRates(below, heading, order);
  const toldMark = decimalMarkOf(below.flatMap(({ cells }) => cells.filter((_, at) => at !== heading.date)));
  const mark = toldMark ?? markOfBands(found);
  let rounded = 0;
  const rates = found.flatMap((rate): Rate[] => {
    const { cell, units, day, currency, column, row } = rate;
    const known = rateIn(rate, mark);
    if (known === 'either') throw new UnreadableTableError(UNREADABLE.eitherSign(row, textOf(cell), column));
    if (known === undefined) {
      const unitsText = units === '1' ? '' : ` for ${shown(textOf(units))} units`;
      unread.push({ row, column, text: `${shown(textOf(cell))}${unitsText}` });
      return [];
    }
    if (known.isRounded) rounded += 1;
    return [{ day, currency, column, row, value: known.value }];
  });
  const isDated = ({ cells }: TableRow) => dateOf(cells[heading.date], order).state === 'read';
  const isNumber = (cell: TableCell = '') => readings(cell, '1', mark).length > 0;
  const hasNumbers = (place: number) => below.some(({ cells }) => isNumber(cells[place]));
  assertNotMerged(below, heading, hasNumbers);
  assertNotTorn(below.filter(isDated), heading, table.isDelimited === true, isNumber);
  assertNotHalved(found, mark);
  // A table was sorted with its heading.
  for (const { row, cells } of table.rows.filter((above) => above.row < heading.row && isDated(above))) {
    const rate = heading.columns.find(({ place }) => isNumber(cells[place]));
    if (rate !== undefined) unread.push({ row, column: rate.name, text: shownText(cells[rate.place]) });
  }
  return {
    rates,
    dateColumn: heading.names[heading.date] ?? '',
    leftOut,
    unknownColumns: heading.unknownPlaces.filter(hasNumbers).map((place) => heading.names[place] ?? ''),
    unread: unread.sort((a, b) => a.row - b.row),
    monthFirst: monthFirstIn(below, heading, found),
    lacking,
    rounded,
  };
}

/** Throws UnreadableTableError where another column has dates, too, or a spreadsheet has made other dates of them. */
function assertOneDate(
  below: readonly TableRow[],
  { row, names, date }: RateHeading,
  order: DateOrder | undefined,
): void {
  const cellsOf = (place: number) => below.map(({ cells }) => cells[place]);
  const isDated = (place: number) => cellsOf(place).some((cell) => dateOf(cell, order).state === 'read');
  const [otherDate] = names.filter(
    (name, place) => place !== date && isDateHeading(wordsOf(name)) && isDated(place),
  );
  if (otherDate !== undefined)
    throw new UnreadableTableError(UNREADABLE.twoColumns(row, 'fecha', `"${names[date]}", "${otherDate}"`));
  if (areDaysMonths(cellsOf(date))) throw new UnreadableTableError(UNREADABLE.dayAsMonth(names[date] ?? ''));
}

/** The rates below the columns that are to be read, as they are written, and what stands there besides. */
function findRates(below: readonly TableRow[], heading: RateHeading, order: DateOrder | undefined) {
  const found: FoundRate[] = [];
  const leftOut = new Map<string, number>();
  const unread: UnreadCell[] = [];
  let lacking = 0;
  const known = new Set([heading.date, heading.currency, heading.units]);
  const ratePlaces = new Set(heading.columns.map(({ place }) => place));
  for (const { row, cells } of below) {
    const date = dateOf(cells[heading.date], order);
    const named = heading.currency === undefined ? undefined : cells[heading.currency];
    const rowCurrency = currencyIn(named);
    // "Dólar", and beside it CAD. A number may be a program's own.
    const isAnother = (at: number) =>
      rowCurrency !== undefined &&
      /\D/.test(textOf(cells[at]).trim()) &&
      ![rowCurrency, PESO.code, null].includes(valueIn(currencyOf(cells[at])));
    const other =
      cells.find((cell) => typeof cell === 'string' && OTHER_KIND.test(wordsOf(cell))) ??
      cells[heading.otherCurrencies.find(isAnother) ?? -1];
    const addUnread = (at: number) =>
      unread.push({ row, column: heading.names[at] ?? '', text: shownText(cells[at]) });
    for (const { place, name, currency: ofColumn } of heading.columns) {
      const cell = cells[place] ?? '';
      if (isNoRate(cell)) {
        // A note below the table has neither.
        if (date.state === 'read') lacking += 1;
        continue;
      }
      const currency = other === undefined ? (ofColumn ?? rowCurrency) : undefined;
      if (date.state !== 'read') addUnread(heading.date);
      else if (currency !== undefined) {
        const units = heading.units === undefined ? '1' : cells[heading.units];
        const beside = known.has(place + 1) ? undefined : cells[place + 1];
        const isBesideRate = ratePlaces.has(place + 1);
        found.push({ day: date.value, currency, column: name, row, cell, units, beside, isBesideRate });
      } else if (other === undefined && isBlank(named)) addUnread(heading.currency ?? place);
      else {
        const said = [named ?? ofColumn, ...(other === named ? [] : [other])].map((text) =>
          textOf(text).trim(),
        );
        const leftName = shown(said.join(' ').trim());
        leftOut.set(leftName, (leftOut.get(leftName) ?? 0) + 1);
      }
    }
  }
  return { found, leftOut, unread, lacking };
}

/** Blank, a dash or zero. */
function isNoRate(cell: TableCell): boolean {
  const amount = amountOf(cell, '.');
  return amount.state === 'absent' || (amount.state === 'read' && amount.value === 0n);
}

/** Throws UnreadableTableError for numbers below a column without a name that a rate's heading was merged over, perhaps. */
function assertNotMerged(
  below: readonly TableRow[],
  heading: RateHeading,
  hasNumbers: (place: number) => boolean,
): void {
  const width = below.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  const nameless = namelessBeside(heading, width).find(({ place }) => hasNumbers(place));
  if (nameless !== undefined)
    throw new UnreadableTableError(UNREADABLE.namelessColumn(heading.row, nameless.name));
}

/**
 * Throws TornTableError for a row with more cells than the heading: an amount was torn by its own sign, and what is below a
 * rate's heading is another or a part of one.
 */
function assertNotTorn(
  dated: readonly TableRow[],
  heading: RateHeading,
  isDelimited: boolean,
  isNumber: (cell: TableCell | undefined) => boolean,
): void {
  const width = heading.names.length;
  const torn = dated.find(({ cells, cellCount = cells.length }) =>
    isDelimited ? cellCount > heading.cellCount : cells.slice(width).some(isNumber),
  );
  if (torn !== undefined) throw new TornTableError(UNREADABLE.tornRow(torn.row, width));
}

/**
 * Throws TornTableError for a rate whose decimals went into a blank cell beside it: of its currency most, or all if none has
 * decimals, have a whole number beside them that is no dearer rate of it; or a whole number is below the next currency, and
 * no rate has decimals.
 */
function assertNotHalved(found: readonly FoundRate[], mark: DecimalMark | undefined): void {
  // A text shows decimals that are zero.
  const wholeIn = (cell: TableCell = '') =>
    typeof cell === 'string' && /[.,](?:\d{1,2}|0+)$/.test(cell.trim())
      ? null
      : valueIn(amountOf(cell, mark, 0));
  const isHalved = ({ cell, beside, isBesideRate, currency }: FoundRate) => {
    const [value, other] = [wholeIn(cell), wholeIn(beside)];
    if (value === null || other === null || other === 0n) return false;
    // Its own code.
    if (valueIn(currencyOf(beside)) === currency) return false;
    return isBesideRate || other < value || other * 2n > value * 3n;
  };
  const rates = found.filter(({ cell }) => readings(cell, '1', mark).length > 0);
  const areWhole = (some: readonly FoundRate[]) => some.every(({ cell }) => wholeIn(cell) !== null);
  const ofCurrencies = Map.groupBy(rates, ({ currency }) => currency).values();
  const suspects = areWhole(rates)
    ? rates.filter(isHalved)
    : [...ofCurrencies].flatMap((ofCurrency) => {
        const halved = ofCurrency.filter((rate) => !rate.isBesideRate && isHalved(rate));
        return halved.length * 2 > ofCurrency.length || areWhole(ofCurrency) ? halved : [];
      });
  const [first] = suspects;
  if (first === undefined) return;
  const halves = [first.cell, first.beside].map(shownText);
  throw new TornTableError(UNREADABLE.halvedRate(first.row, first.column, halves));
}

/** Has one rate a month, so that the same day of each is what its dates should be. */
const MONTHLY = 'UYR';

function monthFirstIn(
  below: readonly TableRow[],
  { names, date }: RateHeading,
  found: readonly { row: number; currency: string }[],
): RateList['monthFirst'] {
  const dates = new Map(below.map(({ row, cells }) => [row, cells[date]]));
  if (isOrderTold(dates.values())) return undefined;
  const ofCurrencies = Map.groupBy(found, ({ currency }) => currency);
  ofCurrencies.delete(MONTHLY);
  const cells = [...ofCurrencies.values()]
    .map((rates) => rates.map(({ row }) => dates.get(row)))
    .find(mayBeMonthFirst);
  if (cells === undefined) return undefined;
  const [first = '', last = ''] = [cells[0], cells.at(-1)].map(shownText);
  return { column: names[date] ?? '', first, last };
}
