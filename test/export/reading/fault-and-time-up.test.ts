import { describe, expect, it } from 'vitest';
import { noFacts } from '../../../lib/export/reading/facts.ts';
import { LISTED_ON, type WireReceipt } from '../../support/api/fake-api.ts';
import { campaign } from '../../support/campaign.ts';
import { CompanyWorld, receiptOf } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

const RUN = { id: 'run', day: '2026-11-20' } as const;
/** The index of the day with the fault. */
const AT_FAULT = 3;

/** Eight days of 30 receipts, from a service whose habits are known. */
function newWorld(spoil: (world: CompanyWorld, day: string) => void): CompanyWorld {
  const world = new CompanyWorld(Array.from({ length: 8 }, () => 30));
  world.facts.recibidos = {
    ...noFacts(),
    isBoundWhole: true,
    longestPage: 100,
    isAnyPageSizeHonoured: true,
    provedWidthDays: 8,
    deepestRow: 1_000,
  };
  spoil(world, world.days[AT_FAULT] ?? DAY);
  return world;
}

function listedOn(day: string, receipt: WireReceipt): WireReceipt {
  return { ...receipt, [LISTED_ON]: `${day}T10:00:00` };
}

function firstOf(world: CompanyWorld, day: string): object {
  return world.listed.find(({ fecha_emision: issued }) => issued.startsWith(day)) ?? {};
}

/** Each fault, and the error of its day: that of the last ones only has to be told apart. */
const FAULTS: [string, (world: CompanyWorld, day: string) => void, RegExp?][] = [
  ['lists with the day are refused', (world, day) => world.api.brokenDays.add(day), /status 500/],
  [
    'a receipt has no id',
    (world, day) => Object.assign(firstOf(world, day), { id: null }),
    /position 1 .* no usable id/,
  ],
  [
    'a receipt is another company’s',
    (world, day) => Object.assign(firstOf(world, day), { receptor: { nro_doc: '211003420017' } }),
    /another company as its recipient/,
  ],
  [
    'a receipt is of a day that was not asked for',
    (world, day) => world.listed.push(listedOn(day, receiptOf('2025-01-01', 999_999))),
    /2025-01-01, which was not asked for/,
  ],
  [
    'a receipt says no day that exists',
    (world, day) =>
      world.listed.push(listedOn(day, received(999_999, { fecha_emision: '2026-02-30T00:00:00' }))),
  ],
  [
    'a receipt says another day than the one that lists it',
    (world, day) => world.listed.push(listedOn(day, receiptOf(world.days[6] ?? DAY, 999_999))),
  ],
];

/** The fewest requests with which every invocation gets further: those for one list and for parts of it. */
const LEAST_REQUESTS = new Map([
  ['a receipt is of a day that was not asked for', 12],
  ['a receipt says no day that exists', 14],
]);

/** Runs all invocations of a run, each with time for this many requests. */
async function exportInParts(world: CompanyWorld, requests: number) {
  const failed = new Map<string, string | undefined>();
  let { days } = world;
  for (let invocation = 0; days.length > 0; invocation += 1) {
    expect(invocation).toBeLessThan(40);
    const isTimeUp = () => world.api.requestCount >= requests;
    const { results, remaining } = await world.export({ run: RUN, isTimeUp }, {}, days);
    days = remaining.map(({ day }) => day);
    for (const { state, day, error } of results) if (state === 'fallido') failed.set(day, error);
  }
  return failed;
}

describe('a day at fault, in a run whose time is up again and again', () => {
  const BUDGETS = campaign({
    quick: [0, 9],
    long: Array.from({ length: 24 }, (_, more) => more),
  });

  it.each(FAULTS)('fails as it does in one go, and no other day does: %s', async (name, spoil, error) => {
    const whole = newWorld(spoil);
    const expected = await exportInParts(whole, Number.POSITIVE_INFINITY);
    const atFault = [whole.days[AT_FAULT], expect.stringMatching(error ?? '')];
    expect([...expected]).toEqual(error === undefined ? [] : [atFault]);
    for (const day of whole.days.filter((each) => error !== undefined && !expected.has(each)))
      expect([day, await whole.stored(day)]).toEqual([day, whole.held(day)]);
    for (const more of BUDGETS) {
      const requests = (LEAST_REQUESTS.get(name) ?? 4) + more;
      const world = newWorld(spoil);
      expect([requests, await exportInParts(world, requests)]).toEqual([requests, expected]);
      for (const day of world.days)
        expect([day, await world.stored(day)]).toEqual([day, await whole.stored(day)]);
    }
  });
});
