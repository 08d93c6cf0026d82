import { joined, type Language, type Localized, type Said, textIn } from '../text/language.ts';
import { ADVICE, FILES, REASONS } from './phrases.ts';

/** The work, or a part of it, failed. */
export const EXIT_FAILED = 1;
/** The input or the set-up is wrong and has to be fixed first. */
export const EXIT_WRONG_INPUT = 2;
export type ExitCode = typeof EXIT_FAILED | typeof EXIT_WRONG_INPUT;

export interface CfeLakeErrorOptions extends ErrorOptions {
  /** What to do next, in whole sentences. */
  advice?: Said;
  /** Whether the message has a line for each problem. Any other message is printed on one line. */
  isMultiline?: boolean;
  exitCode?: ExitCode;
}

/**
 * Base of every error of this program. Its message says what happened, and then what to do next. It never holds a
 * token, a header or a body.
 */
export class CfeLakeError extends Error {
  override name = 'CfeLakeError';
  /** The message without the advice. */
  readonly whatHappened: string;
  /** What to do next; the whole message, if one sentence says both. */
  readonly advice: string;
  /** Exit code of a command that fails with this error. */
  readonly exitCode: ExitCode;
  readonly isMultiline: boolean;
  /** Private, so that two errors that say the same are equal. */
  readonly #said: Localized;

  constructor(
    happened: Said = '',
    {
      advice: remedy = '',
      exitCode = EXIT_FAILED,
      isMultiline = false,
      ...options
    }: CfeLakeErrorOptions = {},
  ) {
    const said = joined(remedy === '' ? [happened] : [happened, remedy], ' ');
    super(said('en'), options);
    this.#said = said;
    this.whatHappened = textIn(happened, 'en');
    this.advice = textIn(remedy === '' ? happened : remedy, 'en');
    this.exitCode = exitCode;
    this.isMultiline = isMultiline;
  }

  /** The message for a person; `message` is English, as what is stored and logged. */
  get said(): Localized {
    return this.#said;
  }

