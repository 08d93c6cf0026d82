import { MONTH_NAMES } from '../../text/spanish.ts';
import { type Day, type DayRange, isDay, monthOf } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import { type DateOrder, dateOf, dateOrderOf, isOrderTold } from './dates.ts';
import { type TableRow, textOf, wordsOf } from './table.ts';

/** `CFE Recibidos`: of a list, in the plural. `Estado: Recibido por DGI` is none. */
const NAMED =
  /\b(?:cfes?|comprobantes?|documentos?|facturas?|e facturas|listado|lista|consulta|detalle)(?: de)?(?: los)?(?: cfes?| comprobantes| documentos)? (recibid[oa]s|emitid[oa]s)\b/;
const PLURAL = /\b(recibid[oa]s|emitid[oa]s)\b/g;

/** Which list the title says that it is; undefined if it says neither, or both. */
export function directionAbove(above: readonly TableRow[]): Direction | undefined {
  const texts = above.flatMap(({ cells }) => cells.map(titleWords));
  const named = new Set(texts.flatMap((words) => directionIn(NAMED.exec(words)?.[1])));
  const pluralDirections = new Set(
    texts.flatMap((words) => [...words.matchAll(PLURAL)].flatMap(([word]) => directionIn(word))),
  );
  for (const found of [named, pluralDirections]) {
    const [direction] = found;
    if (found.size === 1) return direction;
  }
  return undefined;
}

function directionIn(word: string | undefined): Direction[] {
  if (word === undefined) return [];
  return [word.startsWith('recibid') ? 'recibidos' : 'emitidos'];
}

/** No title is longer. */
const MOST_CHARACTERS = 500;

function titleWords(cell: TableRow['cells'][number]): string {
  return textOf(cell).length > MOST_CHARACTERS ? '' : wordsOf(cell);
}

const DATE = /\d{1,4}[./-](?:\d{1,2}|[a-z]{3,10})[./-]\d{1,4}|\d{1,2} de [a-z]{3,10} (?:de |del )?\d{4}/gi;
/** Words before a date that is not of the period, unless it is the first or last of two. */
const OTHER_DATE =
  /\b(?:generad|emitid[oa] el|emision|impres|consulta|descarg|actualizad|creacion|hora|hoy|ultima)/;
/** Words before dates that are of no list's period, even two of them. */
const NO_PERIOD = /\b(?:vencimiento|cae)\b/;
const FROM = /\b(?:desde|inicio|inicial)\b/;
const TO = /\b(?:hasta|fin|final)\b/;
/** All that stands between two dates of a period, after the time of the first. */
const BETWEEN = /^(?:(?:\d+|hs?|[ap] m) )*(?:al?|y|hasta)(?: el)?$/;
const MONTH = `(${[...MONTH_NAMES, 'septiembre'].join('|')})`;
/** `octubre de 2026`; of `octubre y noviembre 2026`, both. */
const NAMED_MONTHS = new RegExp(
  `\\b(?:${MONTH} (?:[ay] |al |hasta )?)?${MONTH}(?: de| del)? (20\\d\\d)\\b`,
  'g',
);

interface TitleDate {
  day: Day;
  /** Those before it, in its row or, where it has none, in the row above. */
  words: string;
  row: number;
}

/**
 * The days that the rows above the heading say: from one date to another, else the only two dates that are of nothing
 * else, else a month. Undefined where they say none of these, or several.
 */
export function periodAbove(above: readonly TableRow[]): DayRange | undefined {
  const dates = above
    .flatMap((row, index) => datesOf(row, above[index - 1], orderIn(row, above)))
    .filter(({ words }) => !NO_PERIOD.test(words));
  const [range, ...otherRanges] = rangesIn(dates);
  if (range !== undefined) return otherRanges.length === 0 ? range : undefined;
  const days = dates.flatMap(({ day, words }) => (OTHER_DATE.test(words) ? [] : day)).sort();
  const [from, to] = days;
  return days.length === 2 && from !== undefined && to !== undefined ? { from, to } : monthAbove(above);
}

