/** The work failed, or a part of it. */
export const EXIT_FAILED = 1;
/** What was typed, or what the program was given to work with, has to be put right first. */
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
  /** What to do next; empty where the message says it all. */
  readonly advice: string;
  /** What a command that ends with this error exits with. */
  readonly exitCode: ExitCode = EXIT_FAILED;
  /** Whether the message has a line for each problem. Any other is printed on one line, whatever it holds. */
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

/** Whether this is an error of JavaScript itself, whose words say neither what it means nor what to do. */
export function isEngineError({ name }: Error): boolean {
  return ENGINE_ERRORS.has(name);
}
