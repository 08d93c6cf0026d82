import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LEAST_WINDOW_ROWS } from '../../../lib/export/reading/rule.ts';
import { newFacts } from '../../../lib/export/reading/service-facts.ts';
import type { Day } from '../../../lib/time/days.ts';
import { LISTED_ON, type WireReceipt } from '../../support/api/fake-api.ts';
import { campaign } from '../../support/campaign.ts';
import { CompanyWorld, receiptOf } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

const RUN = { id: '20261120020000-nocturna', day: '2026-11-20' } as const;
/** From this invocation on, a run has all the time it needs. */
const INVOCATIONS = 12;

const service = fc.record({
  upperBound: fc.constantFrom('whole', 'whole', 'midnight', 'nothing'),
  pageCap: fc.constantFrom(100, 100, 50, 30, 7),
  isPageSizeIgnored: fc.boolean(),
  areOnlyWholePagesShown: fc.constantFrom(false, false, false, true),
  resultWindow: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 50, 150, 500, 1_000),
  widestDays: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
  over: fc.constantFrom('status400', 'status500', 'empty', 'last', 'first'),
});

const fault = fc.record({
  kind: fc.constantFrom('refused', 'withoutId', 'foreign', 'stray', 'undated'),
  dayIndex: fc.nat({ max: 9 }),
  place: fc.nat({ max: 10_000 }),
});

const invocation = fc.record({
  requests: fc.integer({ min: 40, max: 400 }),
  killedAt: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined, freq: 5 }),
  wrongAnswerAt: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined, freq: 3 }),
  wrongAnswer: fc.constantFrom('emptyPage', 'shortPage'),
  changeAt: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  change: fc.record({
    isRemoval: fc.boolean(),
    place: fc.nat({ max: 10_000 }),
    dayIndex: fc.nat({ max: 9 }),
  }),
  forgetsFacts: fc.boolean(),
  proves: fc.boolean(),
});

const course = fc.record({
  counts: fc.array(fc.constantFrom(0, 0, 0, 1, 2, 7, 30, 99, 100, 101, 230, 500), {
    minLength: 1,
    maxLength: 10,
  }),
  hasTimes: fc.boolean(),
  isNewestFirst: fc.boolean(),
  service,
  faults: fc.array(fault, { maxLength: 2 }),
  isChanging: fc.boolean(),
  invocations: fc.array(invocation, { minLength: INVOCATIONS, maxLength: INVOCATIONS }),
});
type Course = typeof course extends fc.Arbitrary<infer T> ? T : never;

/** A company's list through all its changes and faults, and what the lake must have of it. */
class Story {
  readonly world: CompanyWorld;
  /** Days that must fail. */
  readonly atFault = new Set<string>();
  /** Receipts that were listed for a while. They stay in the lake. */
  private readonly gone = new Set<number>();
  /** Ids of receipts without a valid day, by the day that lists them. */
  private readonly undated = new Map<string, number[]>();
  private readonly hour: string;
  private lastId = 900_000;

  constructor({ counts, hasTimes, isNewestFirst, service, faults }: Course) {
    this.world = new CompanyWorld(counts, hasTimes);
    if (hasTimes) {
      // Where there are times, fewer than twenty receipts of a day were issued at its first moment.
      for (const receipt of this.world.listed) {
        if (receipt.id % 60 !== 0) receipt.fecha_emision = `${receipt.fecha_emision.slice(0, 10)}T10:00:00`;
      }
    }
    this.hour = hasTimes ? 'T10:00:00' : 'T00:00:00';
    const { widestDays, over, ...habits } = service;
    Object.assign(this.world.api, habits);
    // With one page size only, no question could show those rows.
    if (habits.isPageSizeIgnored) this.world.api.areOnlyWholePagesShown = false;
    if (widestDays !== undefined) {
      // Where the bound excludes the last day, a single day is asked for up to the next one.
      const days = widestDays + Number(service.upperBound !== 'whole');
      this.world.api.widestRange = { days, over };
    }
    for (const fault of faults) this.spoil(fault);
    if (isNewestFirst) this.world.listed.reverse();
  }

  /** Adds or removes a receipt. */
  change({ isRemoval, place, dayIndex }: Course['invocations'][number]['change'], hasTimes: boolean): void {
    const { listed } = this.world;
    const at = place % (listed.length + 1);
    const candidate = listed[at];
    if (!isRemoval) {
      this.lastId += 1;
      this.world.listed = listed.toSpliced(at, 0, receiptOf(this.dayAt(dayIndex), this.lastId, hasTimes));
    } else if (candidate !== undefined && candidate.id < 900_000 && candidate.receptor === undefined) {
      this.gone.add(candidate.id);
      this.world.listed = listed.toSpliced(at, 1);
    }
  }

