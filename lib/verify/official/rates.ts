import { bandOf, CURRENCIES } from '../../lake/currencies.ts';
import type { Day } from '../../time/days.ts';
import { amountOf, type DecimalMark, decimalMarkOf, isNegative } from './amounts.ts';
import { currencyOf } from './currency-names.ts';
import { areDaysMonths, type DateOrder, dateOf, dateOrderOf, isOrderTold, mayBeMonthFirst } from './dates.ts';
import { UNREADABLE } from './phrases.ts';
import { chosen, type ListFile, tablesOf } from './read-list.ts';
import { shown, valueIn } from './reading.ts';
import {
  isBlank,
  type ListTable,
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

const HEADING_WITHIN = 30;
/** Rows with the word for a date, of which one is the heading. */
const MOST_LIKE_HEADINGS = 5;
/** A title has few cells. */
const MOST_TITLE_CELLS = 3;
/** Rows of which a currency's column is known. */
const ROWS_THAT_TELL = 1000;
const DATE = /^(?:fecha|dia|date)\b/;
/** Columns that name the currency of a row, the most telling first. */
const CURRENCY_COLUMNS = [/^nombre\b/, /^(?:moneda|divisa|currency)\b/, /^(?:codigo iso|iso)\b/];
/** Names of the column that says of how many units the rate is. */
const UNITS = /^(?:unidad(?:es)?|cantidad|cant|por|units?)(?: de (?:unidades|moneda))?$/;
/** What receipts are converted at is the buyer's rate. The last is only better than none. */
const VALUES = [
  /\b(?:compra|comprador|tcc)\b/,
  /^(?:valor|cotizacion|tipo de cambio|tc|promedio)\b/,
  /\b(?:venta|vendedor|tcv)\b/,
];
/** Other columns of such tables: rates against the dollar, codes, who issues. */
const NO_RATE = /^(?:arb act|arbact|arbitrajes?|forma (?:de )?arbitrar|emisor|codigo|cod|pais)\b/;
/** Rates of the dollar that are not of bank notes, and against it. */
const OTHER_RATE = /\b(?:cable|fondo|fdo|arbitrajes?)\b/;
/** The same in a cell of a rate's row, and nothing more. */
const OTHER_KIND = /^(?:\w+ ){0,2}(?:cable|fondo|fdo)$/;
/** A title of such rates. The bank's own has both in columns: Cotizaciones y arbitrajes. */
const OTHER_TITLE = /^(?!.*\bcotizacion(?:es)?\b).*\barbitrajes?\b/;
/** What a rate's heading or name says beside its currency. */
const WORDS_OF_RATES =
  /\b(?:billete|interbancari[oa]|compra|comprador|venta|vendedor|valor|cotizacion|tipo de cambio|en pesos|promedio|tcc|tcv|tc|del|la|el)\b/g;
const KNOWN: ReadonlySet<string> = new Set(CURRENCIES.map(({ code }) => code));

interface RateColumn {
  place: number;
  name: string;
  /** The currency of all rows, unless each row says it. */
  currency: string | undefined;
}

interface RateHeading {
  row: number;
  names: readonly string[];
  cellCount: number;
  date: number;
  currency: number | undefined;
  units: number | undefined;
  columns: readonly RateColumn[];
  /** Those that are neither rates nor known to be something else. */
  unknownPlaces: readonly number[];
}

/** The rates of the only visible sheet that has any, or of the one that was asked for. Throws UnreadableTableError. */
export async function readRates({ bytes, sheet }: Omit<ListFile, 'as'>): Promise<RateList> {
  const tables = await tablesOf(bytes, (table) => headingIn(table)?.columns.length ?? 0);
  const { table, heading } = chosen(tables, sheet, headingIn, UNREADABLE.noRateHeading());
  return ratesBelow(table, heading);
}

function headingIn(table: ListTable): RateHeading | undefined {
  let alike = 0;
  for (const [index, { row, cells, cellCount = cells.length }] of table.rows
    .slice(0, HEADING_WITHIN)
    .entries()) {
    const words = cells.map(wordsOf);
    const date = words.findIndex((word) => DATE.test(word));
    if (date === -1) continue;
    alike += 1;
    if (alike > MOST_LIKE_HEADINGS) break;
    const names = cells.map((cell) => shown(textOf(cell).trim()));
    const currency = currencyColumn(words, table.rows.slice(index + 1, index + 1 + ROWS_THAT_TELL));
    const units = placeOf(words, UNITS);
    const titles = table.rows.slice(0, index).map((before) => before.cells.filter((cell) => !isBlank(cell)));
    const above = [[table.sheet ?? ''], ...titles.filter(({ length }) => length <= MOST_TITLE_CELLS)];
    if (above.some((row) => OTHER_TITLE.test(row.map(wordsOf).join(' ')))) return undefined;
    const title = new Set(above.flat().flatMap((cell) => currencyIn(cell) ?? []));
    const [titleCurrency] = title.size === 1 ? title : [];
    const places = [...cells.keys()].filter((at) => ![date, currency, units].includes(at));
    const columns = places.flatMap((at): (RateColumn & { rank: number })[] => {
      const rank = VALUES.findIndex((value) => value.test(words[at] ?? ''));
      if (OTHER_RATE.test(words[at] ?? '')) return [];
      const rateCurrency =
        currency === undefined
          ? (currencyIn(cells[at]) ?? (rank === -1 ? undefined : titleCurrency))
          : undefined;
      if (currency === undefined ? rateCurrency === undefined : rank === -1) return [];
      return [{ place: at, name: names[at] ?? '', currency: rateCurrency, rank: rank === -1 ? 1 : rank }];
    });
    // Of a currency's columns, the best alone.
    const best = Map.groupBy(
      columns.toSorted((a, b) => a.rank - b.rank),
      (column) => column.currency,
    );
    const rates = [...best.values()].flatMap(([first, second]) => {
      if (first === undefined || first.rank !== second?.rank) return first ?? [];
      const columnNames = `"${first.name}", "${second.name}"`;
      throw new UnreadableTableError(UNREADABLE.twoColumns(row, 'valor', columnNames));
    });
    if (rates.length === 0) continue;
    if (units !== undefined && rates.length > 1) {
      throw new UnreadableTableError(
        `its heading in row ${row} has "${names[units]}" beside ${rates.length} rates, so that nobody knows of which it is`,
      );
    }
    const unknownPlaces = places.filter(
      (at) => !columns.some(({ place }) => place === at) && !isOther(words[at] ?? ''),
    );
    return { row, names, cellCount, date, currency, units, columns: rates, unknownPlaces };
  }
  return undefined;
}

function placeOf(words: readonly string[], form: RegExp): number | undefined {
  const place = words.findIndex((word) => form.test(word));
  return place === -1 ? undefined : place;
}

/** The most telling column in which any row names a currency of the table. */
function currencyColumn(words: readonly string[], below: readonly TableRow[]): number | undefined {
  const places = CURRENCY_COLUMNS.flatMap((form) => placeOf(words, form) ?? []);
  return (
    places.find((place) => below.some(({ cells }) => currencyIn(cells[place]) !== undefined)) ?? places[0]
  );
}

/** The currency of the table that a name says, with the words of a rate beside it. */
function currencyIn(cell: TableCell | undefined): string | undefined {
  // "Cotización U$S": a sign is no word.
  const plain = textOf(cell).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const sign = plain
    .replace(WORDS_OF_RATES, ' ')
    .replace(/[\s:().]+/g, ' ')
    .trim();
  const whole =
    valueIn(currencyOf(cell)) ?? valueIn(currencyOf(nameIn(wordsOf(cell)))) ?? valueIn(currencyOf(sign));
  return whole !== null && KNOWN.has(whole) ? whole : undefined;
}

function nameIn(words: string): string {
  return words.replace(WORDS_OF_RATES, ' ').replace(/ +/g, ' ').trim();
}

/** Whether a heading is blank, another rate of the same currency, or known to be no rate. */
function isOther(words: string): boolean {
  return nameIn(words) === '' || [NO_RATE, ...CURRENCY_COLUMNS].some((form) => form.test(words));
}

/** What a second row of a heading, or the heading of a second table, says below a rate's heading. */
const SAYS_RATE = new RegExp([...VALUES.map(({ source }) => source), '\\b(?:buy|sell)(?:ing)?\\b'].join('|'));

/** Throws UnreadableTableError for a row below the heading that says what the figures below it are. */
function assertNoHeading({ row, cells }: TableRow, { names, date, columns }: RateHeading): void {
  if (names.every((name, place) => name === shown(textOf(cells[place]).trim()))) return;
  const isDated = DATE.test(wordsOf(cells[date]));
  for (const { place, name } of columns) {
    const words = wordsOf(cells[place]);
    if (!/^[a-z ]+$/.test(words)) continue;
    if (isDated || SAYS_RATE.test(words) || currencyIn(cells[place]) !== undefined)
      throw new UnreadableTableError(UNREADABLE.headingAgain(row, shown(textOf(cells[place]).trim()), name));
  }
}

/** The columns without a name from a rate's to the next that has one: what its heading was merged over, perhaps. */
function namelessBeside({ names, columns, date, units, currency }: RateHeading, width: number) {
  const known = new Set([date, units, currency]);
  const isNameless = (place: number) =>
    place >= 0 && place < width && (names[place] ?? '') === '' && !known.has(place);
  return columns.flatMap(({ place, name }) => {
    const found: { place: number; name: string }[] = [];
    for (const step of [-1, 1])
      for (let at = place + step; isNameless(at); at += step) found.push({ place: at, name });
    return found;
  });
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
    (name, place) => place !== date && DATE.test(wordsOf(name)) && isDated(place),
  );
  if (otherDate !== undefined)
    throw new UnreadableTableError(UNREADABLE.twoColumns(row, 'fecha', `"${names[date]}", "${otherDate}"`));
  if (areDaysMonths(cellsOf(date))) throw new UnreadableTableError(UNREADABLE.dayAsMonth(names[date] ?? ''));
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
  const [first = '', last = ''] = [cells[0], cells.at(-1)].map((cell) => shown(textOf(cell).trim()));
  return { column: names[date] ?? '', first, last };
}

