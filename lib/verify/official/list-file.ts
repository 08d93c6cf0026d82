import { Worker } from 'node:worker_threads';
import { hasCode } from '../../system/errors.ts';
import { openAtOnce } from '../../system/private-files.ts';
import type { Said } from '../../text/language.ts';
import type { ListAnswer } from './list-worker.ts';
import { UNREADABLE } from './phrases.ts';
import type { RateList } from './rates.ts';
import type { ListFile } from './read-list.ts';
import type { OfficialList } from './receipts.ts';
import { UnreadableListError } from './table.ts';

/** A month of a large shop has a tenth of it. */
const MOST_BYTES = 50 * 2 ** 20;
const KNOWN_NAME = /\.(?:xlsx|xlsm|xls|csv|txt|tsv)$/i;
/** What the file may make of itself, whatever is in it. */
const MOST_HEAP_MB = 220;
const MOST_SECONDS = 20;

/**
 * Reads a list in a thread of its own, which the signal and the deadline end at once. Throws UnreadableListError, errors of the file
 * system, and the signal's reason.
 */
export async function readListFile(file: string, options: ReadingOptions): Promise<OfficialList> {
  const answer = await readFileAs('receipts', file, options);
  if (!('list' in answer)) throw new TypeError('a list was asked for');
  return answer.list;
}

/** The same of a file of exchange rates. */
export async function readRatesFile(file: string, options: ReadingOptions): Promise<RateList> {
  const answer = await readFileAs('rates', file, options);
  if (!('rates' in answer)) throw new TypeError('rates were asked for');
  return answer.rates;
}

interface ReadingOptions {
  sheet: string | undefined;
  signal: AbortSignal;
  /** When reading has taken too long, whatever is in the file. */
  deadline?: AbortSignal;
}

async function readFileAs(
  as: ListFile['as'],
  file: string,
  { sheet, signal, deadline = AbortSignal.timeout(MOST_SECONDS * 1000) }: ReadingOptions,
) {
  const unreadable: Unreadable = (reason, advice) =>
    new UnreadableListError(file, reason, as === 'rates', advice);
  const bytes = await plainFile(file, unreadable);
  if (!KNOWN_NAME.test(file)) throw unreadable(UNREADABLE.wrongName());
  const answer = await answerOf({ bytes, sheet, as }, { signal, deadline, unreadable });
  if ('reason' in answer) {
    const advice = answer.isTorn ? UNREADABLE.exportWithSemicolons() : undefined;
    throw unreadable((language) => answer.reason[language], advice);
  }
  return answer;
}

type Unreadable = (reason: Said, advice?: Said) => UnreadableListError;

/** Never more bytes than the bound, even of a file that grows or has no end. */
async function plainFile(path: string, unreadable: Unreadable): Promise<Uint8Array<ArrayBuffer>> {
  const special = () => unreadable('it is a device, a pipe or a socket, not a plain file');
  const file = await openAtOnce(path).catch((error: unknown) => {
    // A socket is not even opened; the second is what macOS says.
    throw hasCode(error, 'ENXIO') || hasCode(error, 'EOPNOTSUPP') ? special() : error;
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) {
      throw found.isDirectory() ? unreadable(UNREADABLE.folder()) : special();
    }
    if (found.size > MOST_BYTES) throw unreadable(UNREADABLE.larger('50 MB'));
    if (found.size === 0) throw unreadable(UNREADABLE.empty());
    const buffer = new Uint8Array(new ArrayBuffer(found.size));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Compiled code is beside the compiled worker. */
const WORKER = new URL(`./list-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

async function answerOf(
  list: ListFile & { bytes: Uint8Array<ArrayBuffer> },
  { signal, deadline, unreadable }: { signal: AbortSignal; deadline: AbortSignal; unreadable: Unreadable },
): Promise<ListAnswer> {
  signal.throwIfAborted();
  const endSignal = AbortSignal.any([signal, deadline]);
  const worker = new Worker(WORKER, {
    workerData: list,
    transferList: [list.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: 32 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ListAnswer>();
  const stop = () => reject(endSignal.reason);
  if (endSignal.aborted) stop();
  endSignal.addEventListener('abort', stop, { once: true });
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the thread that reads the list ended without an answer')));
  try {
    return await promise;
  } catch (error) {
    if (hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY'))
      throw unreadable(`reading it takes more than ${MOST_HEAP_MB} MB of memory`);
    if (error === deadline.reason && deadline.aborted)
      throw unreadable(`reading it takes more than ${MOST_SECONDS} seconds`);
    throw error;
  } finally {
    endSignal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
