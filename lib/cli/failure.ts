import { systemFaultOf } from '../files/system-fault.ts';
import { printableLine } from '../text/printable.ts';

export const EXIT_FAILED = 1;
/** What was typed, or what the program was given to work with, has to be put right first. */
export const EXIT_WRONG_INPUT = 2;

/** Errors whose cause is always what was typed or set up; by name, so that their modules need not be loaded. */
const WRONG_INPUT: ReadonlySet<string> = new Set([
  'BootstrapMissingError',
  'ChangeRefusedError',
  'SettingsError',
  'UsageError',
  'CompaniesFileError',
  'InsecureAddressError',
  'UncheckedCertificateError',
  'LakeAddressError',
  'LakeMissingError',
  'OtherSourceError',
  'OutdatedLakeError',
  'SourceMarkError',
  'QuestionRefusedError',
  'QuestionTooLargeError',
  'StackMissingError',
  'UnmarkedLakeError',
]);

/** What AWS says when it is the set-up that is wrong, not the work that failed. */
const WRONG_SETUP: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidAccessKeyId',
  'NoSuchBucket',
  'PermanentRedirect',
  'Region is missing',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);

/** SQL that DuckDB could not make sense of. */
const WRONG_SQL = /^(Parser|Catalog|Binder) Error/;

/** The names of errors that no part of this program gives a meaning. */
const ENGINE_ERRORS: ReadonlySet<string> = new Set([
  'Error',
  'AggregateError',
  'AssertionError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);

/** A line a problem; of any other error, a second line would be somebody else's. */
const SEVERAL_LINES: ReadonlySet<string> = new Set(['CompaniesFileError', 'SettingsError']);

/** What to tell a person of an error, and the exit code. */
export function failureOf(error: unknown): { message: string; exitCode: number } {
  const fault = systemFaultOf(error);
  if (fault !== undefined) {
    const place = fault.path === undefined ? '' : `${fault.path}: `;
    return {
      message: `${place}${fault.reason}. ${fault.advice}.`,
      exitCode: fault.isWrongPlace ? EXIT_WRONG_INPUT : EXIT_FAILED,
    };
  }
  if (!(error instanceof Error) || ENGINE_ERRORS.has(error.name) || error.message.trim() === '') {
    return { message: unforeseen(error), exitCode: EXIT_FAILED };
  }
  // A library's message may draw below what it says.
  const message = error.message.split('\n\n')[0] ?? '';
  return {
    message: SEVERAL_LINES.has(error.name) ? message : printableLine(message),
    exitCode: isWrongInput(error) ? EXIT_WRONG_INPUT : EXIT_FAILED,
  };
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

function isWrongInput(error: Error): boolean {
  if (WRONG_INPUT.has(error.name)) return true;
  if (error.name === 'QueryError') return WRONG_SQL.test(error.message);
  if ('isWrongPlace' in error) return error.isWrongPlace === true;
  const isOfAws = error.name === 'LakeRequestError' || error.name === 'DeploymentError';
  return isOfAws && 'code' in error && WRONG_SETUP.has(String(error.code));
}
