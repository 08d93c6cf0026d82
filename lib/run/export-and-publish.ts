import { setTimeout as resolveAfter } from 'node:timers/promises';
import { AuditNotWrittenError } from '../audit/write.ts';
import { exportPlanned, newRun, type PlannedRunOptions } from '../export/run.ts';
import { FolderStore } from '../lake/store/folder.ts';
import type { DayProblem } from '../publish/publish-day.ts';
import { type OnDayEnd, type Publication, publishLagging } from '../publish/publish-days.ts';
import { messageOf } from '../system/errors.ts';
import { plural } from '../text/terminal.ts';
import { shortened } from '../text/text-table.ts';
import { DAY_MS } from '../time/days.ts';
import type { UnitResult } from '../units/unit.ts';

/** Most companies are idle on most days: two requests at a time then are all that each can have in flight. */
const COMPANIES_AT_ONCE = 32;
/** All companies together have as many requests in flight as this many busy ones. */
const BUSY_COMPANIES = 8;
/** A run that goes on so long is published meanwhile, and again once it has gone on three times as long, and seven. */
const FIRST_PUBLICATION_MS = 600_000;
/** No process takes as long to write a file. */
const LEFTOVER_MS = DAY_MS;

export interface LakeExport
  extends Omit<PlannedRunOptions, 'run' | 'companiesAtOnce' | 'maxInFlightInAll' | 'onDamagedPart'> {
  /** What is called at the end of the last unit, before the first day is published. */
  onExportEnd?: () => void;
  onDayEnd?: OnDayEnd;
  firstPublicationMs?: number;
  /** What the error of a store means; default: its message. */
  inWords?: (error: unknown) => string;
}

export interface ExportedRun {
  runId: string;
  /** The results of a run that has a fault: those so far, if they are known. */
  results: readonly UnitResult[];
  /** What ended the run early: the signal's reason, an AuditNotWrittenError, what the store threw. */
  fault: unknown;
  /** A line for each thing that could not be published, or read of the audit or the changes of any run. */
  problems: readonly string[];
}

/**
 * Exports units in one process. Then publishes, even if the run failed or was interrupted, so that the tables show what
 * it wrote. Throws only what its callbacks throw.
 */
export async function exportAndPublish({ onExportEnd, ...options }: LakeExport): Promise<ExportedRun> {
  const { session, store, maxInFlight } = options;
  const nowMs = session.clock.now();
  const run = newRun(nowMs);
  const problems: string[] = [];
  const work = async () => {
    if (store instanceof FolderStore) await store.removeLeftovers(nowMs - LEFTOVER_MS);
    return await exportPlanned({
      ...options,
      run,
      onDamagedPart: (reason) => problems.push(reason),
      companiesAtOnce: COMPANIES_AT_ONCE,
      maxInFlightInAll: BUSY_COMPANIES * maxInFlight,
    });
  };
  const over = new AbortController();
  const publishing = publishMeanwhile(options, over.signal);
  const [exporting] = await Promise.allSettled([work()]);
  over.abort();
  await publishing;
  onExportEnd?.();
  problems.push(...(await publishWaiting(options)));
  const runWords = { runId: run.id, problems };
  if (exporting.status === 'fulfilled') return { ...runWords, results: exporting.value, fault: undefined };
  const fault: unknown = exporting.reason;
  return { ...runWords, results: fault instanceof AuditNotWrittenError ? fault.results : [], fault };
}

/** One company may take hours: nobody else's receipts wait for it. The publication at the end tells what was amiss. */
async function publishMeanwhile(
  { store, writer, firstPublicationMs = FIRST_PUBLICATION_MS }: LakeExport,
  over: AbortSignal,
): Promise<void> {
  for (let waitMs = firstPublicationMs; ; waitMs *= 2) {
    await resolveAfter(waitMs, undefined, { signal: over, ref: false }).catch(() => undefined);
    if (over.aborted) return;
    const isTimeUp = () => over.aborted;
    await publishLagging(store, writer, { areUnitsWritten: true, isTimeUp }).catch(() => undefined);
  }
}

/**
 * Publishes the run's days, and those that earlier runs could not. Returns a line for each thing that could not be
 * published. Never throws.
 */
export async function publishWaiting({
  store,
  writer,
  onDayEnd,
  inWords = messageOf,
}: Pick<LakeExport, 'store' | 'writer' | 'onDayEnd' | 'inWords'>): Promise<string[]> {
  try {
    return publicationLines(await publishLagging(store, writer, { onDayEnd }));
  } catch (error) {
    return [
      `what was exported is kept, but not published: ${inWords(error)} The next export, or publish, publishes it.`,
    ];
  }
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
    (count) => `… and ${count} more like these.`,
  );
  if (remaining > 0)
    lines.push(`${plural(remaining, 'day was', 'days were')} left for the next publication.`);
  return lines;
}

function problemLine({ table, day, isRebuilt, reason }: DayProblem): string {
  return `${table.name}, day ${day}, ${isRebuilt ? 'was damaged' : 'is not published'}: ${reason}`;
}
