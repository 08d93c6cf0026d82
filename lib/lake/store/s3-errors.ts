import { awsFaultOf } from '../../aws-fault.ts';
import { CfeLakeError, type ExitCode } from '../../errors.ts';

/** S3 refused or failed; says where, and what to do. */
export class LakeRequestError extends CfeLakeError {
  override name = 'LakeRequestError';
  override readonly exitCode: ExitCode;
  readonly address: string;
  /** The error's name as S3 gives it: `AccessDenied`, `NoSuchBucket`, `SlowDown`. */
  readonly code: string;

  constructor(address: string, whatFailed: string, error: unknown) {
    const { code, advice = TRY_AGAIN, exitCode } = awsFaultOf(codeOf(error), 'lake');
    super(`${address}: ${whatFailed} failed (${code}).`, { advice });
    this.address = address;
    this.code = code;
    this.exitCode = exitCode;
  }
}

const TRY_AGAIN = 'Nothing was replaced by halves; try again when S3 and the network are well.';

function codeOf(error: unknown): string {
  // A HEAD has no body, so that only its status says what happened.
  if (statusOf(error) === 403 && !hasName(error, 'ExpiredToken', 'InvalidAccessKeyId')) return 'AccessDenied';
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : error.name;
}

/** The status of S3's answer; undefined when there was none. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** Whether the key is what is missing, not the bucket. */
export function isMissingKey(error: unknown): boolean {
  return statusOf(error) === 404 && !hasName(error, 'NoSuchBucket');
}

/** Whether S3 did not write because the object is not what the condition says. */
export function isUnmetCondition(error: unknown): boolean {
  const status = statusOf(error);
  // 404: what was to be replaced is gone, or the upload was already completed by an attempt whose answer was lost.
  return status === 412 || status === 409 || isMissingKey(error);
}

function hasName(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}
