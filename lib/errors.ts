/** The work, or a part of it, failed. */
export const EXIT_FAILED = 1;
/** The input or the set-up is wrong and has to be fixed first. */
export const EXIT_WRONG_INPUT = 2;
export type ExitCode = typeof EXIT_FAILED | typeof EXIT_WRONG_INPUT;

export interface CfeLakeErrorOptions extends ErrorOptions {
  /** What to do next, in whole sentences. */
  advice?: string;
}

/**
 * Base of every error of this program. Its message says what happened, and then what to do next. It never holds a
 * token, a header or a body.
 */
export class CfeLakeError extends Error {
  override name = 'CfeLakeError';
  /** What to do next; empty if the message says it all. */
  readonly advice: string;
  /** Exit code of a command that fails with this error. */
  readonly exitCode: ExitCode = EXIT_FAILED;
  /** Whether the message has a line for each problem. Any other message is printed on one line. */
  readonly isMultiline: boolean = false;

  constructor(whatHappened = '', { advice = '', ...options }: CfeLakeErrorOptions = {}) {
    super(advice === '' ? whatHappened : `${whatHappened} ${advice}`, options);
    this.advice = advice;
  }
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
