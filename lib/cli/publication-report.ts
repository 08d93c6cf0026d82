import type { DayProblem } from '../publish/publish-day.ts';
import type { Publication } from '../publish/publish-lagging.ts';

const PROBLEMS_NAMED = 20;

/** A line for each thing that could not be published; none when all is well. */
export function publicationLines({
  problems,
  remaining,
}: Pick<Publication, 'problems' | 'remaining'>): string[] {
  const lines = problems.slice(0, PROBLEMS_NAMED).map(problemLine);
  if (problems.length > lines.length) lines.push(`… and ${problems.length - lines.length} more like these.`);
  if (remaining > 0) lines.push(`${remaining} days were left for the next publication.`);
  return lines;
}

function problemLine({ table, fecha, rut, isMadeAnew, reason }: DayProblem): string {
  const ofDay = isMadeAnew ? 'was damaged' : 'is not published';
  const whose = rut === undefined ? ofDay : `keeps the rows of before of ${rut}`;
  return `${table.name}, day ${fecha}, ${whose}: ${reason}`;
}

/** What was done, in one sentence. */
export function publicationSummary({ written, unchanged }: Publication, address: string): string {
  return `${written} days of tables published, ${unchanged} were right already, in ${address}.`;
}
