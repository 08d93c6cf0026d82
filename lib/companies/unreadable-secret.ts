import { awsFaultOf, CfeLakeError } from '../system/errors.ts';

/** A role that may read secrets by their full ARN gets this for a name that no secret has, too. */
export const DENIED = 'AccessDeniedException';

/** Errors that concern one secret, not all of them, and do not pass by. */
const OF_ONE_SECRET: ReadonlySet<string> = new Set([DENIED, 'DecryptionFailure', 'InvalidRequestException']);

const TRY_AGAIN = 'Try again. If it keeps failing, check the state of Secrets Manager in this region.';

/** A secret could not be read. Names it, and nothing of what it holds. */
export class UnreadableSecretError extends CfeLakeError {
  override name = 'UnreadableSecretError';
  /** As AWS names the error. */
  readonly awsCode: string;

  /** `error`: what AWS answered, or its code. */
  constructor(secretName: string, error: unknown) {
    const { code, advice = TRY_AGAIN } = awsFaultOf(error, 'secrets');
    super(`The secret ${secretName} could not be read (${code}).`, { advice });
    this.awsCode = code;
  }

  /** Whether others may be read, and this one cannot be in a minute. */
  get isOfThisSecret(): boolean {
    return OF_ONE_SECRET.has(this.awsCode);
  }
}
