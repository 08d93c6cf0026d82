import { DEFAULT_MAX_DETAILS_PER_UNIT, type DetailOptions } from '../../export/export-tools.ts';
import { bandOf } from '../../lake/currencies.ts';
import { WrongInputError } from '../../system/errors.ts';
import type { Localized } from '../../text/language.ts';
import { MONTH_NAMES } from '../../text/spanish.ts';
import {
  addDays,
  type Day,
  type DayRange,
  daysBetween,
  FIRST_DAY,
  isDay,
  MAX_DAYS_AHEAD,
  monthOf,
  type Period,
  uruguayDay,
} from '../../time/days.ts';
import { isValidRut, type Rut, rutProblem } from '../../units/rut.ts';
import { DIRECTIONS, type Direction } from '../../units/unit.ts';
import { manyValues, oneValue, type Parsed, type Terminal, wholeNumber } from '../command.ts';
import { OPTION } from '../phrases/options.ts';

// What is wrong with an option's value is a WrongInputError in each of these.

/** All are meant if none is named. */
export const RUTS_OPTION = { rut: manyValues('RUT', OPTION.onlyCompany()) };

export const DAY_OPTIONS = {
  date: oneValue('D', OPTION.date()),
  from: oneValue('D', OPTION.from()),
  to: oneValue('D', OPTION.to()),
  last: wholeNumber(1, 3_650, OPTION.last()),
};

/**
 * The issue dates that were asked for, else the last `defaultCount` up to yesterday. A range may end up to 60 days ahead,
 * because receipts may be dated ahead; a note then says so, if there is a terminal.
 */
export function askedDays(
  { date, from, to, last: count }: Parsed<typeof DAY_OPTIONS>,
  nowMs: number,
  terminal: Pick<Terminal, 'stderr'> | undefined,
  defaultCount = 1,
  firstDay = FIRST_DAY,
): Day[] {
  const today = uruguayDay(nowMs);
  const isRange = from !== undefined || to !== undefined;
  if (Number(date !== undefined) + Number(count !== undefined) + Number(isRange) > 1)
    throw new WrongInputError(OPTION.oneOfDays());
  if ((from === undefined) !== (to === undefined)) {
    const missing = from === undefined ? 'from' : 'to';
    throw new WrongInputError(OPTION.endMissing(missing));
  }
  const day = date === undefined ? undefined : checkedDay('date', date);
  const first = day ?? checkedDay('from', from ?? addDays(today, -(count ?? defaultCount)));
  const last = day ?? checkedDay('to', to ?? addDays(today, -1));
  checkOrder(first, last);
  checkYear(first, firstDay);
  if (last > addDays(today, MAX_DAYS_AHEAD)) {
    throw new WrongInputError(OPTION.tooFarAhead(last, MAX_DAYS_AHEAD, today));
  }
  if (first > today) {
    throw new WrongInputError(OPTION.inTheFuture(first, last, today));
  }
  if (terminal !== undefined) noteFuture(last, today, terminal);
  return daysBetween(first, last);
}

export function checkYear(day: Day, firstDay = FIRST_DAY): void {
  if (day >= firstDay) return;
  throw new WrongInputError(OPTION.beforeReceipts(day, firstDay));
}

export function noteFuture(day: Day, today: Day, { stderr }: Pick<Terminal, 'stderr'>): void {
  if (day <= today) return;
  stderr.writeProblem(OPTION.datedAhead(day, today), OPTION.note(), 'warning');
}

export function checkOrder(from: Day, to: Day): void {
  if (from > to) throw new WrongInputError(OPTION.reversed(from, to));
}

export function checkedDay(option: string, text: string): Day {
  if (isDay(text)) return text;
  const reason = /^\d{4}-\d\d-\d\d$/.test(text) ? OPTION.noSuchDay() : OPTION.writeDay();
  throw new WrongInputError((language) =>
    OPTION.notADay(option, text, reason, meantText(dayMeant(text))(language))(language),
  );
}

/** The day that a person may have written as in Uruguay: `01/11/2026`, `1-11-2026`. */
function dayMeant(text: string): Day | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const meant = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(meant) ? meant : undefined;
}

/** ` Did you mean x?`, or nothing. */
function meantText(meant: string | undefined): Localized {
  return meant === undefined ? () => '' : OPTION.meant(meant);
}

export const PERIOD_OPTIONS = {
  month: oneValue('YYYY-MM', OPTION.onlyMonth()),
  from: oneValue('D', OPTION.onlyFrom()),
  to: oneValue('D', OPTION.onlyTo()),
};

/** The days that are asked for. Prints a note if all of them are in the future. Throws WrongInputError. */
export function askedPeriod(
  { month, from, to }: Parsed<typeof PERIOD_OPTIONS>,
  nowMs: number,
  terminal: Pick<Terminal, 'stderr'>,
): Period {
  if (month !== undefined && (from !== undefined || to !== undefined))
    throw new WrongInputError(OPTION.monthOrRange());
  const period = month === undefined ? checkedPeriod({ from, to }) : monthDays(month);
  if (period.from !== undefined) noteFuture(period.from, uruguayDay(nowMs), terminal);
  return period;
}

