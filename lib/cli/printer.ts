import { ApiError } from '../api/errors.ts';
import { CfeLakeError, EXIT_FAILED, type ExitCode, isEngineError, systemFaultOf } from '../system/errors.ts';
import { type Language, languageOf, type Said, textIn } from '../text/language.ts';
import { withNamesOf } from '../text/spanish-names.ts';
import {
  type Environment,
  isInteractive,
  type Paint,
  paintFor,
  printable,
  printableLine,
  STYLES,
  wrapped,
} from '../text/terminal.ts';
import { SAY } from './phrases/program.ts';
import { retold } from './phrases/retold.ts';

export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

const ESCAPE = '\u001b';
/** The colours that this program writes (ECMA-48, SGR). */
const COLOUR = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`);
const ERASED_LINE = `\r${ESCAPE}[2K`;
export const DEFAULT_COLUMNS = 80;

/**
 * All text leaves the program here. Names and messages come from suppliers, services and file systems: whatever they
 * hold, none of it can control the terminal. JSON keeps its meaning: such characters become escapes.
 */
export class Printer {
  /** Colours text for `writeColoured` (node:util's styleText); leaves it plain if the stream takes no colour. */
  readonly paint: Paint;
  /** The language of its sentences. */
  readonly language: Language;
  private readonly stream: OutputStream;
  private readonly environment: Environment;
  private readonly widthElsewhere: number | undefined;

  /** `widthElsewhere`: the width of tables if the stream is not a terminal; default: no limit. */
  constructor(stream: OutputStream, environment: Environment = process.env, widthElsewhere?: number) {
    this.stream = stream;
    this.environment = environment;
    this.widthElsewhere = widthElsewhere;
    this.paint = paintFor(stream, environment);
    this.language = languageOf(environment);
  }

  /** The same stream, with tables no wider than this if it is not a terminal. */
  withWidthElsewhere(columns: number): Printer {
    return new Printer(this.stream, this.environment, columns);
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  get columns(): number | undefined {
    return this.stream.columns ?? this.widthElsewhere;
  }

  /** The text in the language of whoever reads this stream, and so the commands in it. */
  textOf(said: Said): string {
    return withNamesOf(this.language, textIn(said, this.language));
  }

  write(text: string): void {
    this.stream.write(printable(text));
  }

  /** Sentences for people: in a terminal no line breaks within a word. */
  writeProse(prose: string): void {
    const text = this.textOf(prose);
    this.write(this.isTTY && this.columns !== undefined ? wrapped(text, this.columns) : text);
  }

  /** A sentence, or several, on lines of their own. */
  say(said: Said): void {
    this.writeProse(`${textIn(said, this.language)}\n`);
  }

  /** A text with this program's colours around parts of it. Text from outside must be made printable first. */
  writeColoured(text: string): void {
    const parts = withNamesOf(this.language, text).split(COLOUR);
    this.stream.write(parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join(''));
  }

  /** A line about something that went wrong. It replaces the progress that is shown. */
  writeProblem(said: Said, first: Said = 'cfe-lake:', style: keyof typeof STYLES = 'failure'): void {
    this.eraseLine();
    this.writeColoured(this.paint(STYLES[style], this.textOf(first)));
    this.write(` ${this.textOf(said)}\n`);
  }

  writeWarning(said: Said): void {
    this.writeProblem(said, SAY.warning(), 'warning');
  }

  /** Data: byte for byte for a program that reads it, made printable in a terminal. */
  writeData(text: string): void {
    if (this.isTTY) this.write(text.replaceAll('\r\n', '\n'));
    else this.stream.write(text);
  }

  /** Binary data, for a program or a file; never for a terminal. */
  writeBytes(bytes: Uint8Array): void {
    this.stream.write(bytes);
  }

  /** Whether a line can be written over: a terminal that a person watches, not a pipe, a file or CI. */
  get isInteractive(): boolean {
    return isInteractive(this.stream, this.environment);
  }

  /** Shows a text, such as progress, in place of a terminal's last line. Does nothing elsewhere. */
  replaceLine(text: string, paint: (shown: string) => string = (shown) => shown): void {
    if (!this.isInteractive) return;
    this.eraseLine();
    // Coloured after it was cut: a colour has no width.
    this.writeColoured(paint(printableLine(text).slice(0, (this.columns ?? DEFAULT_COLUMNS) - 1)));
  }

  eraseLine(): void {
    if (this.isInteractive) this.stream.write(ERASED_LINE);
  }
}

/** Why a command is aborted whose reader closed the output (`… | head`): nothing more is written. */
export const READER_GONE = new Error('the reader is gone');
/** What a command throws that Ctrl-C ended and that has said how to go on. */
export const TOLD_HOW_TO_GO_ON = new Error('interrupted');

export function tellFailure(error: unknown, stderr: Printer, isDebugging: boolean): number {
  const { message, exitCode } = failureOf(error, stderr.language);
  stderr.writeProblem(isDebugging && error instanceof Error ? `${message}\n${error.stack}` : message);
  return exitCode;
}

/** What a person is told of an error, and how its command ends. */
export function failureOf(
  error: unknown,
  language: Language = 'en',
): { message: string; exitCode: ExitCode } {
  const { message, exitCode } = failureIn(error, language);
  return { message: retold(message, language), exitCode };
}

function failureIn(error: unknown, language: Language): { message: string; exitCode: ExitCode } {
  const fault = systemFaultOf(error, language);
  if (fault !== undefined) {
    const place = fault.path === undefined ? '' : `${fault.path}: `;
    return { message: `${place}${fault.reason}. ${fault.advice}.`, exitCode: fault.exitCode };
  }
  if (!(error instanceof Error) || isEngineError(error) || error.message.trim() === '') {
    return { message: unforeseen(error, language), exitCode: EXIT_FAILED };
  }
  // The error of a unit that is being exported is a result, and not thrown.
  if (error instanceof ApiError) {
    return { message: printableLine(error.saidWithRemedy(language)), exitCode: error.exitCode };
  }
  // A library's message may have a drawing below its text.
  const [message = ''] = (error instanceof CfeLakeError ? error.said(language) : error.message).split('\n\n');
  if (!(error instanceof CfeLakeError)) return { message: printableLine(message), exitCode: EXIT_FAILED };
  return { message: error.isMultiline ? message : printableLine(message), exitCode: error.exitCode };
}

/** For unexpected errors: the engine's message alone says neither what it means nor what to do. */
function unforeseen(error: unknown, language: Language): string {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const words = typeof error === 'string' ? error : message;
  const what = printableLine(words.split('\n')[0]?.trim() || name || SAY.noReason()(language));
  const kind = name === '' || name === 'Error' || name === what ? '' : ` (${name})`;
  return SAY.unexpected(`${what.replace(/\.$/, '')}${kind}`)(language);
}
