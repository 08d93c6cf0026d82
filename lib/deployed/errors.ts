import { awsFaultOf, CfeLakeError, EXIT_WRONG_INPUT, type ExitCode, REGION_MISSING } from '../errors.ts';
import { DEPLOY } from '../program.ts';

/** A request to AWS failed; says which, and what to do. */
export class DeploymentError extends CfeLakeError {
  override name = 'DeploymentError';
  override readonly exitCode: ExitCode;
  /** The error's name as the service gives it. */
  readonly code: string;

  constructor(whatFailed: string, error: unknown) {
    const { code, advice = reasonOf(error), exitCode } = awsFaultOf(error, 'stack');
    const isWithoutRegion = code === REGION_MISSING;
    super(isWithoutRegion ? 'No AWS region is set.' : `${whatFailed} failed (${code}).`, { advice });
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Waits for an answer of AWS. Throws DeploymentError, which says what failed. */
export async function answerOf<Answer>(whatFailed: string, request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (error) {
    throw new DeploymentError(whatFailed, error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'Try again.';
}

/** No stack of that name exists in this account and region. */
export class StackMissingError extends CfeLakeError {
  override name = 'StackMissingError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor() {
    super('There is no stack of that name (--stack) in this account and region.', {
      advice: `Deploy it (${DEPLOY}), name another, or set AWS_PROFILE and AWS_REGION.`,
    });
  }
}

/** The stack exists, but is not one of this program, or is an old one. */
export class StackOutdatedError extends CfeLakeError {
  override name = 'StackOutdatedError';
  constructor(stackName: string, reason: string) {
    super(`The stack ${stackName} can't be used: ${reason}.`, { advice: `Deploy it again: ${DEPLOY}` });
  }
}

/** start-run refused the request and started nothing. The message is start-run's. */
export class BackfillRefusedError extends CfeLakeError {
  override name = 'BackfillRefusedError';
}
