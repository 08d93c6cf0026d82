import { addDays, daysBetween, isDay, MAX_DAYS_AHEAD, uruguayDay } from '../../time/days.ts';
import { type Option, type Terminal, UsageError } from '../command.ts';
import { quoted } from '../typed-word.ts';

export const DAY_OPTIONS = {
  date: { kind: 'value', placeholder: 'D', help: 'issue date, YYYY-MM-DD (default: yesterday in Uruguay)' },
  from: { kind: 'value', placeholder: 'D', help: 'first issue date of a range' },
  to: { kind: 'value', placeholder: 'D', help: 'last issue date of a range, included; may lie ahead' },
} as const satisfies Record<string, Option>;

/** Receipts were not electronic yet; a day before it is a typing error. */
const FIRST_DAY = '2010-01-01';

/**
 * The issue dates that were asked for; else the last `defaultCount` up to yesterday. A range may end up to 60 days
 * ahead, since receipts may be dated so; a note says that it does. Throws UsageError.
 */
export function askedDays(
  { date, from, to }: { date?: string; from?: string; to?: string },
  nowMs: number,
  terminal: Pick<Terminal, 'stderr'>,
  defaultCount = 1,
): string[] {
  const today = uruguayDay(nowMs);
  if (date !== undefined && (from !== undefined || to !== undefined)) {
    throw new UsageError('Give either --date D, or --from D --to D.');
  }
  if ((from === undefined) !== (to === undefined)) {
    throw new UsageError(`A range takes both ends; --${from === undefined ? 'from' : 'to'} D is missing.`);
  }
  const yesterday = addDays(today, -1);
  const first = checkedDay(
    date === undefined ? 'from' : 'date',
    date ?? from ?? addDays(today, -defaultCount),
  );
  const last = checkedDay(date === undefined ? 'to' : 'date', date ?? to ?? yesterday);
  checkOrder(first, last);
  if (first < FIRST_DAY) {
    throw new UsageError(`${first} is before there were electronic receipts (${FIRST_DAY}): check the year.`);
  }
  if (last > addDays(today, MAX_DAYS_AHEAD)) {
    throw new UsageError(
      `${last} is more than ${MAX_DAYS_AHEAD} days ahead, where no receipt is; today is ${today} in Uruguay.`,
    );
  }
  if (first > today) {
    throw new UsageError(
      `${first} is in the future: today is ${today} in Uruguay. Ask again when that day is over, or give --from ${today} --to ${last} for what is already dated ahead.`,
    );
  }
  noteFuture(last, today, terminal);
  return daysBetween(first, last);
}

/** Says so when a day that was asked for is still to come. */
export function noteFuture(day: string, today: string, { stderr }: Pick<Terminal, 'stderr'>): void {
  if (day <= today) return;
  stderr.writeProblem(
    `${day} is in the future, today is ${today} in Uruguay: days to come have only what is already dated ahead.`,
    'Note:',
    'warning',
  );
}

/** Throws UsageError. */
export function checkOrder(from: string, to: string): void {
  if (from > to) throw new UsageError(`The range is reversed: write --from ${to} --to ${from}.`);
}

/** The text, which is a day. Throws UsageError. */
export function checkedDay(option: string, text: string): string {
  if (!isDay(text)) {
    const reason = /^\d{4}-\d\d-\d\d$/.test(text) ? 'there is no such day' : 'write it as YYYY-MM-DD';
    throw new UsageError(`--${option} takes a day as YYYY-MM-DD, not ${quoted(text)}: ${reason}.`);
  }
  return text;
}
