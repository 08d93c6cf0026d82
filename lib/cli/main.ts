import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CfeLakeError } from '../errors.ts';
import { PROGRAM } from '../program.ts';
import { wrapped } from '../text/terminal.ts';
import { holdsToken } from '../text/typed-words.ts';
import { helpOf, type Terminal, ToldInterruption } from './command.ts';
import { COMMAND_NAMES, COMMANDS, commandName } from './commands.ts';
import { failureOf } from './failure.ts';
import { type OutputStream, Printer } from './printer.ts';
import { didYouMean, nearest, quoted, UsageError } from './usage.ts';

const EXIT_INTERRUPTED = 130;
const HELP_WORDS = ['--help', '-h'];
const VERSION_WORDS = ['--version', '-v', '-V', 'version'];

/** The reader closed the output (`… | head`): nothing more is written. */
export class ReaderGoneError extends CfeLakeError {
  override name = 'ReaderGoneError';
}

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
  const terminal = { stdout: new Printer(stdout), stderr: new Printer(stderr), stdin, ask, signal };
  const isDebugging = words.includes('--debug');
  try {
    return await carryOut(
      words.filter((word) => word !== '--debug'),
      terminal,
      version,
    );
  } catch (error) {
    if (terminal.signal.aborted) {
      if (terminal.signal.reason instanceof ReaderGoneError) return 0;
      const advice = error instanceof ToldInterruption ? '' : ' Run the command again to go on.';
      terminal.stderr.writeProblem(
        `unfinished work is as it was before.${advice}`,
        'Interrupted:',
        'warning',
      );
      return EXIT_INTERRUPTED;
    }
    return tellFailure(error, terminal.stderr, isDebugging);
  }
}

/** Prints what failed. Returns the exit code. */
export function tellFailure(error: unknown, stderr: Printer, isDebugging: boolean): number {
  const { message, exitCode } = failureOf(error);
  const stack = isDebugging && error instanceof Error ? `\n${error.stack}` : '';
  stderr.writeProblem(`${message}${stack}`);
  return exitCode;
}

async function carryOut(words: readonly string[], terminal: Terminal, version: string): Promise<number> {
  if (words.some(holdsToken)) {
    throw new UsageError(
      'There is a token among the words. Tokens belong only in the file that --companies names: others on this ' +
        'machine may have seen this one, so renew it.',
    );
  }
  const [first = '--help', ...rest] = words;
  if (VERSION_WORDS.includes(first)) return say(terminal, version);
  const isHelp = first === 'help' || HELP_WORDS.includes(first);
  const [name, ...others] = isHelp ? [...rest, first] : [first, ...rest];
  if (isHelp && rest.length === 0) return say(terminal, overview());
  const known = commandName(name ?? '');
  if (known === undefined) throw new UsageError(unknownCommand(name ?? ''));
  const { summary, load } = COMMANDS[known];
  const command = await load();
  if (isHelp || others.some((word) => HELP_WORDS.includes(word)))
    return say(terminal, helpOf(command, summary));
  return await command.run(others, terminal);
}

function unknownCommand(name: string): string {
  const isOption = name.startsWith('-');
  const near = nearest(name, isOption ? ['--help', '--version', '--debug'] : [...COMMAND_NAMES, 'help']);
  const kind = isOption ? 'option' : 'command';
  return `There is no ${kind} ${quoted(name, near)}.${didYouMean(near)} See: ${PROGRAM} --help`;
}

function say({ stdout }: Terminal, text: string): number {
  stdout.write(`${stdout.columns === undefined ? text : wrapped(text, stdout.columns)}\n`);
  return 0;
}

function overview(): string {
  return [
    `Usage: ${PROGRAM} COMMAND [options]`,
    '',
    'Every CFE that your companies issue or receive, as Parquet, ready for SQL.',
    '',
    'Commands:',
    ...COMMAND_NAMES.map((name) => `  ${name.padEnd(12)} ${COMMANDS[name].summary}`),
    '',
    `Help for a command:  ${PROGRAM} export --help`,
    '--debug shows where an error came from; --version shows the version.',
    'Exit codes: 0 done; 1 failed, wholly or in part; 2 wrong input or set-up; 130 interrupted.',
  ].join('\n');
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
