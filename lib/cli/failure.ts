import { ApiError } from '../api/errors.ts';
import { CfeLakeError, EXIT_FAILED, type ExitCode, isEngineError, systemFaultOf } from '../errors.ts';
import type { DayProblem } from '../publish/publish-day.ts';
import type { Publication } from '../publish/publish-days.ts';
import { plural, printableLine } from '../text/terminal.ts';
import { shortened } from '../text/text-table.ts';
import { dayRanges } from '../time/days.ts';
import type { UnitResult } from '../units.ts';

/** What to tell a person about an error, and the exit code. */
export function failureOf(error: unknown): { message: string; exitCode: ExitCode } {
  const fault = systemFaultOf(error);
  if (fault !== undefined) {
    const place = fault.path === undefined ? '' : `${fault.path}: `;
    return { message: `${place}${fault.reason}. ${fault.advice}.`, exitCode: fault.exitCode };
  }
  if (!(error instanceof Error) || isEngineError(error) || error.message.trim() === '') {
    return { message: unforeseen(error), exitCode: EXIT_FAILED };
  }
  // The error of a unit that is being exported is a result, and not thrown.
  if (error instanceof ApiError) {
    return { message: printableLine(`${error.whatHappened} ${error.remedy}`), exitCode: error.exitCode };
  }
  // A library's message may have a drawing below its text.
  const message = error.message.split('\n\n')[0] ?? '';
  if (!(error instanceof CfeLakeError)) return { message: printableLine(message), exitCode: EXIT_FAILED };
  return { message: error.isMultiline ? message : printableLine(message), exitCode: error.exitCode };
}

/** For unexpected errors: the engine's message alone says neither what it means nor what to do. */
function unforeseen(error: unknown): string {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const words = typeof error === 'string' ? error : message;
  const what = printableLine(words.split('\n')[0]?.trim() || name || 'no reason was given');
  const kind = name === '' || name === 'Error' || name === what ? '' : ` (${name})`;
  return (
    `Unexpected error: ${what.replace(/\.$/, '')}${kind}. Unfinished work is as it was before. Run the command again; ` +
    'with --debug it shows where it failed.'
  );
}

/** Any further reasons are only counted. */
const MOST_REASONS = 20;
const MOST_RANGES = 5;
const MOST_RUTS = 5;

/** How a request's error begins: its list, day and page. */
const CONTEXT = /^(recibidos|emitidos) of \d{12}(, (days?|page|receipt) [\d.-]+)*: /;

export type FailedUnit = Pick<UnitResult, 'rut' | 'direction' | 'day' | 'error'>;

/** Why units failed, one line per reason: an API that is down fails a thousand units alike. */
export function reasonLines(failed: readonly FailedUnit[]): string[] {
  const byReason = Map.groupBy(failed, ({ error = '' }) => withoutContext(error));
  const lines = [...byReason].map(([reason, units]) => `  ${whichOf(units)}: ${reason}`).sort();
  return shortened(
    lines,
    MOST_REASONS,
    (rest) => `  … and ${plural(rest, 'more reason')}; --json has them all`,
  );
}

/** An API error's message in one line, without its list, day and page, so that equal ones are shown once. */
export function withoutContext(message: string): string {
  return printableLine(message.replace(CONTEXT, ''));
}

/** `2026-11-19 emitidos of 219999830019`, or the same of many units. */
function whichOf(units: readonly FailedUnit[]): string {
  const ranges = dayRanges(units.map(({ day }) => day));
  const days = shortened(ranges, MOST_RANGES, () => '…').join(', ');
  const directions = [...new Set(units.map(({ direction }) => direction))].sort().join(' and ');
  const ruts = [...new Set(units.map(({ rut }) => rut))].sort();
  return `${days} ${directions} of ${companiesText(ruts)}`;
}

/** A few RUTs, or the number of many. */
export function companiesText(ruts: readonly string[]): string {
  return ruts.length > MOST_RUTS ? `${ruts.length} companies` : ruts.join(', ');
}

const PROBLEMS_NAMED = 20;

/** A line for each thing that could not be published; none if all is well. */
export function publicationLines({
  problems,
  remaining,
}: Pick<Publication, 'problems' | 'remaining'>): string[] {
  const lines = shortened(
    problems.map(problemLine),
    PROBLEMS_NAMED,
    (rest) => `… and ${rest} more like these.`,
  );
  if (remaining > 0)
    lines.push(`${plural(remaining, 'day was', 'days were')} left for the next publication.`);
  return lines;
}

function problemLine({ table, day, rut, isRebuilt, isStillRecorded, reason }: DayProblem): string {
  const ofPublished = isStillRecorded ? 'is published, but still recorded as lagging' : 'is not published';
  const ofDay = isRebuilt ? 'was damaged' : ofPublished;
  const whose = rut === undefined ? ofDay : `keeps the earlier rows of ${rut}`;
  return `${table.name}, day ${day}, ${whose}: ${reason}`;
}