  /** The name in capitals, for programs: `LAKE_MISSING` of a LakeMissingError. docs/library.md lists them. */
  get code(): string {
    return this.name
      .replace(/(?<=.)Error$/, '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toUpperCase();
  }
}

/** The input or the set-up is wrong. Has subclasses where something tells them apart. */
export class WrongInputError extends CfeLakeError {
  override name = 'WrongInputError';
  override readonly exitCode = EXIT_WRONG_INPUT;
}

/** The error's message; the text of anything else that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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

/** Whether this is one of JavaScript's own errors, which say neither what they mean nor what to do. */
export function isEngineError({ name }: Error): boolean {
  return ENGINE_ERRORS.has(name);
}

/** What a request to S3 does with an object of a lake. */
export type LakeUse = 'reading' | 'writing' | 'removing';
/** The purpose of a request to AWS: the advice for a code depends on it. */
export type AwsUse = LakeUse | 'stack' | 'secrets';

export interface AwsFault {
  /** The error's name as the service gives it: `AccessDenied`, `NoSuchBucket`, `SlowDown`. */
  code: string;
  /** What to do, if the code is known. */
  advice: string | undefined;
  /** Distinguishes a wrong set-up from failed work. */
  exitCode: ExitCode;
}

type AdviceByCode = Readonly<Record<string, string>>;

const SIGN_IN = 'Sign in to AWS first: aws sso login, or set AWS_PROFILE.';
const ASK_FOR_PERMISSION = 'Ask for the permission, or use another AWS_PROFILE.';
/** The SDK's message if no region is set. */
export const REGION_MISSING = 'Region is missing';

const NOT_SIGNED_IN: AdviceByCode = {
  CredentialsProviderError: SIGN_IN,
  // Of a user without an entry, as in a container, and without HOME.
  SystemError: 'Name a folder of yours in HOME.',
  ExpiredToken: SIGN_IN,
  ExpiredTokenException: SIGN_IN,
  InvalidAccessKeyId: SIGN_IN,
  SignatureDoesNotMatch: SIGN_IN,
  UnrecognizedClientException: SIGN_IN,
};

const WRONG_LAKE: AdviceByCode = {
  ...NOT_SIGNED_IN,
  NoSuchBucket: 'There is no such bucket: check its name, the account and the region.',
  PermanentRedirect: 'The bucket is in another region: set AWS_REGION.',
  [REGION_MISSING]:
    'Set AWS_REGION to the region of the bucket, or name a profile that has one: AWS_PROFILE.',
};

/** The set-up is wrong: a retry would fail in the same way. */
const WRONG_SETUP: Readonly<Record<AwsUse, AdviceByCode>> = {
  reading: {
    ...WRONG_LAKE,
    AccessDenied: 'Allow s3:GetObject and s3:ListBucket there, and kms:Decrypt on its KMS key if it has one.',
  },
  // It compares before it replaces.
  writing: {
    ...WRONG_LAKE,
    AccessDenied:
      'Allow s3:GetObject, s3:PutObject, s3:AbortMultipartUpload and s3:ListBucket there, and kms:Decrypt and ' +
      'kms:GenerateDataKey on its KMS key if it has one.',
  },
  removing: { ...WRONG_LAKE, AccessDenied: 'Allow s3:DeleteObject there.' },
  stack: {
    ...NOT_SIGNED_IN,
    AccessDenied: ASK_FOR_PERMISSION,
    AccessDeniedException: ASK_FOR_PERMISSION,
    [REGION_MISSING]: "Set AWS_REGION to the stack's region, or AWS_PROFILE to a profile that has one.",
  },
  // Read by the Lambdas only, which are signed in.
  secrets: {
    AccessDeniedException:
      'If the secret exists, allow secretsmanager:GetSecretValue on it, BatchGetSecretValue and ListSecrets.',
    DecryptionFailure: 'Allow kms:Decrypt on the key that encrypts it.',
    InvalidRequestException: 'It may be marked for deletion: restore it, or take its companies into another.',
  },
};

const BUSY_LAKE: AdviceByCode = {
  SlowDown: 'S3 asks for fewer requests: export fewer companies at a time.',
};

/** The work failed, and may succeed later. */
const BUSY: Readonly<Record<AwsUse, AdviceByCode>> = {
  reading: BUSY_LAKE,
  writing: BUSY_LAKE,
  removing: BUSY_LAKE,
  stack: {},
  secrets: { ThrottlingException: 'Too many requests at once: export fewer companies at a time.' },
};

/** The fault behind an error of an AWS client. For any other value, the code is its text. */
export function awsFaultOf(error: unknown, use: AwsUse): AwsFault {
  const code = awsCodeOf(error);
  const setup = WRONG_SETUP[use][code];
  if (setup !== undefined) return { code, advice: setup, exitCode: EXIT_WRONG_INPUT };
  return { code, advice: BUSY[use][code], exitCode: EXIT_FAILED };
}

function awsCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A missing region and the network's errors have no name of their own.
  return error.name === 'Error' ? error.message : error.name;
}

/** Faults of the path that was given, not of the work. */
const WRONG_PLACE: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'EEXIST',
  'ENOENT',
  'ERR_SYSTEM_ERROR',
]);

export interface SystemFault {
  /** `ENOSPC` and the like. */
  code: string;
  /** The reason with the code, as the end of a sentence. */
  reason: string;
  /** What to do: a sentence without its full stop. */
  advice: string;
  /** The file, if the error names it. */
  path?: string;
  /** Whether another path has to be given, or the work has failed. */
  exitCode: ExitCode;
}

function isKnownFault(code: string): code is keyof typeof REASONS {
  return Object.hasOwn(REASONS, code);
}

/** The fault behind an error of node:fs; undefined for any other error. */
export function systemFaultOf(error: unknown, language: Language = 'en'): SystemFault | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  const code = String(error.code);
  if (!isKnownFault(code)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  // In the place of bytes that are none of UTF-8, which Node loses.
  const isLost = code === 'ENOENT' && path?.includes('\u{fffd}') === true;
  const advised = isLost ? FILES.notUtf8Name() : ADVICE[code]();
  const [reason, advice] = [REASONS[code]()(language), advised(language)];
  const exitCode = WRONG_PLACE.has(code) ? EXIT_WRONG_INPUT : EXIT_FAILED;
  return { code, reason: `${reason} (${code})`, advice, path, exitCode };
}

/** Whether this is an error of the system with this code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
