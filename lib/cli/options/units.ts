import { DEFAULT_MAX_DETAILS_PER_UNIT, type DetailOptions } from '../../export/export-tools.ts';
import { WrongInputError } from '../../system/errors.ts';
import { didYouMean } from '../../text/typed-words.ts';
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

// What is wrong with an option's value is a WrongInputError in each of these.

/** All are meant if none is named. */
export const RUTS_OPTION = { rut: manyValues('RUT', 'only this company') };

export const DAY_OPTIONS = {
  date: oneValue('D', 'issue date, YYYY-MM-DD (default: yesterday in Uruguay)'),
  from: oneValue('D', 'first issue date of a range'),
  to: oneValue('D', 'last issue date of a range, included; may be in the future'),
  last: wholeNumber(1, 3_650, 'the last N issue dates, up to yesterday in Uruguay'),
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
    throw new WrongInputError('Give only one of --date D, --last N, and --from D --to D.');
  if ((from === undefined) !== (to === undefined)) {
    const missing = from === undefined ? 'from' : 'to';
    throw new WrongInputError(`A range needs both ends: --${missing} D is missing.`);
  }
  const day = date === undefined ? undefined : checkedDay('date', date);
  const first = day ?? checkedDay('from', from ?? addDays(today, -(count ?? defaultCount)));
  const last = day ?? checkedDay('to', to ?? addDays(today, -1));
  checkOrder(first, last);
  checkYear(first, firstDay);
  if (last > addDays(today, MAX_DAYS_AHEAD)) {
    throw new WrongInputError(
      `${last} is more than ${MAX_DAYS_AHEAD} days ahead, where there are no receipts; today is ${today} in Uruguay.`,
    );
  }
  if (first > today) {
    throw new WrongInputError(
      `${first} is in the future: today is ${today} in Uruguay. Ask again when that day is over, or give --from ${today} --to ${last} for receipts already dated ahead.`,
    );
  }
  if (terminal !== undefined) noteFuture(last, today, terminal);
  return daysBetween(first, last);
}

export function checkYear(day: Day, firstDay = FIRST_DAY): void {
  if (day >= firstDay) return;
  throw new WrongInputError(
    `${day} is before the first electronic receipts (${firstDay}; in AWS the setting firstDay): check the year.`,
  );
}

export function noteFuture(day: Day, today: Day, { stderr }: Pick<Terminal, 'stderr'>): void {
  if (day <= today) return;
  stderr.writeProblem(
    `${day} is in the future (today is ${today} in Uruguay): such days have only receipts dated ahead.`,
    'Note:',
    'warning',
  );
}

function checkOrder(from: Day, to: Day): void {
  if (from > to) throw new WrongInputError(`The range is reversed: write --from ${to} --to ${from}.`);
}

export function checkedDay(option: string, text: string): Day {
  if (isDay(text)) return text;
  const reason = /^\d{4}-\d\d-\d\d$/.test(text) ? 'there is no such day' : 'write it as YYYY-MM-DD';
  throw new WrongInputError(`--${option} takes a day as YYYY-MM-DD, not "${text}": ${reason}.`);
}

export const PERIOD_OPTIONS = {
  month: oneValue('YYYY-MM', 'only this month, by issue date'),
  from: oneValue('D', 'only from this day on'),
  to: oneValue('D', 'only to this day, included'),
};

/** The days that are asked for. Prints a note if all of them are in the future. Throws WrongInputError. */
export function askedPeriod(
  { month, from, to }: Parsed<typeof PERIOD_OPTIONS>,
  nowMs: number,
  terminal: Pick<Terminal, 'stderr'>,
): Period {
  if (month !== undefined && (from !== undefined || to !== undefined))
    throw new WrongInputError('Give either --month YYYY-MM, or --from D and --to D.');
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
  throw new WrongInputError(`--month takes a month as YYYY-MM, not "${month}".`);
}

const LISTS = DIRECTIONS.join('|');

export const DIRECTION_OPTION = {
  direction: manyValues(LISTS, 'only this direction (default: both)', DIRECTIONS),
};

export function askedDirections(names: readonly Direction[] = []): Direction[] {
  return DIRECTIONS.filter((direction) => names.length === 0 || names.includes(direction));
}

export const DETAIL_OPTIONS = {
  details: manyValues(LISTS, 'also read these receipts in full, one request each', DIRECTIONS),
  'max-details-per-unit': wholeNumber(
    1,
    10 ** 7,
    `only of days with at most N (default ${DEFAULT_MAX_DETAILS_PER_UNIT})`,
  ),
  'details-max-age-days': wholeNumber(1, 36_500, 'read details again that are older (default: changed ones)'),
};

/** The options for details; undefined if none are asked for. Throws WrongInputError. */
export function askedDetails(
  options: Parsed<typeof DETAIL_OPTIONS>,
  exported: readonly Direction[],
): DetailOptions | undefined {
  const { details: names, 'max-details-per-unit': most, 'details-max-age-days': age } = options;
  if (names === undefined) {
    if (most === undefined && age === undefined) return undefined;
    throw new WrongInputError('Details of which receipts? Add --details recibidos or --details emitidos.');
  }
  const unread = names.find((name) => !exported.includes(name));
  if (unread !== undefined)
    throw new WrongInputError(`--details ${unread} needs the list too: add --direction ${unread}.`);
  return {
    directions: askedDirections(names),
    maxPerUnit: most ?? DEFAULT_MAX_DETAILS_PER_UNIT,
    maxAgeDays: age,
  };
}

export const UI_OPTION = {
  ui: manyValues('YEAR=VALUE', "the UI of 31 December before that year, for e-Tickets' limit"),
};

export function askedUi(typed: readonly string[] = []): Map<number, string> {
  const values = new Map<number, string>();
  for (const text of typed) {
    const [, year, value] = /^(20\d\d)=(\d{1,3}\.\d{1,6})$/.exec(text) ?? [];
    if (year === undefined || value === undefined)
      throw new WrongInputError('--ui takes a year and a decimal: --ui 2026=6.4208');
    if ((values.get(Number(year)) ?? value) !== value)
      throw new WrongInputError(`--ui gives two values for ${year}.`);
    values.set(Number(year), value);
  }
  return values;
}

export function checkedRut(text: string): Rut {
  if (isValidRut(text)) return text;
  throw notARut(text);
}

/** `near`: the RUT that was most likely meant, if one is known. */
export function notARut(text: string, near?: string, more = ''): WrongInputError {
  const digits = text.replaceAll(/[\s.-]/g, '');
  const meant = didYouMean(near ?? (isValidRut(digits) ? digits : undefined));
  return new WrongInputError(`--rut ${text} is not a RUT: ${rutProblem(text)}.${meant || more}`);
}
