/** S3 refused or failed; says where, and what to do. */
export class LakeRequestError extends Error {
  override name = 'LakeRequestError';
  readonly address: string;
  /** The error's name as S3 gives it: `AccessDenied`, `NoSuchBucket`, `SlowDown`. */
  readonly code: string;

  constructor(address: string, whatFailed: string, error: unknown) {
    const code = codeOf(error);
    super(`${address}: ${whatFailed} failed (${code}). ${ADVICE[code] ?? TRY_AGAIN}`);
    this.address = address;
    this.code = code;
  }
}

const TRY_AGAIN = 'Nothing was replaced by halves; try again when S3 and the network are well.';
const SIGN_IN = 'Sign in to AWS first: aws sso login, or set AWS_PROFILE.';

const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied:
    'Allow s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket there, and the ' +
    'use of its KMS key if it has one.',
  NoSuchBucket: 'There is no such bucket: check its name, the account and the region.',
  PermanentRedirect: 'The bucket is in another region: set AWS_REGION.',
  SlowDown: 'S3 asks for fewer requests: export fewer companies at a time.',
  CredentialsProviderError: SIGN_IN,
  ExpiredToken: SIGN_IN,
  InvalidAccessKeyId: SIGN_IN,
  SignatureDoesNotMatch: SIGN_IN,
  'Region is missing':
    'Set AWS_REGION to the region of the bucket, or name a profile that has one: AWS_PROFILE.',
};

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
