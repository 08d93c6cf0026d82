import { CfeLakeError, type ExitCode } from '../../errors.ts';
import { awsFaultOf } from '../../faults.ts';

/** S3 refused a request, or failed. */
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

const TRY_AGAIN = 'No object was left half-written. Try again when S3 and the network work.';

function codeOf(error: unknown): string {
  // The response to a HEAD has no body: only its status tells.
  if (statusOf(error) === 403 && !hasName(error, 'ExpiredToken', 'InvalidAccessKeyId')) return 'AccessDenied';
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : error.name;
}

/** The status of S3's response; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** Whether the key is missing, not the bucket. */
export function isMissingKey(error: unknown): boolean {
  return statusOf(error) === 404 && !hasName(error, 'NoSuchBucket');
}

/** Whether S3 refused to write because its condition was not met. */
export function isUnmetCondition(error: unknown): boolean {
  const status = statusOf(error);
  // 404: the object to replace is gone, or an attempt whose response was lost has completed the upload.
  return status === 412 || status === 409 || isMissingKey(error);
}

function hasName(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}
