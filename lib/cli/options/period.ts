import { addDays, uruguayDay } from '../../time/days.ts';
import type { Terminal } from '../command.ts';
import type { Option, Parsed } from '../option.ts';
import { quoted } from '../typed-word.ts';
import { UsageError } from '../usage.ts';
import { checkedDay, checkOrder, noteFuture } from './days.ts';

export const PERIOD_OPTIONS = {
  month: { kind: 'value', placeholder: 'YYYY-MM', help: 'only this month, by issue date' },
  from: { kind: 'value', placeholder: 'D', help: 'only from this day on' },
  to: { kind: 'value', placeholder: 'D', help: 'only to this day, included' },
} as const satisfies Record<string, Option>;

/** Days of issue, both included; an end that is left out is open. */
export interface Period {
  from?: string;
  to?: string;
}

/** The days that are asked for; a note says when they are all still to come. Throws UsageError. */
export function askedPeriod(
  options: Parsed<typeof PERIOD_OPTIONS>,
  nowMs: number,
  terminal: Pick<Terminal, 'stderr'>,
): Period {
  const period = typedPeriod(options);
  if (period.from !== undefined) noteFuture(period.from, uruguayDay(nowMs), terminal);
  return period;
}

function typedPeriod({ month, from, to }: Parsed<typeof PERIOD_OPTIONS>): Period {
  if (month !== undefined) {
    if (from !== undefined || to !== undefined) {
      throw new UsageError('Give either --month YYYY-MM, or --from D and --to D.');
    }
    return monthDays(month);
  }
  if (from !== undefined) checkedDay('from', from);
  if (to !== undefined) checkedDay('to', to);
  if (from !== undefined && to !== undefined) checkOrder(from, to);
  return { from, to };
}

/** The first and the last day of a month that was typed. Throws UsageError. */
export function monthDays(month: string): { from: string; to: string } {
  if (!/^[12]\d{3}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new UsageError(`--month takes a month as YYYY-MM, not ${quoted(month)}.`);
  }
  const from = `${month}-01`;
  // 31 days after its first day is always within the next month, or is its first.
  const next = `${addDays(from, 31).slice(0, 7)}-01`;
  return { from, to: addDays(next, -1) };
}
