import { MONTH_NAMES } from '../../text/spanish.ts';
import { type Day, type DayRange, isDay, monthOf } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import { dateOf, dateOrderOf } from './dates.ts';
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
/** Words before a date that is not of the period. */
const OTHER_DATE =
  /\b(?:generad|emitid[oa] el|emision|impres|consulta|descarg|actualizad|creacion|hora|hoy|vencimiento|ultima)/;
const FROM = /\b(?:desde|inicio|inicial)\b/;
const TO = /\b(?:hasta|fin|final)\b/;
const NAMED_MONTH = new RegExp(`\\b(${[...MONTH_NAMES, 'septiembre'].join('|')})( de| del)? (20\\d\\d)\\b`);

/** The days that the rows above the heading say: two dates, or a month. Undefined where they say neither. */
export function periodAbove(above: readonly TableRow[]): DayRange | undefined {
  const found = above.flatMap(datesOf);
  const pick = (label: RegExp) => found.filter(({ words }) => label.test(words));
  const [from, to] = [pick(FROM), pick(TO)];
  const pair = from.length === 1 && to.length === 1 ? [from[0], to[0]] : found;
  const days = pair.flatMap((date) => date?.day ?? []).sort();
  const [first, second] = days;
  if (days.length === 2 && first !== undefined && second !== undefined) return { from: first, to: second };
  return found.length === 0 ? monthAbove(above) : undefined;
}

/** The dates of a row, each with the words before it in its row. */
function datesOf({ cells }: TableRow): { day: Day; words: string }[] {
  const order = dateOrderOf(
    cells.flatMap((cell) => textOf(cell).slice(0, MOST_CHARACTERS).match(DATE) ?? []),
  );
  const found: { day: Day; words: string }[] = [];
  let label = '';
  for (const cell of cells) {
    const text = textOf(cell).slice(0, MOST_CHARACTERS);
    const whole = dateOf(cell, order);
    if (whole.state === 'read') {
      found.push({ day: whole.value, words: label });
      continue;
    }
    let at = 0;
    for (const match of text.matchAll(DATE)) {
      const before = wordsOf(text.slice(at, match.index));
      if (before !== '') label = before;
      const date = dateOf(match[0], order);
      if (date.state === 'read') found.push({ day: date.value, words: label });
      at = match.index + match[0].length;
    }
    const trailingWords = wordsOf(text.slice(at));
    // The words before a date in the next cell; a time after one is none.
    if (/[a-z]/.test(trailingWords)) label = trailingWords;
  }
  const isOther = OTHER_DATE.test(found[0]?.words ?? '');
  return isOther ? [] : found.filter(({ words }) => !OTHER_DATE.test(words));
}

/** `Período: 10/2026`, `Mes: octubre 2026`. */
function monthAbove(above: readonly TableRow[]): DayRange | undefined {
  const months = new Set<Day>();
  for (const { cells } of above) {
    const text = cells.map(wordsOf).filter(Boolean).join(' ');
    if (!/\b(?:periodo|mes)\b/.test(text)) continue;
    const [, named = '', , numbered = ''] = NAMED_MONTH.exec(text) ?? [];
    const [, month, year] = /\b(0?[1-9]|1[0-2]) (20\d\d)\b/.exec(text) ?? [];
    const [, yearFirst, monthSecond] = /\b(20\d\d) ?(0[1-9]|1[0-2])\b/.exec(text) ?? [];
    const name = named === 'septiembre' ? 'setiembre' : named;
    const number = MONTH_NAMES.indexOf(name) + 1;
    const first =
      number > 0
        ? `${numbered}-${String(number).padStart(2, '0')}-01`
        : month !== undefined
          ? `${year}-${month.padStart(2, '0')}-01`
          : `${yearFirst}-${monthSecond}-01`;
    if (isDay(first)) months.add(first);
  }
  const [month] = months;
  return months.size === 1 && month !== undefined ? monthOf(month) : undefined;
}
