import { describe, expect, it } from 'vitest';
import type { PageFacts } from '../../../lib/api/list/page.ts';
import { readListing } from '../../../lib/api/list/read-listing.ts';
import { campaign } from '../../support/campaign.ts';
import { type FakeEvent, FakeList, IdSink, unionOf } from './fake-list.ts';

/** Lengths near page boundaries, where a row can slip from one page to another unseen. */
const LENGTHS = [1, 2, 3, 19, 20, 21, 39, 40, 41, 50, 51, 99, 100, 101, 102, 199, 200, 201];
const EVENTS: readonly FakeEvent[] = (['insert', 'remove', 'emptyPage', 'shortPage'] as const).flatMap(
  (kind) =>
    [0, 0.5, 0.99].flatMap((at) =>
      Array.from({ length: 10 }, (_, request): FakeEvent => ({ kind, at, atRequest: request + 1 })),
    ),
);

/** `npm test` tries each length with some of the events, with others in each test. */
const STRIDE = campaign({ quick: 4, long: 1 });

describe.each([20, 50, 100])('a list whose pages have up to %d rows', (pageCap) => {
  const known: PageFacts = { longestPage: pageCap };
  it.each([
    ['any size honoured, nothing known', {}, {}, 0],
    ['any size honoured, the longest page known', {}, known, 1],
    ['any size honoured, which is known', {}, { ...known, isAnyPageSizeHonoured: true }, 0],
    ['any size of 15 rows or more honoured', { leastPageSize: 15 }, {}, 1],
    ['one size only, nothing known', { isSizeIgnored: true }, {}, 2],
    ['one size only, the longest page known', { isSizeIgnored: true }, known, 3],
    ['one size only, which is known', { isSizeIgnored: true }, { isAnyPageSizeHonoured: false }, 2],
  ])(
    'is read as it was at one moment, whatever happens at any request: %s',
    async (_, behaviour, facts, turn) => {
      const wrong: unknown[] = [];
      for (const [row, length] of LENGTHS.entries()) {
        for (const event of EVENTS.filter((_, index) => (row + index + turn) % STRIDE === 0)) {
          const list = new FakeList(length, { pageCap, ...behaviour }, [event]);
          const reading = await readListing(list, { ...facts }, () => new IdSink());
          const found = unionOf(reading?.attempts ?? []);
          const isTruth = list.states.some(
            (state) => state.length === found.size && state.every((id) => found.has(id)),
          );
          if (!isTruth) wrong.push({ length, event });
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});
