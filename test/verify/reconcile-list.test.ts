import { expect, it } from 'vitest';
import type { Day } from '../../lib/time/days.ts';
import type { LakeReceipt } from '../../lib/verify/lake-receipts.ts';
import { ABSENT, read, unreadable } from '../../lib/verify/official/reading.ts';
import type { OfficialReceipt } from '../../lib/verify/official/receipts.ts';
import { reconcileLists } from '../../lib/verify/reconcile-list.ts';
import { RUT } from '../support/export/unit-world.ts';

const DAY: Day = '2026-11-19';
const COUNT = 2_000;
let timesRead = 0;

/** One number a thousand times, each with another total. */
const lake = Array.from({ length: COUNT }, (_, index): LakeReceipt => {
  const key = { type: 111, series: 'A', number: 1, issuer: RUT };
  return {
    ...key,
    id: String(index),
    day: DAY,
    currency: 'UYU',
    net: null,
    taxedNet: null,
    vat: null,
    breakdown: 'none',
    get total() {
      timesRead += 1;
      return BigInt(index);
    },
    status: null,
    isListed: true,
    ticket: null,
  };
});

const official = lake.map((receipt, index): OfficialReceipt => {
  const { type, series, number, issuer } = receipt;
  const key = { type: read(type), series: read(series), number: read(number), issuer: read(issuer) };
  const amounts = { net: ABSENT, vat: ABSENT, total: read(BigInt(index)) };
  return { ...key, ...amounts, row: index + 1, recipient: read(RUT), day: read(DAY), currency: read('UYU') };
});

function reconciled(receipts: readonly OfficialReceipt[]) {
  timesRead = 0;
  const days = { from: DAY, to: DAY };
  return reconcileLists({ receipts, columns: new Map(), days }, lake, 'recibidos');
}

it('one number a thousand times in both takes each row only to a few receipts', () => {
  expect(reconciled(official)).toMatchObject({ equal: COUNT, differences: [] });
  expect(timesRead).toBeLessThan(50 * COUNT);
});

it('rows with every set of cells that cannot be read look through the lake once', () => {
  const fields = ['type', 'series', 'number', 'issuer', 'day', 'total'] as const;
  const damaged = official.slice(0, 2 ** fields.length).map((receipt, cells) => ({
    ...receipt,
    ...Object.fromEntries(
      fields.flatMap((field, bit) => (cells & (1 << bit) ? [[field, unreadable('?')]] : [])),
    ),
  }));
  const { differences } = reconciled(damaged);
  const guessed = differences.filter(
    (difference) => difference.kind === 'not compared' && difference.receipt,
  );
  // All but two of which the key can be read, and four that say no more than a type and a series.
  expect({ guessed: guessed.length, timesRead: timesRead < 50 * COUNT }).toEqual({
    guessed: 58,
    timesRead: true,
  });
});
