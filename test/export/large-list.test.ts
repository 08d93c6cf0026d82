import { describe, expect, it } from 'vitest';
import { type PageSource, windowOf } from '../../lib/api/list/page.ts';
import { LargeList } from '../../lib/export/large-list.ts';
import { Semaphore } from '../../lib/system/concurrency.ts';
import { settled } from '../support/fake-clock.ts';

const SOURCE: PageSource = {
  context: { rut: '219999830019', direction: 'emitidos' },
  maxInFlight: 8,
  read: async ({ pageNumber }) => ({ pageNumber, items: [], ids: [] }),
};

function newList(largeUnits: Semaphore, signal = new AbortController().signal): LargeList {
  return new LargeList(largeUnits, signal);
}

const SMALL = windowOf(200, 100);
const LARGE = windowOf(201, 100);

/** Whether a read ends without anything else happening. */
async function goesOn(page: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  page.then(
    () => {
      hasEnded = true;
    },
    () => undefined,
  );
  await settled();
  return hasEnded;
}

describe('several units at once', () => {
  it('are all read up to 20,000 rows, and one of them further', async () => {
    const largeUnits = new Semaphore(1);
    const units = [0, 1, 2].map(() => newList(largeUnits));
    const sources = units.map((unit) => unit.limited(SOURCE));
    for (const source of sources) expect(await goesOn(source.read(SMALL))).toBe(true);
    const reads = sources.map((source) => source.read(LARGE));
    expect(await Promise.all(reads.map(goesOn))).toEqual([true, false, false]);
    units[0]?.end();
    expect(await Promise.all(reads.map(goesOn))).toEqual([true, true, false]);
    units[1]?.end();
    expect(await Promise.all(reads.map(goesOn))).toEqual([true, true, true]);
  });

  it('go on with all their pages that waited', async () => {
    const largeUnits = new Semaphore(1);
    const [first, second] = [newList(largeUnits), newList(largeUnits)];
    await first.limited(SOURCE).read(LARGE);
    const reads = [1, 2, 3].map(() => second.limited(SOURCE).read(LARGE));
    expect(await Promise.all(reads.map(goesOn))).toEqual([false, false, false]);
    first.end();
    expect(await Promise.all(reads.map(goesOn))).toEqual([true, true, true]);
  });

  it('that end without having been large change nothing', async () => {
    const largeUnits = new Semaphore(1);
    const [first, second, third] = [0, 1, 2].map(() => newList(largeUnits));
    await first?.limited(SOURCE).read(LARGE);
    second?.end();
    const waiting = third?.limited(SOURCE).read(LARGE) ?? Promise.resolve();
    expect(await goesOn(waiting)).toBe(false);
    first?.end();
    first?.end();
    expect(await goesOn(waiting)).toBe(true);
  });

  it('that are given up no longer wait', async () => {
    const largeUnits = new Semaphore(1);
    const abort = new AbortController();
    const [first, third] = [newList(largeUnits), newList(largeUnits)];
    const second = newList(largeUnits, abort.signal);
    await first.limited(SOURCE).read(LARGE);
    const given = second.limited(SOURCE).read(LARGE);
    const waiting = third.limited(SOURCE).read(LARGE);
    abort.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    second.end();
    first.end();
    expect(await goesOn(waiting)).toBe(true);
  });
});
