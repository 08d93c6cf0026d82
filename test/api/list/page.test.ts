import { expect, it } from 'vitest';
import { overlappingWindow, windowStartingAt } from '../../../lib/api/list/overlapping-pager.ts';
import { listedRows, windowOf } from '../../../lib/api/list/page.ts';

it('rows are counted by their whole id, those that come twice in a row once', () => {
  const [low, high] = [7n, 7n + 2n ** 32n];
  expect(listedRows(BigInt64Array.of(low, low, high, high, low))).toBe(3);
  expect(listedRows(BigInt64Array.of(low, low + 1n, high + 1n))).toBe(3);
  expect(listedRows(BigInt64Array.of(low, low + 1n, high + 1n, 0n, 0n))).toBe(4);
});

it.each([
  [250, windowOf(6, 50)],
  [240, windowOf(4, 80)],
  [97, windowOf(2, 97)],
  [101, windowOf(102, 1)],
])('the largest page that begins at row %i', (position, window) => {
  expect(windowStartingAt(position, 100)).toEqual(window);
});

it('the next page holds the last known row, reaches furthest, and is none of those that were asked for', () => {
  const asked = [windowOf(1, 100)];
  for (const window of [windowOf(2, 99), windowOf(2, 98), windowOf(2, 97)]) {
    expect(overlappingWindow(100, 100, ...asked)).toEqual(window);
    asked.push(window);
  }
});
