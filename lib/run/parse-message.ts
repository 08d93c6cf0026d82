import * as v from 'valibot';
import { CfeLakeError } from '../errors.ts';

/** An event or an answer that is not what it should be; says which field is wrong. */
export class MessageError extends CfeLakeError {
  override name = 'MessageError';
  readonly reasons: readonly string[];
  constructor(what: string, reasons: readonly string[]) {
    super(`${what}: ${reasons.join('; ')}.`);
    this.reasons = reasons;
  }
}

/** What the schema makes of the message. Throws a MessageError, which begins with `what`. */
export function parseMessage<Output>(
  schema: v.GenericSchema<unknown, Output>,
  message: unknown,
  what: string,
): Output {
  const parsed = v.safeParse(schema, message);
  if (parsed.success) return parsed.output;
  throw new MessageError(what, parsed.issues.map(describeIssue));
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  const reason = reasonOf(issue);
  return path === null ? `it ${reason}` : `${path} ${reason}`;
}

function reasonOf({ kind, expected, received, message }: v.BaseIssue<unknown>): string {
  if (kind === 'validation') return message;
  if (expected === 'never') return 'is not known here: look for a typing error';
  if (received === 'undefined') return 'is missing';
  // A message of our own says it better than the types' names.
  return message.startsWith('Invalid ') ? `must be ${inWords(expected ?? '')}` : message;
}

/** What valibot expects, as a person says it; a literal stays as it is. */
function inWords(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    Object: 'an object',
    Array: 'a list',
    string: 'text',
    number: 'a number',
  };
  return words[expected] ?? expected;
}
