import { CURRENCIES } from '../../lake/currencies.ts';
import { currencyOf } from './currency-names.ts';
import { UNREADABLE } from './phrases.ts';
import { valueIn } from './reading.ts';
import {
  isBlank,
  type ListTable,
  shownText,
  type TableCell,
  type TableRow,
  textOf,
  UnreadableTableError,
  wordsOf,
} from './table.ts';

const HEADING_WITHIN = 30;
/** Rows with the word for a date, of which one is the heading. */
const MOST_LIKE_HEADINGS = 5;
/** A title has few cells. */
const MOST_TITLE_CELLS = 3;
/** Rows of which a currency's column is known. */
const ROWS_THAT_TELL = 1000;
/** The first word of what heads the days. */
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

export interface RateHeading {
  row: number;
  names: readonly string[];
  cellCount: number;
  date: number;
  currency: number | undefined;
  /** Others that may name it, too. */
  otherCurrencies: readonly number[];
  units: number | undefined;
  columns: readonly RateColumn[];
  /** Those that are neither rates nor known to be something else. */
  unknownPlaces: readonly number[];
}

/** The first row that says of which day, and of which currencies, the rates below it are. Throws UnreadableTableError. */
export function rateHeadingIn(table: ListTable): RateHeading | undefined {
  let alike = 0;
  for (const [index, { row, cells, cellCount = cells.length }] of table.rows
    .slice(0, HEADING_WITHIN)
    .entries()) {
    const words = cells.map(wordsOf);
    const date = words.findIndex((word) => DATE.test(word));
    if (date === -1) continue;
    alike += 1;
    if (alike > MOST_LIKE_HEADINGS) break;
    const names = cells.map(shownText);
    const named = currencyColumns(words, table.rows.slice(index + 1, index + 1 + ROWS_THAT_TELL));
    const [currency, ...otherCurrencies] = named;
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
    return { row, names, cellCount, date, currency, otherCurrencies, units, columns: rates, unknownPlaces };
  }
  return undefined;
}

function placeOf(words: readonly string[], form: RegExp): number | undefined {
  const place = words.findIndex((word) => form.test(word));
  return place === -1 ? undefined : place;
}

/** Those that name the currency of a row: first the most telling in which any row names one of the table. */
function currencyColumns(words: readonly string[], below: readonly TableRow[]): number[] {
  const places = CURRENCY_COLUMNS.flatMap((form) =>
    [...words.keys()].filter((at) => form.test(words[at] ?? '')),
  );
  const isTelling = (place: number) => below.some(({ cells }) => currencyIn(cells[place]) !== undefined);
  const first = places.find(isTelling) ?? places[0];
  return first === undefined ? [] : [first, ...places.filter((place) => place !== first)];
}

/** The currency of the table that a name says, with the words of a rate beside it. */
export function currencyIn(cell: TableCell | undefined): string | undefined {
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
export function assertNoHeading({ row, cells }: TableRow, { names, date, columns }: RateHeading): void {
  if (names.every((name, place) => name === shownText(cells[place]))) return;
  const isDated = DATE.test(wordsOf(cells[date]));
  for (const { place, name } of columns) {
    const words = wordsOf(cells[place]);
    if (!/^[a-z ]+$/.test(words)) continue;
    if (isDated || SAYS_RATE.test(words) || currencyIn(cells[place]) !== undefined)
      throw new UnreadableTableError(UNREADABLE.headingAgain(row, shownText(cells[place]), name));
  }
}

/** The columns without a name from a rate's to the next that has one: what its heading was merged over, perhaps. */
export function namelessBeside({ names, columns, date, units, currency }: RateHeading, width: number) {
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

export function isDateHeading(words: string): boolean {
  return DATE.test(words);
}
