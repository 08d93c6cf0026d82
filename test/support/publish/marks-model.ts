import { isMarkOver } from '../../../lib/lake/marks.ts';

/**
 * The protocol of marks as a small model: writers that mark days and write units, and publishers that build days, step
 * by step in any order, on clocks that differ by up to five minutes. See lib/lake/marks.ts and docs/decisions/0015.
 */

const MINUTE_MS = 60_000;
const INVOCATION_MS = 15 * MINUTE_MS;
const LEAST_LEFT_MS = 5 * MINUTE_MS;
/** Each clock may be wrong by half of what two may differ. */
const MOST_WRONG_MS = 2.5 * MINUTE_MS;
/** Days that are written to at a time; every so often a new one comes. */
const DAYS_AT_A_TIME = 6;
const STEPS_A_DAY = 1_000;
const UNITS = ['a', 'b'] as const;

/** A part of the protocol to leave out, so that a test can show that it is needed. */
export type Omission =
  | 'the mark comes before the write'
  | 'five minutes for clocks that differ'
  | 'the moment is compared with one before the listing'
  | 'only marks that were listed are removed'
  | 'the day is opened before its units are listed'
  | 'the day is replaced only if it is the one that was opened'
  | 'a write that outlived its mark is marked again';

type Units = Partial<Record<(typeof UNITS)[number], number>>;
type Course = Generator<'write outlived its mark' | undefined, void, undefined>;

interface Actor {
  course: Course;
  /** When Lambda ends it, in true time; never for a process of one's own. */
  endsAtMs: number;
  /** It sleeps until then, in true time. */
  wakesAtMs: number;
}

export interface CourseOutcome {
  steps: number;
  writes: number;
  publications: number;
  refused: number;
  /** Days that at some step had neither their units' rows nor a mark. */
  unmarked: string[];
  /** Days without their units' rows after the last publication, and marks that it left. */
  lost: string[];
  left: string[];
}

