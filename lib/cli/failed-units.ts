import type { UnitResult } from '../export/units.ts';
import { printableLine } from '../text/printable.ts';
import { dayRanges } from '../time/day-ranges.ts';

/** More reasons than these are counted only. */
const MOST_REASONS = 20;
const MOST_RANGES = 5;
const MOST_RUTS = 5;

/** What a request's error says first: of which list, day and page. */
const CONTEXT = /^(recibidos|emitidos) of \d{12}(, (days?|page|receipt) [\d.-]+)*: /;

/** What of a unit is told when it failed. */
export type FailedUnit = Pick<UnitResult, 'rut' | 'direccion' | 'fecha' | 'error'>;

/** Why units failed, a line a reason: an API that is down fails a thousand alike. */
export function reasonLines(failed: readonly FailedUnit[]): string[] {
  const byReason = Map.groupBy(failed, ({ error = '' }) => withoutContext(error));
  const lines = [...byReason].map(([reason, units]) => `  ${whichOf(units)}: ${reason}`).sort();
  const rest = lines.length - MOST_REASONS;
  return [
    ...lines.slice(0, MOST_REASONS),
    ...(rest > 0 ? [`  … and ${rest} more reasons; --json has them all`] : []),
  ];
}

/** What an API error says, in one line, without of what; so that equal ones are told once. */
export function withoutContext(message: string): string {
  return printableLine(message.replace(CONTEXT, ''));
}

/** `2026-11-19 emitidos of 219999830019`, or the same of many units. */
function whichOf(units: readonly FailedUnit[]): string {
  const ranges = dayRanges(units.map(({ fecha }) => fecha));
  const days = [...ranges.slice(0, MOST_RANGES), ...(ranges.length > MOST_RANGES ? ['…'] : [])].join(', ');
  const directions = [...new Set(units.map(({ direccion }) => direccion))].sort().join(' and ');
  const ruts = [...new Set(units.map(({ rut }) => rut))].sort();
  const companies = ruts.length > MOST_RUTS ? `${ruts.length} companies` : ruts.join(', ');
  return `${days} ${directions} of ${companies}`;
}
