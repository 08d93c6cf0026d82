import { type Day, dayFromNumber, dayNumber, isDay } from '../../time/days.ts';
import { ABSENT, type Reading, read, unreadable } from './reading.ts';
import { isBlank, type TableCell, textOf } from './table.ts';

/** Whether the day or the month is first in `05/06/2026`. */
export type DateOrder = 'day first' | 'month first';

/** A month's name in Spanish, Portuguese or English is known by its first three letters. */
const MONTHS: Readonly<Record<string, number>> = {
  ene: 1,
  jan: 1,
  feb: 2,
  mar: 3,
  abr: 4,
  apr: 4,
  may: 5,
  mai: 5,
  jun: 6,
  jul: 7,
  ago: 8,
  aug: 8,
  set: 9,
  sep: 9,
  oct: 10,
  out: 10,
  nov: 11,
  dic: 12,
  dec: 12,
  dez: 12,
};
const MONTH_WORD =
  /^(?:ene(?:ro)?|jan(?:uary|eiro)?|feb(?:rero|ruary)?|mar(?:zo|ch)?|abr(?:il)?|apr(?:il)?|may(?:o)?|jun(?:io|e)?|jul(?:io|y)?|ago(?:sto)?|aug(?:ust)?|sept?(?:iembre|ember)?|set(?:iembre)?|oct(?:ubre|ober)?|nov(?:iembre|ember)?|dic(?:iembre)?|dec(?:ember)?)$/;
const WEEKDAY = /^(?:lun|mar|mie|jue|vie|sab|dom|mon|tue|wed|thu|fri|sat|sun)[a-z]*$/;
const TIME =
  /[ t]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:z|[-+]\d{2}:?\d{2}))?(?: ?[ap]\.? ?m\.?)?(?: ?hs?\.?)?$/;
/** No date is longer, with its weekday and its time. */
const MOST_CHARACTERS = 60;
/** Spreadsheets count days from here; receipts of 2012 to 2099. */
const SERIAL_EPOCH = dayNumber('1899-12-30');
const FIRST_SERIAL = dayNumber('2012-01-01') - SERIAL_EPOCH;
const LAST_SERIAL = dayNumber('2099-12-31') - SERIAL_EPOCH;

/** The day of a spreadsheet's number. */
export function dayOfSerial(serial: number): Day | undefined {
  const whole = Math.floor(serial);
  return whole >= FIRST_SERIAL && whole <= LAST_SERIAL ? dayFromNumber(whole + SERIAL_EPOCH) : undefined;
}

/**
 * The order that a column's dates show: a number over 12 is a day. Uruguay's where none shows it, undefined where some
 * contradict others.
 */
export function dateOrderOf(cells: Iterable<TableCell | undefined>): DateOrder | undefined {
  const orders = new Set<DateOrder>();
  for (const numbers of numbersIn(cells)) {
    if (numbers.first.length === 4) continue;
    const [first, second] = [Number(numbers.first), Number(numbers.second)];
    if (first > 12 && second <= 12) orders.add('day first');
    if (second > 12 && first <= 12) orders.add('month first');
  }
  if (orders.size > 1) return undefined;
  const [order = 'day first'] = orders;
  return order;
}

/** Whether a number over 12 in a column's dates shows which of two is the day. */
export function isOrderTold(cells: Iterable<TableCell | undefined>): boolean {
  return parted(cells).some(({ first, second }) => first > 12 || second > 12);
}

/** Whether dates of which either may be the day are of one month or two neighbours with the month first, and of more without. */
export function mayBeMonthFirst(cells: Iterable<TableCell | undefined>): boolean {
  const dates = parted(cells);
  const monthsIn = (part: 'first' | 'second') => [
    ...new Set(dates.map(({ year, ...numbers }) => year * 12 + numbers[part])),
  ];
  const months = monthsIn('first');
  return Math.max(...months) - Math.min(...months) <= 1 && monthsIn('second').length > 2;
}

/** The numbers of dates that do not begin with the year. */
function parted(cells: Iterable<TableCell | undefined>) {
  return numbersIn(cells).flatMap(({ first, second, third }) =>
    first.length === 4 ? [] : { first: Number(first), second: Number(second), year: Number(third) % 100 },
  );
}