function ratesBelow({ rows, isDelimited }: ListTable, heading: RateHeading): RateList {
  const below = rows.filter(({ row }) => row > heading.row);
  for (const row of below) assertNoHeading(row, heading);
  const order = dateOrderOf(below.map(({ cells }) => cells[heading.date]));
  assertOneDate(below, heading, order);
  const known = new Set([heading.date, heading.currency, heading.units]);
  const ratePlaces = new Set(heading.columns.map(({ place }) => place));
  const leftOut = new Map<string, number>();
  const unread: UnreadCell[] = [];
  const found: Found[] = [];
  let lacking = 0;
  for (const { row, cells } of below) {
    const date = dateOf(cells[heading.date], order);
    const kind = cells.find((cell) => typeof cell === 'string' && OTHER_KIND.test(wordsOf(cell)));
    for (const { place, name, currency } of heading.columns) {
      const cell = cells[place] ?? '';
      if (isNoRate(cell)) {
        // A note below the table has neither.
        if (date.state === 'read') lacking += 1;
        continue;
      }
      const named = heading.currency === undefined ? undefined : cells[heading.currency];
      const rateCurrency = kind === undefined ? (currency ?? currencyIn(named)) : undefined;
      const cellAt = (at: number) => ({
        row,
        column: heading.names[at] ?? '',
        text: shown(textOf(cells[at]).trim()),
      });
      if (date.state !== 'read') unread.push(cellAt(heading.date));
      else if (rateCurrency !== undefined) {
        const units = heading.units === undefined ? '1' : cells[heading.units];
        const beside = known.has(place + 1) ? undefined : cells[place + 1];
        const rate = { day: date.value, currency: rateCurrency, column: name, row };
        found.push({ ...rate, cell, units, beside, isBesideRate: ratePlaces.has(place + 1) });
      } else if (kind === undefined && isBlank(named)) unread.push(cellAt(heading.currency ?? place));
      else {
        const said = [named ?? currency, ...(kind === named ? [] : [kind])];
        const name = shown(
          said
            .map((cell) => textOf(cell).trim())
            .join(' ')
            .trim(),
        );
        leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
      }
    }
  }
  const toldMark = decimalMarkOf(below.flatMap(({ cells }) => cells.filter((_, at) => at !== heading.date)));
  const mark = toldMark ?? markOfBands(found);
  let rounded = 0;
  const rates = found.flatMap((rate): Rate[] => {
    const { cell, units, day, currency, column, row } = rate;
    const values = readings(cell, units, mark);
    const plausible = values.length === 1 ? values : values.filter((value) => isInBand(rate, value));
    const [value] = plausible;
    if (values.length === 0 || (value !== undefined && halfEven(value) === 0n)) {
      const text =
        units === '1' ? shown(textOf(cell)) : `${shown(textOf(cell))} for ${shown(textOf(units))} units`;
      unread.push({ row, column, text });
      return [];
    }
    if (value === undefined || plausible.length > 1) {
      throw new UnreadableTableError(UNREADABLE.eitherSign(row, textOf(cell), column));
    }
    if (value % UNIT !== 0n) rounded += 1;
    return [{ day, currency, column, row, value: halfEven(value) }];
  });
  const width = below.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  const isDated = (cells: readonly TableCell[]) => dateOf(cells[heading.date], order).state === 'read';
  const isNumber = (cell: TableCell = '') => readings(cell, '1', mark).length > 0;
  const hasNumbers = (place: number) => below.some(({ cells }) => isNumber(cells[place]));
  const nameless = namelessBeside(heading, width).find(({ place }) => hasNumbers(place));
  if (nameless !== undefined)
    throw new UnreadableTableError(UNREADABLE.namelessColumn(heading.row, nameless.name));
  // An amount was torn by its own sign, and what is below a rate's heading is another or a part of one.
  const isTorn = ({ cells, cellCount = cells.length }: TableRow) =>
    isDelimited
      ? cellCount > heading.cellCount
      : [...cells.keys()].some((place) => place >= heading.names.length && isNumber(cells[place]));
  const torn = below.find((row) => isDated(row.cells) && isTorn(row));
  if (torn !== undefined) throw new TornTableError(UNREADABLE.tornRow(torn.row, heading.names.length));
  const halved = halvedRate(found, mark);
  if (halved !== undefined) {
    const halves = [halved.cell, halved.beside].map((cell) => shown(textOf(cell).trim()));
    throw new TornTableError(UNREADABLE.halvedRate(halved.row, halved.column, halves));
  }
  // A table was sorted with its heading.
  for (const { row, cells } of rows.filter(({ row }) => row < heading.row)) {
    const rate = heading.columns.find(({ place }) => isDated(cells) && isNumber(cells[place]));
    if (rate !== undefined)
      unread.push({ row, column: rate.name, text: shown(textOf(cells[rate.place]).trim()) });
  }
  const unknownColumns = heading.unknownPlaces.filter(hasNumbers).map((place) => heading.names[place] ?? '');
  unread.sort((a, b) => a.row - b.row);
  const monthFirst = monthFirstIn(below, heading, found);
  const dateColumn = heading.names[heading.date] ?? '';
  return { rates, dateColumn, leftOut, unknownColumns, unread, monthFirst, lacking, rounded };
}

