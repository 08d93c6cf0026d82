import { CfeLakeError, EXIT_FAILED, type ExitCode, isEngineError } from '../errors.ts';
import { systemFaultOf } from '../files/system-fault.ts';
import { printableLine } from '../text/printable.ts';

/** What to tell a person of an error, and the exit code. */
export function failureOf(error: unknown): { message: string; exitCode: ExitCode } {
  const fault = systemFaultOf(error);
  if (fault !== undefined) {
    const place = fault.path === undefined ? '' : `${fault.path}: `;
    return { message: `${place}${fault.reason}. ${fault.advice}.`, exitCode: fault.exitCode };
  }
  if (!(error instanceof Error) || isEngineError(error) || error.message.trim() === '') {
    return { message: unforeseen(error), exitCode: EXIT_FAILED };
  }
  // A library's message may draw below what it says.
  const message = error.message.split('\n\n')[0] ?? '';
  if (!(error instanceof CfeLakeError)) return { message: printableLine(message), exitCode: EXIT_FAILED };
  return { message: error.isMultiline ? message : printableLine(message), exitCode: error.exitCode };
}

/** What nobody thought of; the engine's words alone say neither what it means nor what to do. */
function unforeseen(error: unknown): string {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const words = typeof error === 'string' ? error : message;
  const what = printableLine(words.split('\n')[0]?.trim() || name || 'no reason was given');
  const kind = name === '' || name === 'Error' || name === what ? '' : ` (${name})`;
  return (
    `Something failed that was not foreseen: ${what.replace(/\.$/, '')}${kind}. What was not finished is as it was ` +
    'before. Start it again, or with --debug to see where it failed.'
  );
}
