import { expect, inject, it } from 'vitest';
import { campaign } from '../support/campaign.ts';
import { type Omission, playCourse } from '../support/publish/marks-model.ts';

const STEPS = campaign({ quick: 20_000, long: 2_000_000 });

it('has whatever was written in the tables after the next publication, and until then a mark', () => {
  const { unmarked, lost, left, ...counts } = playCourse(inject('seed'), STEPS);
  expect({ unmarked, lost, left }).toEqual({ unmarked: [], lost: [], left: [] });
  // It was tried.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(STEPS / 500);
});

it.each<Omission>([
  'the mark comes before the write',
  'ages are told by the store',
  'a minute for moments of the store that differ',
  'a life is counted from before the put',
  'a life is counted by the wall clock, too',
  'a life is counted by the monotonic clock, too',
  'the moment is compared with one before the listing',
  'only marks that were listed are removed',
  'the day is opened before its units are listed',
  'the day is replaced only if it is the one that was opened',
  'a write that outlived its mark is marked again',
])('the protocol needs each of its parts: %s', (omission) => {
  // Seeds with the rare courses.
  const isFound = [3, 6, 82].some((seed) => {
    const { unmarked, lost } = playCourse(seed, 200_000, omission);
    return unmarked.length + lost.length > 0;
  });
  expect(isFound).toBe(true);
});