export function checkedPeriod(typed: { from?: string; to?: string }): Period {
  const from = typed.from === undefined ? undefined : checkedDay('from', typed.from);
  const to = typed.to === undefined ? undefined : checkedDay('to', typed.to);
  if (from !== undefined && to !== undefined) checkOrder(from, to);
  return { from, to };
}

export function monthDays(month: string): DayRange {
  const first = `${month}-01`;
  if (/^[12]\d{3}-(0[1-9]|1[0-2])$/.test(month) && isDay(first)) return monthOf(first);
  throw new WrongInputError((language) =>
    OPTION.notAMonth(month, meantText(monthMeant(month, Date.now()))(language))(language),
  );
}

/** The month that a person may have written as in Uruguay: `10/2026`, `2026-1`, `octubre`, `octubre de 2026`. */
function monthMeant(text: string, nowMs: number): string | undefined {
  const [, month = '', year = ''] = /^(\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const [, yearFirst = year, monthLast = month] = /^(\d{4})[/.-](\d{1,2})$/.exec(text) ?? [];
  const [, name = '', , yearOfName = ''] =
    /^(\p{L}{3,})( de| del)?\s*(\d{4})?$/u.exec(text.toLowerCase()) ?? [];
  const known = MONTH_NAMES.findIndex(
    (monthName) => name !== '' && monthName.startsWith(name.replace('sep', 'se')),
  );
  const number = known < 0 ? monthLast : String(known + 1);
  const today = uruguayDay(nowMs);
  const monthsYear = yearOfName || yearFirst || today.slice(0, 4);
  const meant = `${monthsYear}-${number.padStart(2, '0')}`;
  if (!isDay(`${meant}-01`)) return undefined;
  // Without a year, the last month of that name that has begun.
  const isAhead = known >= 0 && yearOfName === '' && `${meant}-01` > today;
  return isAhead ? `${Number(monthsYear) - 1}${meant.slice(4)}` : meant;
}

const LISTS = DIRECTIONS.join('|');

export const DIRECTION_OPTION = {
  direction: manyValues(LISTS, OPTION.onlyDirection(), DIRECTIONS),
};

export function askedDirections(names: readonly Direction[] = []): Direction[] {
  return DIRECTIONS.filter((direction) => names.length === 0 || names.includes(direction));
}

export const DETAIL_OPTIONS = {
  details: manyValues(LISTS, OPTION.details(), DIRECTIONS),
  'max-details-per-unit': wholeNumber(1, 10 ** 7, OPTION.maxDetails(DEFAULT_MAX_DETAILS_PER_UNIT)),
  'details-max-age-days': wholeNumber(1, 36_500, OPTION.detailsAge()),
};

/** The options for details; undefined if none are asked for. Throws WrongInputError. */
export function askedDetails(
  options: Parsed<typeof DETAIL_OPTIONS>,
  exported: readonly Direction[],
): DetailOptions | undefined {
  const { details: names, 'max-details-per-unit': most, 'details-max-age-days': age } = options;
  if (names === undefined) {
    if (most === undefined && age === undefined) return undefined;
    throw new WrongInputError(OPTION.whichDetails());
  }
  const unread = names.find((name) => !exported.includes(name));
  if (unread !== undefined) throw new WrongInputError(OPTION.detailsNeedList(unread));
  return {
    directions: askedDirections(names),
    maxPerUnit: most ?? DEFAULT_MAX_DETAILS_PER_UNIT,
    maxAgeDays: age,
  };
}

export const UI_OPTION = {
  ui: manyValues('YEAR=VALUE', OPTION.ui()),
};

export function askedUi(typed: readonly string[] = []): Map<number, string> {
  const values = new Map<number, string>();
  for (const text of typed) {
    const [, year, pesos, decimals] = /^(20\d\d)=(\d{1,3})\.(\d{1,6})$/.exec(text) ?? [];
    if (year === undefined || pesos === undefined || decimals === undefined)
      throw new WrongInputError(OPTION.wrongUi());
    const value = `${pesos}.${decimals}`;
    if ((values.get(Number(year)) ?? value) !== value) throw new WrongInputError(OPTION.twoUis(year));
    const millionths = BigInt(pesos + decimals.padEnd(6, '0'));
    const band = bandOf('UYI', `${Number(year) - 1}-12-31`);
    if (band !== undefined && (millionths < band.low || millionths > band.high))
      throw new WrongInputError(OPTION.unlikelyUi(text));
    values.set(Number(year), value);
  }
  return values;
}

export function checkedRut(text: string): Rut {
  if (isValidRut(text)) return text;
  throw notARut(text);
}

/** `near`: the RUT that was most likely meant, if one is known. */
export function notARut(text: string, near?: string, more: Localized = () => ''): WrongInputError {
  const digits = text.replaceAll(/[\s.-]/g, '');
  // A spreadsheet takes the zero in front of a number away.
  const meant = near ?? [digits, `0${digits}`].find(isValidRut);
  const why = rutProblem(text) ?? (() => '');
  return new WrongInputError((language) =>
    OPTION.notARut(
      text,
      why(language),
      (meant === undefined ? more : OPTION.meant(meant))(language),
    )(language),
  );
}
