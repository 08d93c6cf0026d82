import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { oneIn } from '../support/campaign.ts';
import { endOf, plainEnvironment } from '../support/program/run-program.ts';

const PROGRAM = resolve('test/support/api/read-hostile-answers.ts');

/** Reads the answer twice in a process with a heap of this size. */
async function readTwice(heapMb: number, kind: 'detail' | 'legacy', parts: Parts, megabytes: number) {
  const words = [`--max-old-space-size=${heapMb}`, PROGRAM, kind, ...parts, String(megabytes)];
  const child = spawn(process.execPath, words, { env: plainEnvironment() });
  const { code, stdout, stderr } = await endOf(child);
  expect(code, stderr.slice(0, 300)).toBe(0);
  return JSON.parse(stdout);
}

/** The beginning of an answer, what is repeated in it, and its end. */
type Parts = readonly [string, string, string];
const LONG_NUMBER = '12345678901234567890';

const READ = 'recibidos_detalle';
const NOT_JSON = 'it is not JSON';

// body.test.ts shows which bodies are refused before they are parsed.
it.each(
  // The first of each six is tried in `npm test`.
  oneIn<[string, Parts, string]>(6, [
    ['of line ends, beside a long number', ['{"id":7,"nota":"', '\\n', `","n":${LONG_NUMBER}}`], READ],
    ['one text', ['{"id":7,"nota":"', 'x', '"}'], READ],
    ['one number', ['{"id":7,"totales":{"total":', '7', '}}'], READ],
    ['of \\u escapes', ['{"id":7,"nota":"', '\\u0041', '"}'], READ],
    ['of halves of pairs', ['{"id":7,"nota":"', '\\ud800', '"}'], READ],
    ['of quotes', ['{"id":7,"nota":"', '\\"', `","n":${LONG_NUMBER}}`], READ],
    ['empty objects', ['{"id":7,"items":[', '{},', '0]}'], 'it holds more than 250000 values'],
    ['long numbers', ['{"id":7,"items":[', '1e1,', '0]}'], 'it holds more than 250000 values'],
    ['numbers past the end', ['[1e1,', '1e1', ']'], NOT_JSON],
    ['numbers without a comma', ['[1e1,', '1e1 ', ']'], NOT_JSON],
    ['texts without a comma', ['[1e1,', '""', ']'], NOT_JSON],
  ]),
)('an answer of 31 MB is read twice in a heap of 300 MB, or refused: %s', async (_what, parts, outcome) => {
  const { outcomes, requests } = await readTwice(300, 'detail', parts, 31);
  expect(outcomes).toEqual([expect.stringContaining(outcome), expect.stringContaining(outcome)]);
  expect(requests).toBe(2);
});

it.each(
  oneIn<[string, Parts, [heapMb: number, megabytes: number], string]>(2, [
    [
      'of objects that take much memory',
      ['[{"id":7,"n":[', '{"16":0},         ', '0]}]'],
      [240, 12],
      '1 rows',
    ],
    [
      'of line ends',
      ['[{"id":7,"nota":"', '\\n', `"},{"id":${LONG_NUMBER.slice(1)}}]`],
      [900, 130],
      '2 rows',
    ],
    ['past its cap', ['[{"id":7,"nota":"', 'x', '"}]'], [900, 150], 'it is larger than 134217728 bytes'],
    ['with an escape', ['[{"id":7,"nota":"\\u0041', 'x', '"}]'], [900, 125], '1 rows'],
    ['of long numbers', ['[{"id":7,"n":[', '1e1,     ', '0]}]'], [900, 35], '1 rows'],
  ]),
)(
  'a legacy list is read twice in a small heap, or refused: %s',
  async (_what, parts, [heapMb, megabytes], outcome) => {
    const { outcomes } = await readTwice(heapMb, 'legacy', parts, megabytes);
    expect(outcomes).toEqual([expect.stringContaining(outcome), expect.stringContaining(outcome)]);
  },
);
