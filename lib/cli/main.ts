import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CfeLakeError, WrongInputError } from '../system/errors.ts';
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
 * Asks a person at the terminal and gives the answer; undefined where nobody can answer. Rejects when aborted, and at the
 * end of the input. As readline's terminal, because without it a pasted line is cut after 4,096 characters, and one
 * that is to be hidden is shown; the terminal is as it was between two questions.
 */
export function askAtTerminal(signal: AbortSignal): Terminal['ask'] {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  /** Lines that were pasted at once, and not asked for yet; then the beginning of another. */
  const typed: string[] = [];
  let begun = '';
  return async (question, isHidden = false) => {
    signal.throwIfAborted();
    const pasted = typed.shift();
    if (pasted !== undefined) {
      stderr.write(`${question}${isHidden ? '' : pasted}\n`);
      return pasted;
    }
    const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
    // From here on the terminal itself shows nothing.
    const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    if (isHidden) stderr.write(question);
    try {
      // It keeps Ctrl-C to itself.
      lines.on('SIGINT', () => process.emit('SIGINT', 'SIGINT'));
      lines.on('line', (line) => typed.push(line));
      const ended = ['line', 'close'].map((event) => once(lines, event, { signal }));
      lines.setPrompt(isHidden ? '' : question);
      lines.prompt();
      lines.write(begun);
      await Promise.race(ended);
      begun = lines.line;
      const answer = typed.shift();
      if (answer === undefined)
        throw new CfeLakeError('The input ended before an answer.', { advice: 'Run the command again.' });
      return answer;
    } finally {
      lines.close();
      if (isHidden) stderr.write('\n');
    }
  };
}