/** Whether a spreadsheet has taken days for months, where it could, and left the other dates as the texts that they were. */
export function areDaysMonths(cells: Iterable<TableCell | undefined>): boolean {
  const { dates = [], texts = [] } = Object.groupBy(numbersIn(cells), ({ first }) =>
    first.length === 4 ? 'dates' : 'texts',
  );
  const areTold = dates.length > 0 && texts.length > 0;
  return (
    areTold &&
    dates.every(({ third }) => Number(third) <= 12) &&
    texts.every(({ first }) => Number(first) > 12)
  );
}

export function dateOf(cell: TableCell | undefined, order: DateOrder | undefined): Reading<Day> {
  if (cell === undefined || isBlank(cell)) return ABSENT;
  const text = textOf(cell);
  const day = dayOfText(dateText(text), order);
  return day === undefined ? unreadable(text) : read(day);
}

/** The text without accents, capitals, its time and its weekday. */
function dateText(text: string): string {
  if (text.length > MOST_CHARACTERS) return '';
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim().replace(/^'/, '');
  return withoutWeekday(plain.replace(TIME, '').trim());
}

function withoutWeekday(day: string): string {
  const [, first = '', date = ''] = /^([a-z]+)\.?,? +(.*)$/.exec(day) ?? [];
  // "mar 15 oct 2026" begins with a weekday, "mar 15, 2026" with a month.
  const isWeekday = WEEKDAY.test(first) && (!MONTH_WORD.test(first) || /[a-z]{3}|[/-]/.test(date));
  return isWeekday ? date : day;
}

/** The numbers of the cells that are dates of three. */
function numbersIn(cells: Iterable<TableCell | undefined>) {
  return [...cells].flatMap((cell) => threeNumbers(dateText(textOf(cell))) ?? []);
}

function threeNumbers(text: string) {
  const [, first = '', separator = '', second = '', third = ''] =
    /^(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})$/.exec(text.replace(/ ?([/.-]) ?/g, '$1')) ?? [];
  return separator === '' ? undefined : { first, second, third };
}

function dayOfText(text: string, order: DateOrder | undefined): Day | undefined {
  const numbers = threeNumbers(text);
  if (numbers !== undefined) {
    const { first, second, third } = numbers;
    if (first.length === 4) return third.length <= 2 ? dayOfParts(first, second, third) : undefined;
    const isCertain =
      Number(first) > 12 || Number(second) > 12 || first.padStart(2, '0') === second.padStart(2, '0');
    if (isCertain) {
      return Number(second) > 12 ? dayOfParts(third, first, second) : dayOfParts(third, second, first);
    }
    if (order === undefined) return undefined;
    return order === 'day first' ? dayOfParts(third, second, first) : dayOfParts(third, first, second);
  }
  const together = /^(20\d\d)(\d\d)(\d\d)$/.exec(text);
  if (together !== null) return dayOfParts(together[1], together[2], together[3]);
  if (/^\d{5}(?:[.,]\d+)?$/.test(text)) return dayOfSerial(Number(text.replace(',', '.')));
  return dayWithMonthName(text);
}

function dayWithMonthName(text: string): Day | undefined {
  const [, first = '', second = '', third = ''] =
    /^([a-z0-9]{1,10})[ ,./-]+([a-z0-9]{1,10})[ ,./-]+(\d{4}|\d{2})$/.exec(
      text.replace(/\b(?:de|del|of)\b/g, ' ').replace(/ +/g, ' '),
    ) ?? [];
  const [month, day] = MONTH_WORD.test(first) ? [first, second] : [second, first];
  if (!MONTH_WORD.test(month) || !/^\d{1,2}$/.test(day)) return undefined;
  return dayOfParts(third, String(MONTHS[month.slice(0, 3)] ?? 0), day);
}

function dayOfParts(year = '', month = '', day = ''): Day | undefined {
  if (year.length !== 4 && year.length !== 2) return undefined;
  const text = `${year.length === 2 ? '20' : ''}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return /^20/.test(text) && isDay(text) ? text : undefined;
}
