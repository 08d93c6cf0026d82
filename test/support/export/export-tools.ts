import { HeldDetails } from '../../../lib/export/details/held-details.ts';
import { type ExportTools, NO_DETAILS } from '../../../lib/export/export-tools.ts';
import { newFacts } from '../../../lib/export/reading/service-facts.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { Mutex, Semaphore } from '../../../lib/system/concurrency.ts';
import { systemClock } from '../../../lib/time/clock.ts';

/** Tools for an export, with defaults: one invocation, no details, no publishing. */
export function exportTools(
  given: Pick<ExportTools, 'client' | 'store' | 'run'> & Partial<ExportTools>,
): ExportTools {
  return {
    facts: newFacts(),
    writer: writeWithHyparquet,
    marks: { around: (_table, _day, write) => write(), unlessPublished: async () => undefined },
    details: NO_DETAILS,
    detailMutex: new Mutex(),
    largeUnits: new Semaphore(1),
    heldDetails: new HeldDetails(),
    clock: systemClock,
    signal: new AbortController().signal,
    isTimeUp: () => false,
    ...given,
  };
}
