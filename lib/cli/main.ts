import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { WrongInputError } from '../system/errors.ts';
import { printableLine } from '../text/terminal.ts';
import { holdsJsonWebToken } from '../text/typed-words.ts';
import type { Terminal } from './command.ts';
import { runCommand } from './command-line.ts';
import { type OutputStream, Printer, READER_GONE, TOLD_HOW_TO_GO_ON, tellFailure } from './printer.ts';

const EXIT_INTERRUPTED = 130;

/** The process's streams; commands write to them through Printer. */
interface ProgramStreams {
  stdout: OutputStream;
  stderr: OutputStream;
  stdin?: Terminal['stdin'];
  ask?: Terminal['ask'];
  signal: AbortSignal;
}

/** Runs the words of a command line. Returns the exit code. Never throws. */
export async function main(
  words: readonly string[],
  { stdout, stderr, stdin, ask, signal }: ProgramStreams,
  version: string,
): Promise<number> {
  const others = new Set<string>();
  const terminal = { stdout: new Printer(stdout), stderr: new Printer(stderr), stdin, ask, others, signal };
  try {
    assertNoToken(words);
    return await runCommand(
      words.filter((word) => word !== '--debug'),
      terminal,
      version,
    );
  } catch (error) {
    if (!signal.aborted) return tellFailure(error, terminal.stderr, words.includes('--debug'));
    if (signal.reason === READER_GONE) return 0;
    const advice = error === TOLD_HOW_TO_GO_ON ? '' : ' Run the command again to go on.';
    terminal.stderr.writeProblem(`unfinished work is as it was before.${advice}`, 'Interrupted:', 'warning');
    return EXIT_INTERRUPTED;
  } finally {
    if (others.size > 0) terminal.stderr.writeProse(`${othersNote(others)}\n`);
  }
}

const MOST_NAMED = 5;

function othersNote(others: ReadonlySet<string>): string {
  const named = [...others].sort().slice(0, MOST_NAMED).map(printableLine);
  const more = others.size > named.length ? `, and ${others.size - named.length} more` : '';
  return (
    `Not read, because this program did not write ${others.size === 1 ? 'it' : 'them'} (a copy that a synchroniser made, ` +
    `a link, another name): ${named.join(', ')}${more}. Move ${others.size === 1 ? 'it' : 'them'} out of the lake.`
  );
}

/** An option that is not there: what follows it is a token of any kind. */
const TOKEN_OPTION = /^--?tokens?(=|$)/i;

function assertNoToken(words: readonly string[]): void {
  if (!words.some((word) => holdsJsonWebToken(word) || TOKEN_OPTION.test(word))) return;
  throw new WrongInputError(
    'There is a token among the words. Tokens belong only in the file that --companies names: others on this ' +
      'machine may have seen this one, so renew it.',
  );
}

/**
 * Asks a person at the terminal and gives the answer, empty at the end of the input; undefined where nobody can answer.
 * Rejects when aborted. Not as readline's terminal, which would keep Ctrl-C to itself.
 */
export function askAtTerminal(signal: AbortSignal): ((question: string) => Promise<string>) | undefined {
  if (!process.stdin.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    try {
      const ended = once(lines, 'close', { signal }).then(() => '');
      return await Promise.race([lines.question(question, { signal }), ended]);
    } finally {
      lines.close();
    }
  };
}