/** The same course for the same seed. */
export function playCourse(seed: number, stepCount: number, omitted?: Omission): CourseOutcome {
  const random = randomBy(seed);
  const outcome: CourseOutcome = {
    ...{ steps: 0, writes: 0, publications: 0, refused: 0 },
    ...{ unmarked: [], lost: [], left: [] },
  };
  let nowMs = 0;
  let names = 0;
  const units = new Map<string, Units>();
  const tables = new Map<string, { version: number; units: Units }>();
  const marks = new Map<string, { day: string; untilMs: number }>();
  const upTo = (most: number) => Math.floor(random() * most);
  const oneOf = <T>(all: readonly T[]): T => all[upTo(all.length)] as T;
  const today = () => Math.floor(outcome.steps / STEPS_A_DAY);
  const isDone = (day: string) => isSame(tables.get(day)?.units ?? {}, units.get(day) ?? {});

  function* writer(wrongMs: number, isLambda: boolean): Course {
    const own = new Map<string, number>();
    const now = () => nowMs + wrongMs;
    const mark = (day: string, leastLeftMs: number) => {
      const last = own.get(day);
      if (last !== undefined && last - now() >= leastLeftMs) return;
      own.set(day, now() + INVOCATION_MS);
      names += 1;
      marks.set(`mark-${names}`, { day, untilMs: now() + INVOCATION_MS });
    };
    for (let writes = 1 + upTo(3); writes > 0; writes -= 1) {
      yield;
      const day = `day ${today() + upTo(DAYS_AT_A_TIME)}`;
      if (omitted !== 'the mark comes before the write') mark(day, LEAST_LEFT_MS);
      yield;
      outcome.writes += 1;
      units.set(day, { ...units.get(day), [oneOf(UNITS)]: outcome.writes });
      yield !isLambda && (own.get(day) ?? 0) < now() ? 'write outlived its mark' : undefined;
      if (omitted !== 'a write that outlived its mark is marked again') mark(day, 0);
    }
  }

  function* publisher(wrongMs: number): Course {
    const now = () => nowMs + wrongMs;
    const beganMs = now();
    yield;
    const listed = [...marks];
    for (const day of new Set(listed.map(([, mark]) => mark.day))) {
      while (!(yield* built(day))) outcome.refused += 1;
      outcome.publications += 1;
      const isListed = omitted !== 'only marks that were listed are removed';
      const since = omitted === 'the moment is compared with one before the listing' ? now() : beganMs;
      const extraMs = omitted === 'five minutes for clocks that differ' ? 5 * MINUTE_MS : 0;
      for (const [name, mark] of isListed ? listed : [...marks]) {
        if (mark.day !== day) continue;
        if (!isMarkOver(mark, isListed ? since + extraMs : Number.MAX_VALUE)) continue;
        yield;
        marks.delete(name);
      }
    }
  }

  /** Whether the day is up to date with a listing of its units, and not with what another publisher has replaced. */
  function* built(day: string): Generator<undefined, boolean, undefined> {
    const isOpenedFirst = omitted !== 'the day is opened before its units are listed';
    let opened = tables.get(day);
    yield;
    const listing: Units = {};
    // In pages.
    for (const unit of UNITS) {
      if (random() < 0.3) yield;
      const version = units.get(day)?.[unit];
      if (version !== undefined) listing[unit] = version;
    }
    if (!isOpenedFirst) {
      yield;
      opened = tables.get(day);
    }
    if (isSame(opened?.units ?? {}, listing)) return true;
    for (const unit of UNITS) {
      if (random() < 0.3) yield;
      if (listing[unit] !== undefined && units.get(day)?.[unit] !== listing[unit]) return false;
    }
    yield;
    const isUnread = omitted === 'the day is replaced only if it is the one that was opened';
    if (!isUnread && tables.get(day)?.version !== opened?.version) return false;
    names += 1;
    tables.set(day, { version: names, units: listing });
    return true;
  }

  const actors = new Set<Actor>();
  const wrong = () => oneOf([-1, 0, 1]) * MOST_WRONG_MS;
  const begin = () => {
    const isPublisher = random() < 0.4;
    const isLambda = !isPublisher && random() < 0.7;
    const course = isPublisher ? publisher(wrong()) : writer(wrong(), isLambda);
    actors.add({ course, wakesAtMs: 0, endsAtMs: isLambda ? nowMs + INVOCATION_MS : Number.MAX_VALUE });
  };
  for (; outcome.steps < stepCount; outcome.steps += 1) {
    nowMs += upTo(random() < 0.03 ? 8 * MINUTE_MS : 3_000);
    if (actors.size < 4 || (actors.size < 12 && random() < 0.1)) begin();
    const awake = [...actors].filter(({ wakesAtMs }) => wakesAtMs <= nowMs);
    if (awake.length === 0) {
      nowMs += MINUTE_MS;
      continue;
    }
    const actor = oneOf(awake);
    // A machine, or a request, stands still.
    if (random() < 0.1) actor.wakesAtMs = nowMs + upTo(oneOf([16, 70])) * MINUTE_MS;
    if (actor.wakesAtMs > nowMs) continue;
    const isKilled = nowMs > actor.endsAtMs || random() < 0.01;
    let isOutlived = false;
    if (!isKilled) {
      const { done, value } = actor.course.next();
      if (done === true) actors.delete(actor);
      isOutlived = value !== undefined;
      // A process of one's own that slept is not killed in the moment between its write and its mark.
      if (isOutlived && actor.course.next().done === true) actors.delete(actor);
    } else actors.delete(actor);
    for (let place = 0; place < DAYS_AT_A_TIME; place += 1) {
      const day = `day ${today() + place}`;
      if (isDone(day) || [...marks.values()].some((mark) => mark.day === day)) continue;
      outcome.unmarked.push(day);
    }
  }
  nowMs += 26 * MINUTE_MS;
  for (const course = publisher(0); course.next().done !== true; );
  outcome.lost = [...units.keys()].filter((day) => !isDone(day));
  outcome.left = [...marks.keys()];
  return outcome;
}

function isSame(one: Units, other: Units): boolean {
  return UNITS.every((unit) => one[unit] === other[unit]);
}

/** Numbers from 0 to 1 by lot, the same for the same seed (mulberry32). */
function randomBy(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
