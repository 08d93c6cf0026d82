import { DEPLOY } from '../program.ts';

/** AWS refused or failed at something; says what, and what to do. */
export class DeploymentError extends Error {
  override name = 'DeploymentError';
  /** The error's name as the service gives it. */
  readonly code: string;

  constructor(whatFailed: string, error: unknown) {
    const code = codeOf(error);
    super(`${whatFailed} failed (${code}). ${ADVICE[code] ?? reasonOf(error)}`);
    this.code = code;
  }
}

const SIGN_IN = 'Sign in to AWS first: aws sso login, or set AWS_PROFILE.';
const PERMISSION = 'Ask for the permission, or use another AWS_PROFILE.';

const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: PERMISSION,
  AccessDeniedException: PERMISSION,
  CredentialsProviderError: SIGN_IN,
  ExpiredToken: SIGN_IN,
  ExpiredTokenException: SIGN_IN,
  UnrecognizedClientException: SIGN_IN,
  'Region is missing':
    'Set AWS_REGION to the region of the stack, or name a profile that has one: AWS_PROFILE.',
};

/** An error without a name of its own says in its message what it is. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === 'Region is missing' ? error.message : error.name;
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'Try again.';
}

/** There is no such stack here. */
export class StackMissingError extends Error {
  override name = 'StackMissingError';
  constructor() {
    super(
      `There is no stack of that name (--stack) in this account and region. Deploy it (${DEPLOY}), name ` +
        'another, or set AWS_PROFILE and AWS_REGION.',
    );
  }
}

/** The stack is there, but is not one of this program or is an old one. */
export class StackOutdatedError extends Error {
  override name = 'StackOutdatedError';
  constructor(stackName: string, reason: string) {
    super(`The stack ${stackName} can't be used: ${reason}. Deploy it again: ${DEPLOY}`);
  }
}

/** start-run refused the request; nothing was started. The message is its own. */
export class BackfillRefusedError extends Error {
  override name = 'BackfillRefusedError';
}