/** Different periods, each said by a date's words and those of a later one; those of issue dates alone, if any is. */
function rangesIn(dates: readonly TitleDate[]): DayRange[] {
  const found: (DayRange & { isOfIssue: boolean })[] = [];
  let begin: TitleDate | undefined;
  for (const [index, date] of dates.entries()) {
    if (FROM.test(date.words)) {
      begin = date;
      continue;
    }
    const before = dates[index - 1];
    const isJoined = BETWEEN.test(date.words) && before?.row === date.row;
    const first = (TO.test(date.words) ? begin : undefined) ?? (isJoined ? before : undefined);
    if (first === undefined || first.day > date.day) continue;
    found.push({ from: first.day, to: date.day, isOfIssue: /\bemision\b/.test(first.words) });
    begin = undefined;
  }
  const ofIssue = found.filter(({ isOfIssue }) => isOfIssue);
  const ranges = ofIssue.length > 0 ? ofIssue : found;
  return [...new Map(ranges.map(({ from, to }) => [`${from} ${to}`, { from, to }])).values()];
}

function titleText(cell: TableRow['cells'][number]): string {
  return textOf(cell).slice(0, MOST_CHARACTERS);
}

/** As its own dates show it, else those of the rows that say a first or a last day: a title's others may be in any. */
function orderIn(row: TableRow, above: readonly TableRow[]): DateOrder | undefined {
  const datesIn = ({ cells }: TableRow) => cells.flatMap((cell) => titleText(cell).match(DATE) ?? []);
  const isOfPeriod = ({ cells }: TableRow) =>
    cells.some((cell) => FROM.test(wordsOf(cell)) || TO.test(wordsOf(cell)));
  const own = datesIn(row);
  if (isOrderTold(own) || !isOfPeriod(row)) return dateOrderOf(own);
  return dateOrderOf(above.filter(isOfPeriod).flatMap(datesIn));
}

function datesOf(
  { row, cells }: TableRow,
  rowBefore: TableRow | undefined,
  order: DateOrder | undefined,
): TitleDate[] {
  const wordsAbove = (rowBefore?.cells ?? []).map(wordsOf);
  // A title, or a row with values of its own, is no row of labels.
  const areLabels = wordsAbove.filter(Boolean).length > 1 && !wordsAbove.some((words) => /\d/.test(words));
  const labelsAbove = areLabels ? wordsAbove : [];
  const found: TitleDate[] = [];
  let label = '';
  for (const [place, cell] of cells.entries()) {
    const text = titleText(cell);
    const whole = dateOf(cell, order);
    if (whole.state === 'read') {
      found.push({ day: whole.value, words: label || (labelsAbove[place] ?? ''), row });
      continue;
    }
    let at = 0;
    for (const match of text.matchAll(DATE)) {
      const before = text.slice(at, match.index);
      label = at > 0 && /^\s*[-–—]\s*$/.test(before) ? 'al' : wordsOf(before) || label;
      const date = dateOf(match[0], order);
      if (date.state === 'read') found.push({ day: date.value, words: label, row });
      at = match.index + match[0].length;
    }
    const trailingWords = wordsOf(text.slice(at));
    // The words before a date in the next cell; a time after one is none.
    if (/[a-z]/.test(trailingWords)) label = trailingWords;
  }
  return found;
}

/** `Período: 10/2026`, `Mes: octubre 2026`. */
function monthAbove(above: readonly TableRow[]): DayRange | undefined {
  const months = new Set<Day>();
  for (const { cells } of above) {
    // A day's month is none.
    const texts = cells.map((cell) => titleText(cell).replace(DATE, ' '));
    const text = texts.map(wordsOf).filter(Boolean).join(' ');
    if (!/\b(?:periodo|mes)\b/.test(text)) continue;
    const first = (month: string | number, year: string) => `${year}-${String(month).padStart(2, '0')}-01`;
    const named = [...text.matchAll(NAMED_MONTHS)].flatMap(([, ...names]) => {
      const year = names.pop() ?? '';
      const months = names.flatMap((name) => (name ? name.replace('septiembre', 'setiembre') : []));
      return months.map((name) => first(MONTH_NAMES.indexOf(name) + 1, year));
    });
    const numbered = [...text.matchAll(/\b(0?[1-9]|1[0-2]) (20\d\d)\b/g)];
    const yearFirst = [...text.matchAll(/\b(20\d\d) ?(0[1-9]|1[0-2])\b/g)];
    const saidInEachForm = [
      named,
      numbered.map(([, month = '', year = '']) => first(month, year)),
      yearFirst.map(([, year = '', month = '']) => first(month, year)),
    ];
    const said = saidInEachForm.find(({ length }) => length > 0) ?? [];
    for (const day of said) if (isDay(day)) months.add(day);
  }
  const [month] = months;
  return months.size === 1 && month !== undefined ? monthOf(month) : undefined;
}
