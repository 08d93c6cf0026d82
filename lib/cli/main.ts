import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CfeLakeError, WrongInputError } from '../system/errors.ts';
import { joined, LANGUAGES, type Language } from '../text/language.ts';
import { holdsJsonWebToken } from '../text/typed-words.ts';
import type { Terminal } from './command.ts';
import { runCommand } from './command-line.ts';
import { foreignNamesNote } from './foreign-names.ts';
import { SAY } from './phrases/program.ts';
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
  typed: readonly string[],
  { stdout, stderr, stdin, ask, signal }: ProgramStreams,
  version: string,
): Promise<number> {
  const foreignNames = new Set<string>();
  const { words, language, isUnknown } = askedLanguage(typed);
  const environment = language === undefined ? process.env : { ...process.env, LC_ALL: language };
  const terminal = {
    stdout: new Printer(stdout, environment),
    stderr: new Printer(stderr, environment),
    stdin,
    ask,
    foreignNames,
    signal,
    askedLanguage: language,
  };
  try {
    assertNoToken(typed);
    if (isUnknown) throw new WrongInputError(SAY.unknownLanguage());
    return await runCommand(
      words.filter((word) => word !== '--debug'),
      terminal,
      version,
    );
  } catch (error) {
    if (!signal.aborted) return tellFailure(error, terminal.stderr, typed.includes('--debug'));
    if (signal.reason === READER_GONE) return 0;
    const said = error === TOLD_HOW_TO_GO_ON ? [SAY.unfinished()] : [SAY.unfinished(), SAY.goOn()];
    terminal.stderr.writeProblem(joined(said, ''), SAY.interrupted(), 'warning');
    return EXIT_INTERRUPTED;
  } finally {
    if (foreignNames.size > 0)
      terminal.stderr.writeProse(`${terminal.stderr.textOf(foreignNamesNote(foreignNames))}\n`);
  }
}

const LANG_OPTION = '--lang';

/** The words without `--lang L`, which may stand anywhere, and the language that it names. */
function askedLanguage(typed: readonly string[]): {
  words: readonly string[];
  language?: Language;
  isUnknown?: boolean;
} {
  const at = typed.findIndex((word) => word === LANG_OPTION || word.startsWith(`${LANG_OPTION}=`));
  const option = typed[at];
  if (option === undefined) return { words: typed };
  const isApart = option === LANG_OPTION;
  const named = isApart ? typed[at + 1] : option.slice(LANG_OPTION.length + 1);
  const language = LANGUAGES.find((known) => known === named?.toLowerCase());
  const words = typed.toSpliced(at, isApart ? 2 : 1);
  return { words, language, isUnknown: language === undefined };
}

/** An option that is not there: what follows it is a token of any kind. */
const TOKEN_OPTION = /^--?tokens?(=|$)/i;

function assertNoToken(words: readonly string[]): void {
  if (!words.some((word) => holdsJsonWebToken(word) || TOKEN_OPTION.test(word))) return;
  throw new WrongInputError(SAY.tokenAmongWords());
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
      if (answer === undefined) throw new CfeLakeError(SAY.inputEnded(), { advice: SAY.runAgain() });
      return answer;
    } finally {
      lines.close();
      if (isHidden) stderr.write('\n');
    }
  };
}
