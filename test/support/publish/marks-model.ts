import { isMarkOver } from '../../../lib/lake/marks.ts';

/**
 * The protocol of marks as a small model: writers that mark days and write units, and publishers that build days, step
 * by step in any order, on machines whose clocks are wrong, are set back, or stand still while the machine sleeps. See
 * lib/lake/marks.ts and docs/decisions/0015.
 */

const MINUTE_MS = 60_000;
const INVOCATION_MS = 15 * MINUTE_MS;
const LEAST_LEFT_MS = 5 * MINUTE_MS;
/** A machine's clock may be wrong by so much, or be set back by it. */
const WRONG_MS = 25 * MINUTE_MS;
/** A moment of the store may be wrong by half of what two may differ. */
const STORE_WRONG_MS = MINUTE_MS / 2 - 1_000;
/** Days that are written to at a time; every so often a new one comes. */
const DAYS_AT_A_TIME = 6;
const STEPS_A_DAY = 1_000;
const UNITS = ['a', 'b'] as const;

/** A part of the protocol to leave out, so that a test can show that it is needed. */
export type Omission =
  | 'the mark comes before the write'
  | 'ages are told by the store'
  | 'a minute for moments of the store that differ'
  | 'a life is counted from before the put'
  | 'a life is counted by the wall clock, too'
  | 'a life is counted by the monotonic clock, too'
  | 'the moment is compared with one before the listing'
  | 'only marks that were listed are removed'
  | 'the day is opened before its units are listed'
  | 'the day is replaced only if it is the one that was opened'
  | 'a write that outlived its mark is marked again';

type Units = Partial<Record<(typeof UNITS)[number], number>>;
/** 'at once': nothing comes between this step and the next one. */
type Course = Generator<'at once' | undefined, void, undefined>;

/** A machine's clocks. None is set back and sleeps, too: then nothing tells how long a mark has lived. */
interface Machine {
  wallWrongMs: number;
  isSetBack: boolean;
  sleptMs: number;
}

