import { systemFaultOf } from '../files/system-fault.ts';

export const EXIT_FAILED = 1;
/** What was typed, or what the program was given to work with, has to be put right first. */
export const EXIT_WRONG_INPUT = 2;

/** Errors whose cause is always what was typed or set up; by name, so that their modules need not be loaded. */
const WRONG_INPUT: ReadonlySet<string> = new Set([
  'UsageError',
  'CompaniesFileError',
  'InsecureAddressError',
  'UncheckedCertificateError',
  'LakeAddressError',
  'LakeMissingError',
  'OtherSourceError',
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
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT_FAILED };
  return {
    // A library's message may draw below what it says.
    message: error.message.split('\n\n')[0] ?? '',
    exitCode: isWrongInput(error) ? EXIT_WRONG_INPUT : EXIT_FAILED,
  };
}

function isWrongInput(error: Error): boolean {
  if (WRONG_INPUT.has(error.name)) return true;
  if (error.name === 'QueryError') return WRONG_SQL.test(error.message);
  if ('isWrongPlace' in error) return error.isWrongPlace === true;
  const isOfAws = error.name === 'LakeRequestError' || error.name === 'DeploymentError';
  return isOfAws && 'code' in error && WRONG_SETUP.has(String(error.code));
}
