import { parentPort, workerData } from 'node:worker_threads';
import type { Language } from '../../text/language.ts';
import { type RateList, readRates } from './rates.ts';
import { type ListFile, readList } from './read-list.ts';
import type { OfficialList } from './receipts.ts';
import { TornTableError, UnreadableTableError } from './table.ts';

/** What the worker answers: a list, or why the file is none. Any other error is a fault of this program. */
export type ListAnswer =
  | { list: OfficialList }
  | { rates: RateList }
  | { reason: Record<Language, string>; isTorn: boolean };

async function answerTo(file: ListFile): Promise<ListAnswer> {
  try {
    return file.as === 'rates' ? { rates: await readRates(file) } : { list: await readList(file) };
  } catch (error) {
    if (error instanceof UnreadableTableError) {
      const reason = { en: error.said('en'), es: error.said('es') };
      return { reason, isTorn: error instanceof TornTableError };
    }
    throw error;
  }
}

const answer = await answerTo(workerData);
parentPort?.postMessage(answer);