/** Blank, a dash or zero. */
function isNoRate(cell: TableCell): boolean {
  const amount = amountOf(cell, '.');
  return amount.state === 'absent' || (amount.state === 'read' && amount.value === 0n);
}

/** How many decimals a workbook's smallest rates have. */
const DECIMALS = 24;
/** A millionth of a peso, in the last of these decimals. */
const UNIT = 10n ** 18n;

/** What a cell may be in pesos for one unit, in the last of DECIMALS: nothing, one value, or two where no sign tells. */
function readings(cell: TableCell, units: TableCell | undefined, mark: DecimalMark | undefined): bigint[] {
  if (isNegative(cell) || isNegative(units)) return [];
  const values = (mark === undefined ? MARKS : [mark]).flatMap((tried) => {
    const value = valueIn(amountOf(cell, tried, DECIMALS));
    const unitCount = valueIn(amountOf(units, tried, 0));
    return value === null || value === 0n || unitCount === null || unitCount === 0n
      ? []
      : [value / unitCount];
  });
  return [...new Set(values)];
}

const MARKS: readonly DecimalMark[] = ['.', ','];

/** A rate before its decimal mark is known. */
interface Found extends Omit<Rate, 'value'> {
  cell: TableCell;
  units: TableCell | undefined;
  /** The cell to its right, unless its heading says what it is. */
  beside: TableCell | undefined;
  /** Whether that is below another currency. */
  isBesideRate: boolean;
}

