import { spawnSync } from 'node:child_process';
import { CfeLakeError } from '../system/errors.ts';
import type { Localized } from '../text/language.ts';
import type { Nightly } from './nightly.ts';
import { SCHEDULER } from './phrases.ts';

/** What starts programs at night on a machine, for this user. */
export interface Scheduler {
  /** Its name in the middle of a sentence. */
  name: Localized;
  /** What a person has to do beside it. */
  note?: Localized;
  /** What to write, for whoever does it by hand. */
  text(nightly: Nightly): string;
  /** Puts the nightly lines in, in place of this folder's earlier ones. Throws CfeLakeError. */
  install(nightly: Nightly): Promise<void>;
  /** Takes them out, and nothing else. Whether there were any. Throws CfeLakeError. */
  remove(nightly: Nightly): Promise<boolean>;
}

/** Runs a program of the system to its end; undefined where there is none. Bytes are Latin 1, so that none is changed. */
export type Run = (
  words: readonly string[],
  input?: string,
) => { code: number; stdout: string; stderr: string } | undefined;

export const runOnSystem: Run = ([program = '', ...words], input = '') => {
  const options = { env: { ...process.env, LC_ALL: 'C' }, input: Buffer.from(input, 'latin1') };
  const { error, status, stdout, stderr } = spawnSync(program, words, { ...options, encoding: 'latin1' });
  return error === undefined ? { code: status ?? 1, stdout, stderr } : undefined;
};

/** The same of a program that must succeed. Throws CfeLakeError. */
export function runOrThrow(run: Run, words: readonly string[], input?: string): void {
  const ran = run(words, input);
  if (ran?.code === 0) return;
  const why = ran === undefined ? '' : `: ${ran.stderr.trim()}`;
  throw new CfeLakeError(SCHEDULER.failed(words[0] ?? '', why), { advice: SCHEDULER.byHand() });
}
