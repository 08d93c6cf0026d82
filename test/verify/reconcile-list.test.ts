import { expect, it } from 'vitest';
import type { Day } from '../../lib/time/days.ts';
import type { LakeReceipt } from '../../lib/verify/lake-receipts.ts';
import type { Reading } from '../../lib/verify/official/reading.ts';
import { reconcileLists } from '../../lib/verify/reconcile-list.ts';
import { RUT } from '../support/export/unit-world.ts';

const DAY: Day = '2026-11-19';
const COUNT = 2_000;

const read = <T>(value: T): Reading<T> => ({ state: 'read', value });

it('one number a thousand times in both takes each row only to a few receipts', () => {
  let comparisons = 0;
  const lake = Array.from({ length: COUNT }, (_, index): LakeReceipt => {
    const receipt = { type: 111, series: 'A', number: 1, issuer: RUT, currency: 'UYU', net: null, vat: null };
    return {
      ...receipt,
      id: String(index),
      day: DAY,
      get total() {
        comparisons += 1;
        return BigInt(index);
      },
      status: null,
      isListed: true,
      ticket: null,
    };
  });
  const receipts = lake.map(({ type, series, number, issuer }, index) => ({
    row: index + 1,
    type: read(type),
    series: read(series),
    number: read(number),
    issuer: read(issuer),
    recipient: read(RUT),
    day: read(DAY),
    currency: read('UYU'),
    net: { state: 'absent' } as const,
    vat: { state: 'absent' } as const,
    total: read(BigInt(index)),
  }));
  const days = { from: DAY, to: DAY };
  const { equal, differences } = reconcileLists({ receipts, columns: new Map(), days }, lake, 'recibidos');
  expect({ equal, differences }).toEqual({ equal: COUNT, differences: [] });
  expect(comparisons).toBeLessThan(50 * COUNT);
});