interface Actor extends Machine {
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
    steps: 0,
    writes: 0,
    publications: 0,
    refused: 0,
    unmarked: [],
    lost: [],
    left: [],
  };
  let nowMs = 0;
  let names = 0;
  const units = new Map<string, Units>();
  const tables = new Map<string, { version: number; units: Units }>();
  const marks = new Map<string, { day: string; storedAtMs: number; untilMs: number }>();
  const upTo = (most: number) => Math.floor(random() * most);
  const oneOf = <T>(all: readonly T[]): T => all[upTo(all.length)] as T;
  const today = () => Math.floor(outcome.steps / STEPS_A_DAY);
  const isDone = (day: string) => isSame(tables.get(day)?.units ?? {}, units.get(day) ?? {});

  const storeTime = () => Math.floor((nowMs + oneOf([-1, 0, 1]) * STORE_WRONG_MS) / 1_000) * 1_000;

  function* writer(machine: Machine, isLambda: boolean): Course {
    const markedAt = new Map<string, { wallMs: number; monotonicMs: number }>();
    const clocks = () => ({ wallMs: nowMs + machine.wallWrongMs, monotonicMs: nowMs - machine.sleptMs });
    const ageMs = (day: string) => {
      const [now, put] = [clocks(), markedAt.get(day)];
      if (put === undefined) return Number.MAX_VALUE;
      const wallMs = now.wallMs - put.wallMs;
      const monotonicMs = now.monotonicMs - put.monotonicMs;
      if (omitted === 'a life is counted by the wall clock, too') return monotonicMs;
      return omitted === 'a life is counted by the monotonic clock, too'
        ? wallMs
        : Math.max(wallMs, monotonicMs);
    };
    function* mark(day: string, leastLeftMs: number, how?: 'at once'): Course {
      if (INVOCATION_MS - ageMs(day) >= leastLeftMs) return;
      const begun = clocks();
      yield how;
      names += 1;
      const untilMs = clocks().wallMs + INVOCATION_MS;
      marks.set(`mark-${names}`, { day, storedAtMs: storeTime(), untilMs });
      yield how;
      markedAt.set(day, omitted === 'a life is counted from before the put' ? clocks() : begun);
    }
    for (let writes = 1 + upTo(3); writes > 0; writes -= 1) {
      yield;
      const day = `day ${today() + upTo(DAYS_AT_A_TIME)}`;
      if (omitted !== 'the mark comes before the write') yield* mark(day, LEAST_LEFT_MS);
      yield;
      outcome.writes += 1;
      units.set(day, { ...units.get(day), [oneOf(UNITS)]: outcome.writes });
      // A process of one's own that slept is not killed in the moment between its write and its mark.
      yield !isLambda && ageMs(day) > INVOCATION_MS ? 'at once' : undefined;
      if (omitted !== 'a write that outlived its mark is marked again') yield* mark(day, 0, 'at once');
    }
  }

  function* publisher(machine: Machine): Course {
    const isByStore = omitted !== 'ages are told by the store';
    const now = () => (isByStore ? storeTime() : nowMs + machine.wallWrongMs);
    const listed = [...marks];
    yield;
    const beganMs = now();
    yield;
    for (const day of new Set(listed.map(([, mark]) => mark.day))) {
      while (!(yield* built(day))) outcome.refused += 1;
      outcome.publications += 1;
      const isListed = omitted !== 'only marks that were listed are removed';
      const since = omitted === 'the moment is compared with one before the listing' ? now() : beganMs;
      const extraMs = omitted === 'a minute for moments of the store that differ' ? MINUTE_MS : 0;
      for (const [name, mark] of isListed ? listed : [...marks]) {
        if (mark.day !== day) continue;
        const isOver = isByStore ? isMarkOver(mark, since + extraMs) : mark.untilMs < since;
        if (isListed && !isOver) continue;
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
  const begin = () => {
    const isPublisher = random() < 0.4;
    const isLambda = !isPublisher && random() < 0.5;
    const machine = { wallWrongMs: oneOf([-1, 0, 1]) * WRONG_MS, isSetBack: random() < 0.5, sleptMs: 0 };
    const actor: Actor = Object.assign(machine, {
      course: isPublisher ? publisher(machine) : writer(machine, isLambda),
      wakesAtMs: 0,
      endsAtMs: isLambda ? nowMs + INVOCATION_MS : Number.MAX_VALUE,
    });
    actors.add(actor);
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
    if (random() < 0.1) {
      const stillMs = upTo(oneOf([16, 70]) * MINUTE_MS);
      actor.wakesAtMs = nowMs + stillMs;
      if (actor.isSetBack && random() < 0.5) actor.wallWrongMs -= WRONG_MS;
      if (!actor.isSetBack) actor.sleptMs += stillMs;
    }
    if (actor.wakesAtMs > nowMs) continue;
    const isKilled = nowMs > actor.endsAtMs || random() < 0.01;
    if (isKilled) actors.delete(actor);
    else {
      let { done, value } = actor.course.next();
      while (done !== true && value === 'at once') ({ done, value } = actor.course.next());
      if (done === true) actors.delete(actor);
    }
    for (let place = 0; place < DAYS_AT_A_TIME; place += 1) {
      const day = `day ${today() + place}`;
      if (isDone(day) || [...marks.values()].some((mark) => mark.day === day)) continue;
      outcome.unmarked.push(day);
    }
  }
  nowMs += 26 * MINUTE_MS;
  const last = { wallWrongMs: 0, isSetBack: false, sleptMs: 0 };
  for (const course = publisher(last); course.next().done !== true; );
  outcome.lost = [...units.keys()].filter((day) => !isDone(day));
  outcome.left = [...marks.keys()];
  return outcome;
}

function isSame(units: Units, other: Units): boolean {
  return UNITS.every((unit) => units[unit] === other[unit]);
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
