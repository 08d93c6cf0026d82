import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { decodedChunk, expectKind } from './decode.ts';
import { expectThat, findFooter, parsedFooter, WrongBytesError } from './footer.ts';

/**
 * A file that is older than checksums. A changed byte may make its decoder go on for ever or fill the memory, so it is
 * decoded once in a thread of its own, which can be ended, before it is read. When it is next written it gets a checksum.
 */

const TASK = 'cfe-lake: decode a file';
const Task = v.object({ task: v.literal(TASK), bytes: v.instance(Uint8Array<ArrayBuffer>) });
const Answer = v.object({ damage: v.optional(v.string()) });

const BASE_TIME_MS = 30_000;
const TIME_PER_MB_MS = 1000;
const MAX_HEAP_MB = 1024;

/** Throws WrongBytesError if the whole file can't be decoded within its time and memory. */
export async function expectDecodable(
  bytes: Uint8Array<ArrayBuffer>,
  timeoutMs = BASE_TIME_MS + Math.ceil(bytes.length / 2 ** 20) * TIME_PER_MB_MS,
): Promise<void> {
  // This module again, or the bundle that it is in: it finds its task below.
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { task: TASK, bytes },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  try {
    const [answer] = await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    const { damage } = v.parse(Answer, answer);
    expectThat(damage === undefined, damage ?? '');
  } catch (error) {
    if (error instanceof WrongBytesError) throw error;
    throw new WrongBytesError('decoding it does not end', { cause: error });
  } finally {
    await worker.terminate();
  }
}

const given = v.safeParse(Task, workerData);
if (!isMainThread && given.success) {
  const tell = (answer: v.InferOutput<typeof Answer>) => parentPort?.postMessage(answer);
  decodeAll(given.output.bytes).then(
    () => tell({}),
    (error: unknown) =>
      tell({ damage: error instanceof WrongBytesError ? error.message : 'it cannot be read' }),
  );
}

async function decodeAll(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const slice = (start: number, end?: number) => new Uint8Array(bytes.subarray(start, end)).buffer;
  const { rowGroups } = parsedFooter(await findFooter({ byteLength: bytes.length, slice }));
  for (const { chunks } of rowGroups) {
    for (const chunk of chunks.values()) {
      expectKind(await decodedChunk(chunk, bytes.slice(chunk.start, chunk.end)), chunk.column.type);
    }
  }
}
