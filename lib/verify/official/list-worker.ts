import { parentPort, workerData } from 'node:worker_threads';
import { type RateList, readRates } from './rates.ts';
import { type ListFile, readList } from './read-list.ts';
import type { OfficialList } from './receipts.ts';
import { UnreadableTableError } from './table.ts';

/** What the worker answers: a list, or why the file is none. Any other error is a fault of this program. */
export type ListAnswer = { list: OfficialList } | { rates: RateList } | { reason: string };

async function answerTo(file: ListFile): Promise<ListAnswer> {
  try {
    return file.as === 'rates' ? { rates: await readRates(file) } : { list: await readList(file) };
  } catch (error) {
    if (error instanceof UnreadableTableError) return { reason: error.message };
    throw error;
  }
}

const answer = await answerTo(workerData);
parentPort?.postMessage(answer);
