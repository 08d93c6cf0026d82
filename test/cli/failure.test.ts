import { describe, expect, it } from 'vitest';
import {
  ApiDownError,
  foreignReceipt,
  HttpStatusError,
  NoAnswerError,
  PagingFaultError,
  receiptIdFault,
  UnauthorizedError,
  UnexpectedBodyError,
} from '../../lib/api/errors.ts';
import { failureOf } from '../../lib/cli/printer.ts';
import { WrongInputError } from '../../lib/system/errors.ts';

const HINT =
  'Unfinished work is as it was before. Run the command again; with --debug it shows where it failed.';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const endless = (): unknown => endless();
const nothing: Record<string, { length: number } | undefined> = {};

describe('failureOf', () => {
  it.each([
    [thrownBy(endless), 'Maximum call stack size exceeded (RangeError)'],
    [
      thrownBy(() => Reflect.get(Object(nothing.there), 'length').toString()),
      "Cannot read properties of undefined (reading 'toString') (TypeError)",
    ],
    [thrownBy(() => JSON.parse('{')), /^.*JSON.* \(SyntaxError\)$/],
    [new Error('one thing.\nat the second line'), 'one thing'],
    [new Error(''), 'Error'],
    [Object.create(null), 'no reason was given'],
    ['a word', 'a word'],
  ] satisfies [unknown, string | RegExp][])('makes a sentence of %s', (error, what) => {
    const { message, exitCode } = failureOf(error);
    expect(exitCode).toBe(1);
    const [, said] = /^Unexpected error: (.*)\. Unfinished work/.exec(message) ?? [];
    if (typeof what === 'string') expect(said).toBe(what);
    else expect(said).toMatch(what);
    expect(message.endsWith(HINT)).toBe(true);
    expect(message).not.toContain('\n');
  });

  it('leaves an error that explains itself as it is, on one line', () => {
    expect(failureOf(new WrongInputError('Type it so.'))).toEqual({ message: 'Type it so.', exitCode: 2 });
    const named = Object.assign(new Error('refused\ncfe-lake: all is well'), { name: 'OddError' });
    expect(failureOf(named)).toEqual({ message: String.raw`refused\ncfe-lake: all is well`, exitCode: 1 });
  });

  const context = { rut: '219999830019', direction: 'emitidos' } as const;
  it.each([
    new UnauthorizedError(context),
    new HttpStatusError(context, 503, 5),
    new NoAnswerError(context, 'timed out', 3),
    new ApiDownError(context, 'timed out', false),
    new ApiDownError(context, 'status 503', true),
    new UnexpectedBodyError(context, 'it is not JSON', 3),
    new PagingFaultError(context, 'page 2 repeats'),
    receiptIdFault(context, 'a row has no id'),
    foreignReceipt(context, 7, 'belongs to another company'),
  ])('speaks of no export where a command asked the API directly: $name, $reason', (error) => {
    const { message } = failureOf(error);
    expect(message).toMatch(/^emitidos of 219999830019: .*\. [A-Z].*\.$/);
    expect(message).not.toMatch(/export|replaced/);
  });
});