/**
 * A rate whose decimals went into a blank cell beside it: of its currency most, or all if none has decimals, have a whole
 * number beside them that is no dearer rate of it; or a whole number is below the next currency, and no rate has decimals.
 */
function halvedRate(found: readonly Found[], mark: DecimalMark | undefined): Found | undefined {
  // A text shows decimals that are zero.
  const wholeIn = (cell: TableCell = '') =>
    typeof cell === 'string' && /[.,](?:\d{1,2}|0+)$/.test(cell.trim())
      ? null
      : valueIn(amountOf(cell, mark, 0));
  const isHalved = ({ cell, beside, isBesideRate, currency }: Found) => {
    const [value, other] = [wholeIn(cell), wholeIn(beside)];
    if (value === null || other === null || other === 0n) return false;
    // Its own code.
    if (valueIn(currencyOf(beside)) === currency) return false;
    return isBesideRate || other < value || other * 2n > value * 3n;
  };
  const rates = found.filter(({ cell }) => readings(cell, '1', mark).length > 0);
  const areWhole = (some: readonly Found[]) => some.every(({ cell }) => wholeIn(cell) !== null);
  if (areWhole(rates)) return rates.find(isHalved);
  return [...Map.groupBy(rates, ({ currency }) => currency).values()].flatMap((ofCurrency) => {
    const halved = ofCurrency.filter((rate) => !rate.isBesideRate && isHalved(rate));
    return halved.length * 2 > ofCurrency.length || areWhole(ofCurrency) ? halved : [];
  })[0];
}

