import { expect, it } from 'vitest';
import { openedAhead } from '../../lib/publish/unit-object.ts';

/** The most items and bytes that were open at once, for items of these sizes, and the order of the items. */
async function mostOpen(
  sizes: readonly number[],
): Promise<{ mostItems: number; mostBytes: number; order: number[] }> {
  const open = new Set<number>();
  const seen = { mostItems: 0, mostBytes: 0, order: [] as number[] };
  const items = sizes.map((byteCount, index) => ({ byteCount, index }));
  const opened = openedAhead(items, async ({ byteCount, index }) => {
    open.add(index);
    seen.mostItems = Math.max(seen.mostItems, open.size);
    seen.mostBytes = Math.max(
      seen.mostBytes,
      [...open].reduce((sum, other) => sum + (sizes[other] ?? 0), 0),
    );
    await new Promise(setImmediate);
    return { byteCount, index, close: async () => void open.delete(index) };
  });
  for await (const { index } of opened) seen.order.push(index);
  expect(open.size).toBe(0);
  return seen;
}

it('opens many small items ahead, and each large one alone', async () => {
  const small = await mostOpen(Array.from({ length: 40 }, () => 1000));
  expect(small.mostItems).toBe(32);
  expect(small.order).toEqual(Array.from({ length: 40 }, (_, index) => index));
  const middling = await mostOpen(Array.from({ length: 40 }, () => 400_000));
  expect(middling.mostBytes).toBe(800_000);
  const large = await mostOpen([5_000_000, 7_000_000, 1000, 6_000_000, 1000, 1000]);
  expect(large.mostBytes).toBeLessThan(7_000_000 + 10_000);
  expect(large.order).toEqual([0, 1, 2, 3, 4, 5]);
});

it('closes open items when the reader stops, and throws a failure in its turn', async () => {
  const closed: number[] = [];
  const items = [0, 1, 2, 3].map((index) => ({ index, byteCount: 1 }));
  const open = async ({ index }: { index: number }) => {
    if (index === 2) throw new Error('the third');
    return { index, close: async () => void closed.push(index) };
  };
  for await (const { index } of openedAhead(items, open)) if (index === 0) break;
  expect(closed.sort()).toEqual([0, 1, 3]);
  const order: number[] = [];
  const all = async () => {
    for await (const { index } of openedAhead(items, open)) order.push(index);
  };
  await expect(all()).rejects.toThrow('the third');
  expect(order).toEqual([0, 1]);
});
