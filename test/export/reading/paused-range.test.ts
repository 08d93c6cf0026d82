import { describe, expect, it } from 'vitest';
import type { ListTally } from '../../../lib/api/list/page-request.ts';
import { newFacts, noFacts } from '../../../lib/export/reading/facts.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import type { Day } from '../../../lib/time/days.ts';
import { CompanyWorld, receiptOf, requestsOf } from '../../support/export/company-world.ts';
import { RUT } from '../../support/export/unit-world.ts';

const RUN = { id: 'run', day: '2026-11-20' } as const;
const KNOWN = {
  ...noFacts(),
  isBoundWhole: true,
  longestPage: 100,
  isAnyPageSizeHonoured: true,
  provedWidthDays: 3,
  deepestRow: 1_000,
};

/** Three days of 200 receipts, whose list takes some nine requests. */
function newWorld(): CompanyWorld {
  const world = new CompanyWorld([200, 200, 200]);
  world.facts.recibidos = { ...KNOWN };
  return world;
}

/** Tools of an invocation whose time is up after this many requests. */
function until(world: CompanyWorld, requests: number) {
  return { run: RUN, isTimeUp: () => world.api.requestCount >= requests };
}

describe('a list over several days that there was no time to read', () => {
  it('is continued, page by page, however often time is up', async () => {
    const whole = newWorld();
    await whole.export();
    const world = newWorld();
    let sent = 0;
    let accounted = 0;
    let parts = 0;
    let uncounted: ListTally | undefined;
    for (let isOver = false; !isOver; parts += 1) {
      const { results, remaining, ...done } = await world.export(until(world, 3), { uncounted });
      sent += world.api.requestCount;
      accounted += requestsOf(results);
      ({ uncounted } = done);
      isOver = remaining.length === 0;
    }
    expect(parts).toBeGreaterThan(2);
    for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
    // Pages that were read ahead are asked for again.
    expect(sent).toBeLessThanOrEqual(whole.api.requestCount + 3 * parts);
    expect(accounted).toBe(sent);
    expect([...world.store.objects.keys()].filter((key) => key.startsWith('.staging/'))).toEqual([]);
  });

  it('proves itself by the rows too that were read before', async () => {
    const world = newWorld();
    const [oldest = RUN.day] = world.days;
    await world.export(until(world, 3));
    world.facts.recibidos = { ...KNOWN, provedWidthDays: 1 };
    const firstDays = new Set<string | null>();
    world.api.onList = (query) => firstDays.add(query.get('FechaDesde'));
    await world.export({ run: RUN });
    expect([...firstDays]).toEqual([oldest]);
    for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
  });

  it('has a unit that was replaced meanwhile read again alone, and the others from what was kept', async () => {
    const world = newWorld();
    const [, middle = RUN.day] = world.days;
    await world.export(until(world, 3));
    // Another run exports the day, which has one receipt more by then.
    world.listed.push(receiptOf(middle, 999_999));
    await world.export({ run: { id: 'other', day: RUN.day } });
    const key = unitKey('recibidos', middle, RUT);
    const stored = await world.store.find(key);
    const lists: string[] = [];
    world.api.onList = (query) => lists.push(`${query.get('FechaDesde')}..${query.get('FechaHasta')}`);
    await world.export({ run: RUN });
    expect((await world.store.find(key))?.version).toBe(stored?.version);
    for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
  });

  it('ends each unit once, even if it tears when continued and a part of it is paused again', async () => {
    const world = newWorld();
    await world.export(until(world, 4));
    // The rows that were read move up, so the list is read in parts.
    world.listed.shift();
    const ended: string[] = [];
    let days: readonly Day[] = world.days;
    for (let part = 0; days.length > 0; part += 1) {
      expect(part).toBeLessThan(10);
      const { results, remaining } = await world.export(until(world, 6), {}, days);
      ended.push(...results.map(({ day }) => day));
      days = remaining.map(({ day }) => day);
    }
    expect(ended.sort()).toEqual(world.days);
    for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
  });

  it('is noticed to be cut after a number of rows also by a process that has read no first page', async () => {
    const world = new CompanyWorld([501]);
    Object.assign(world.api, { pageCap: 50, resultWindow: 500 });
    for (let part = 0; part < 3; part += 1) {
      world.facts.recibidos = noFacts();
      await world.export(until(world, part < 2 ? 8 : Number.POSITIVE_INFINITY));
    }
    for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
  });

  it('is noticed to be cut also by a process that does not know that bounds exclude their day', async () => {
    const world = new CompanyWorld([500, 7]);
    Object.assign(world.api, { upperBound: 'midnight', pageCap: 50, resultWindow: 500 });
    world.listed.reverse();
    // The second day is stored, and the list of the first one, which has some of the second day's rows, is under way.
    for (let part = 0; part < 2; part += 1) await world.export(until(world, 40));
    world.facts = newFacts();
    await world.export({ run: RUN }, {}, world.days.slice(0, 1));
    for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
  });

  it('begins again where its process was killed', async () => {
    const world = newWorld();
    const abort = new AbortController();
    world.api.beforeAnswer = (request) => {
      if (request === 4) abort.abort(new Error('killed'));
    };
    const first = await world.export({ run: RUN, signal: abort.signal });
    expect(first.results).toEqual([]);
    world.api.beforeAnswer = () => undefined;
    await world.export({ run: RUN });
    for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
  });
});
