import { expect, it } from 'vitest';
import { WrongInputError } from '../../lib/system/errors.ts';
import type { Day } from '../../lib/time/days.ts';
import { differencesAnswer } from '../../lib/verify/differences.ts';
import { ABSENT, read, unreadable } from '../../lib/verify/official/reading.ts';
import type { Difference } from '../../lib/verify/reconcile-list.ts';
import { SPANISH } from '../../lib/verify/reconcile-texts.ts';
import { RUT } from '../support/export/unit-world.ts';

const DAY: Day = '2026-10-15';
const HONEST = {
  row: 100_000,
  type: read(111),
  series: read('A'),
  number: read(1_234_567),
  issuer: read(RUT),
  recipient: ABSENT,
  day: read(DAY),
  currency: read('UYU'),
  net: ABSENT,
  vat: ABSENT,
  total: read(123_456_789n),
};

it('all receipts of the longest list that is read may differ', () => {
  const difference: Difference = { kind: 'only there', official: HONEST };
  expect(differencesAnswer(Array(150_000).fill(difference), SPANISH).rows).toHaveLength(150_000);
});

it.each([
  ['characters that a page escapes', '&', 1n],
  ['characters that are shown by their codes', '\u0001', 1n],
  ['totals of 300 digits', 'x', 10n ** 300n],
])('rows of %s are refused, long before they are as many', (_what, character, total) => {
  const text = unreadable(character.repeat(60));
  const official = { ...HONEST, type: text, series: text, number: text, total: read(total) };
  const uncompared = (['tipo', 'serie', 'numero'] as const).map((field) => ({ field, official: text.text }));
  const difference: Difference = { kind: 'not compared', official, uncompared };
  expect(() => differencesAnswer(Array(50_000).fill(difference), SPANISH)).toThrow(WrongInputError);
});