  /** Expects the lake to have the listed receipts of each day, unless the day failed. */
  async expectTruth(failed: ReadonlySet<string>): Promise<void> {
    for (const day of this.world.days) {
      if (failed.has(day)) continue;
      expect(this.atFault).not.toContain(day);
      const listed = [...this.world.held(day), ...(this.undated.get(day) ?? [])].sort((a, b) => a - b);
      const stored = (await this.world.stored(day)).filter((id) => !this.gone.has(id));
      expect(stored, day).toEqual(listed);
    }
  }

  private dayAt(index: number): Day {
    return this.world.days[index % this.world.days.length] ?? DAY;
  }

  private spoil({ kind, dayIndex, place }: Course['faults'][number]): void {
    const { world } = this;
    const day = this.dayAt(dayIndex);
    const spoilt = world.listed.find(({ fecha_emision: issued }) => issued.startsWith(day));
    this.lastId += 1;
    const put = (receipt: WireReceipt) => {
      const listed = { ...receipt, [LISTED_ON]: day + this.hour };
      world.listed = world.listed.toSpliced(place % (world.listed.length + 1), 0, listed);
    };
    if (kind === 'undated') {
      put(received(this.lastId, { fecha_emision: '2026-02-30T00:00:00' }));
      this.undated.set(day, [...(this.undated.get(day) ?? []), this.lastId]);
      return;
    }
    if (kind === 'refused') world.api.brokenDays.add(day);
    else if (kind === 'stray') put(receiptOf('2025-01-01', this.lastId));
    else if (spoilt === undefined) return;
    else if (kind === 'withoutId') Object.assign(spoilt, { id: null });
    else Object.assign(spoilt, { receptor: { nro_doc: '211003420017' } });
    this.atFault.add(day);
  }
}

/** Exports in invocations until no unit remains. Returns the days that failed, or are told to lack rows perhaps. */
async function exportInParts(story: Story, course: Course): Promise<Set<string>> {
  const { world } = story;
  const failed = new Set<string>();
  const { areOnlyWholePagesShown, resultWindow } = course.service;
  const mayLackRows = areOnlyWholePagesShown || resultWindow < LEAST_WINDOW_ROWS;
  const ended: string[] = [];
  let { days } = world;
  for (let part = 0; days.length > 0; part += 1) {
    expect(part).toBeLessThanOrEqual(INVOCATIONS);
    const plan = course.invocations[part];
    const kill = new AbortController();
    world.api.beforeAnswer = (request) => {
      if (request === plan?.killedAt) kill.abort(new Error('killed'));
      if (request === plan?.changeAt && course.isChanging) story.change(plan.change, course.hasTimes);
    };
    world.api.faults.clear();
    // Where whole pages alone are shown, just one page shows that there are more rows.
    if (plan?.wrongAnswerAt !== undefined && !world.api.areOnlyWholePagesShown)
      world.api.faults.set(plan.wrongAnswerAt, plan.wrongAnswer);
    if (plan?.forgetsFacts === true) world.facts = newFacts();
    if (plan?.proves === true) await world.prove();
    const isTimeUp = () => plan !== undefined && world.api.requestCount >= plan.requests;
    const tools = { run: RUN, isTimeUp, signal: kill.signal };
    const { results, remaining } = await world.export(tools, {}, days);
    ended.push(...results.map(({ day }) => day));
    for (const { state, day, isStable } of results)
      if (state === 'fallido' || (isStable === false && mayLackRows)) failed.add(day);
    days = remaining.map(({ day }) => day);
  }
  expect(ended.sort()).toEqual(world.days);
  return failed;
}

it('any days of any service, in a run that is out of time or killed again and again, end once each, true or failed', async () => {
  await fc.assert(
    fc.asyncProperty(course, async (given) => {
      const story = new Story(given);
      const failed = await exportInParts(story, given);
      if (!given.isChanging) await story.expectTruth(failed);
      // Nothing changes any more.
      const undisturbed = { ...given, isChanging: false, invocations: [] };
      await story.expectTruth(await exportInParts(story, undisturbed));
    }),
    { numRuns: campaign({ quick: 10, long: 1_000 }) },
  );
});
