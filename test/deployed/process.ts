import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { CfeLakeError } from '../../lib/system/errors.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export interface ProcessPlace {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs a program to its end. Throws the system's error if it can't be started. */
export async function run(
  program: string,
  words: readonly string[],
  { cwd, env }: ProcessPlace,
): Promise<Ended> {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code: typeof code === 'number' ? code : 1, stdout, stderr };
}

/** Something is not as it is promised. */
export class PlayFailedError extends CfeLakeError {
  override name = 'PlayFailedError';
}

/** Throws PlayFailedError, with what a program printed, unless it ended with this code. */
export function ended(what: string, { code, stdout, stderr }: Ended, expected = 0): string {
  if (code === expected) return stdout;
  const last = `${stdout}\n${stderr}`.trimEnd().split('\n').slice(-30).join('\n');
  throw new PlayFailedError(`${what} ended with ${code}, not ${expected}:\n${last}`, { isMultiline: true });
}

export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [foundText, expectedText] = [found, expected].map((value) => JSON.stringify(value));
  if (foundText !== expectedText) throw new PlayFailedError(`${what}: ${foundText}, not ${expectedText}.`);
}

/** Asks until there is an answer. Throws PlayFailedError after the time. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  mostMs = 900_000,
): Promise<T> {
  const endMs = performance.now() + mostMs;
  while (performance.now() < endMs) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new PlayFailedError(`${what}: not within ${mostMs / 1000} s.`);
}