/** The mark that the plausible readings agree on, of rates that none of the file's own signs tells. */
function markOfBands(found: readonly Found[]): DecimalMark | undefined {
  const marks = new Set<DecimalMark>();
  for (const rate of found) {
    if (readings(rate.cell, rate.units, undefined).length < 2) continue;
    const plausible = MARKS.filter((mark) =>
      readings(rate.cell, rate.units, mark).some((value) => isInBand(rate, value)),
    );
    const [agreed] = plausible;
    if (agreed !== undefined && plausible.length === 1) marks.add(agreed);
  }
  const [mark] = marks;
  return marks.size === 1 ? mark : undefined;
}

function isInBand({ currency, day }: Pick<Rate, 'currency' | 'day'>, value: bigint): boolean {
  const band = bandOf(currency, day);
  return band !== undefined && value >= band.low * UNIT && value <= band.high * UNIT;
}

/** The rate that a service's text says, in millionths; undefined if it is none. */
export function exactRate(text: string): bigint | undefined {
  const value = isNegative(text) ? null : valueIn(amountOf(text, '.', DECIMALS));
  return value === null ? undefined : halfEven(value);
}

/** The value in millionths, rounded half to even. */
function halfEven(value: bigint): bigint {
  const [whole, remainder] = [value / UNIT, value % UNIT];
  const isUp = remainder * 2n > UNIT || (remainder * 2n === UNIT && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}
