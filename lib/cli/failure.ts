import { ApiError } from '../api/errors.ts';
import { CfeLakeError, EXIT_FAILED, type ExitCode, isEngineError, systemFaultOf } from '../system/errors.ts';
import { printableLine } from '../text/terminal.ts';
import type { Printer } from './printer.ts';

/** Why a command is aborted whose reader closed the output (`… | head`): nothing more is written. */
export const READER_GONE = new Error('the reader is gone');
/** Thrown by a command that Ctrl-C ended and that has said how to go on. */
export const TOLD_HOW_TO_GO_ON = new Error('interrupted');

/** Prints what failed. Returns the exit code. */
export function tellFailure(error: unknown, stderr: Printer, isDebugging: boolean): number {
  const { message, exitCode } = failureOf(error);
  stderr.writeProblem(isDebugging && error instanceof Error ? `${message}\n${error.stack}` : message);
  return exitCode;
}

/** What to tell a person about an error, and the exit code. */
export function failureOf(error: unknown): { message: string; exitCode: ExitCode } {
  const fault = systemFaultOf(error);
  if (fault !== undefined) {
    const place = fault.path === undefined ? '' : `${fault.path}: `;
    return { message: `${place}${fault.reason}. ${fault.advice}.`, exitCode: fault.exitCode };
  }
  if (!(error instanceof Error) || isEngineError(error) || error.message.trim() === '') {
    return { message: unforeseen(error), exitCode: EXIT_FAILED };
  }
  // The error of a unit that is being exported is a result, and not thrown.
  if (error instanceof ApiError) {
    return { message: printableLine(`${error.whatHappened} ${error.remedy}`), exitCode: error.exitCode };
  }
  // A library's message may have a drawing below its text.
  const message = error.message.split('\n\n')[0] ?? '';
  if (!(error instanceof CfeLakeError)) return { message: printableLine(message), exitCode: EXIT_FAILED };
  return { message: error.isMultiline ? message : printableLine(message), exitCode: error.exitCode };
}

/** For unexpected errors: the engine's message alone says neither what it means nor what to do. */
function unforeseen(error: unknown): string {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const words = typeof error === 'string' ? error : message;
  const what = printableLine(words.split('\n')[0]?.trim() || name || 'no reason was given');
  const kind = name === '' || name === 'Error' || name === what ? '' : ` (${name})`;
  return (
    `Unexpected error: ${what.replace(/\.$/, '')}${kind}. Unfinished work is as it was before. Run the command again; ` +
    'with --debug it shows where it failed.'
  );
}
