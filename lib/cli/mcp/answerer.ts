import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeHeldFor, removeScratch } from '../../query/lake-files.ts';
import { Semaphore } from '../../system/concurrency.ts';
import { messageOf } from '../../system/errors.ts';
import { hasOtherOwner } from '../../system/private-folders.ts';
import { BEGUN, SCRATCH_PREFIX } from './limits.ts';
import type { Given } from './tools.ts';

/** A question to a process of its own. */
export interface AskedTool {
  /** The lake's address. */
  lake: string;
  name: string;
  given: Given;
}

export interface ToolAnswer {
  text: string;
  isError: boolean;
}

/** Compiled code is beside the compiled program. */
const PROCESS = new URL(
  `./answer-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

/**
 * Answers one question at a time in a process that is killed if it takes too long or too much memory, or if nobody waits
 * for it any more: some of DuckDB's work can't be interrupted.
 */
export class Answerer {
  readonly #turn = new Semaphore(1);
  readonly #timeoutMs: number;
  #process: { child: ChildProcess; scratch: string; hasAnswered: boolean } | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with the signal's reason once it is aborted. */
  async answer(asked: AskedTool, signal: AbortSignal): Promise<ToolAnswer> {
    await this.#turn.acquire(signal);
    try {
      return await this.#answered(asked, signal);
    } finally {
      this.#turn.release();
    }
  }

  close(): void {
    if (this.#process === undefined) return;
    const { child, scratch } = this.#process;
    this.#process = undefined;
    child.kill('SIGKILL');
    try {
      if (isOwn(scratch)) removeScratch(scratch);
      removeHeldFor(scratch);
    } catch {
      // What can't be removed now, a question of another day removes.
    }
  }

  async #answered(asked: AskedTool, signal: AbortSignal): Promise<ToolAnswer> {
    // What keeps a disk clean may have removed the folder, and others know its name since it was there.
    if (this.#process?.hasAnswered === true && !isOwn(this.#process.scratch)) this.close();
    // A process may have been killed while nobody asked it.
    const answer = (await this.#sent(asked, signal)) ?? (await this.#sent(asked, signal));
    return answer ?? { text: notStarted('it ended before it began'), isError: true };
  }

  /** Undefined if the process ended before it began with the question. */
  async #sent(asked: AskedTool, signal: AbortSignal): Promise<ToolAnswer | undefined> {
    // Its turn may have come with the same cancellation as its own.
    signal.throwIfAborted();
    this.#process ??= { ...started(), hasAnswered: false };
    const { child } = this.#process;
    if (child.pid === undefined) {
      // It is no process to kill, nor one to ask the next time.
      this.#process = undefined;
      const [error] = await once(child, 'error');
      return { text: notStarted(messageOf(error)), isError: true };
    }
    const { promise, resolve, reject } = Promise.withResolvers<ToolAnswer | undefined>();
    const timer = setTimeout(() => {
      const text = `The question took more than ${this.#timeoutMs / 1000} seconds. ${ASK_LESS}`;
      resolve({ text, isError: true });
      this.close();
    }, this.#timeoutMs);
    const onAbort = () => {
      reject(signal.reason);
      this.close();
    };
    let hasBegun = false;
    const onExit = () => {
      resolve(hasBegun ? { text: TOO_MUCH_MEMORY, isError: true } : undefined);
      // The next one may have begun.
      if (this.#process?.child === child) this.close();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('message', (message: typeof BEGUN | ToolAnswer) => {
      if (message === BEGUN) hasBegun = true;
      else resolve(message);
    });
    child.once('exit', onExit).once('error', reject);
    child.send(asked, (error) => (error === null ? undefined : onExit()));
    try {
      const answer = await promise;
      if (this.#process !== undefined) this.#process.hasAnswered = true;
      return answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.removeAllListeners();
    }
  }
}

const ASK_LESS = 'It was ended. Restrict fecha, ask for sums, or leave rows out in SQL.';
const TOO_MUCH_MEMORY = `The question took too much memory. ${ASK_LESS}`;

function notStarted(why: string): string {
  return `The process that answers could not be started: ${why}. Ask again once this user of the machine may have more processes and files.`;
}

/** Whether there is a folder of this user's. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && !hasOtherOwner(found);
}

/**
 * What it spills and holds is in a folder of its own, which it makes and which goes with it. Other users of the machine
 * see the arguments of a process, but not its environment: none can guess the folder's name and make it first.
 */
function started() {
  const scratch = join(tmpdir(), `${SCRATCH_PREFIX}${randomUUID()}`);
  const env = { ...process.env, TMPDIR: scratch, TEMP: scratch, TMP: scratch };
  const child = fork(fileURLToPath(PROCESS), { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return { child, scratch };
}
