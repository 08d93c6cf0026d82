import { describe, expect, it } from 'vitest';
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
});
