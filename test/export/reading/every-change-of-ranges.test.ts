import { expect, it } from 'vitest';
import { noFacts } from '../../../lib/export/reading/service-facts.ts';
import type { WireReceipt } from '../../support/api/fake-api.ts';
import { campaign } from '../../support/campaign.ts';
import { CompanyWorld, receiptOf } from '../../support/export/company-world.ts';
import { DAY } from '../../support/export/unit-world.ts';

/** Receipts a day, near page boundaries, where a row can slip from one page to another unseen. */
const COUNTS = [
  [1, 0, 1],
  [25, 0, 26],
  [33, 33, 34],
  [50, 1, 50],
  [100, 0, 0],
  [0, 99, 2],
  [66, 67, 68],
];
const KINDS = ['insert', 'remove', 'move', 'emptyPage', 'shortPage'] as const;
const REQUESTS = [1, 2, 3, 4, 5, 6, 7, 8];

/** All combinations, or every seventh: still each kind of change at each request, and in each list. */
const COURSES = COUNTS.flatMap((counts) =>
  KINDS.flatMap((kind) =>
    [0, 0.99].flatMap((place) => REQUESTS.map((atRequest) => ({ counts, kind, place, atRequest }))),
  ),
).filter((_, index) => index % campaign({ quick: 7, long: 1 }) === 0);
type Course = (typeof COURSES)[number];

/** The ids of a day's receipts, as text. */
function heldOf(listed: readonly WireReceipt[], day: string): string {
  return listed
    .filter(({ fecha_emision: issued }) => issued.startsWith(day))
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join();
}

/** Exports the days during one change of their list. Returns the days stored in a state that they never had. */
async function wrongDays({ counts, kind, place, atRequest }: Course, isKnown: boolean): Promise<string[]> {
  const world = new CompanyWorld(counts);
  if (isKnown) {
    const known = { isEndDateInclusive: true, longestPage: 100, isAnyPageSizeHonoured: true };
    world.facts.recibidos = { ...noFacts(), ...known, provedWidthDays: 3 };
  }
  const states = [world.listed];
  world.api.beforeAnswer = (request) => {
    if (request !== atRequest) return;
    const { listed } = world;
    const index = Math.floor(place * listed.length);
    const row = listed[index];
    const [first = DAY, , last = DAY] = world.days;
    if (kind === 'insert') world.listed = listed.toSpliced(index, 0, receiptOf(first, 999_999));
    if (kind === 'remove') world.listed = listed.toSpliced(index, 1);
    if (kind === 'move' && row !== undefined) {
      world.listed = [...listed.toSpliced(index, 1), { ...row, fecha_emision: `${last}T10:00:00` }];
    }
    states.push(world.listed);
  };
  if (kind === 'emptyPage' || kind === 'shortPage') world.api.faults.set(atRequest, kind);
  await world.export();
  const wrong: string[] = [];
  for (const day of world.days) {
    const stored = (await world.stored(day)).join();
    if (!states.some((listed) => heldOf(listed, day) === stored)) wrong.push(day);
  }
  return wrong;
}

it.each([
  ['nothing known', false],
  ['its habits known', true],
])(
  'a list over three days yields each as it was at one moment, whatever happens at any request, %s',
  async (_, isKnown) => {
    const wrong: unknown[] = [];
    for (const course of COURSES) {
      const days = await wrongDays(course, isKnown);
      if (days.length > 0) wrong.push({ ...course, days });
    }
    expect(wrong).toEqual([]);
  },
);
