import type { Direction } from '../../lib/api/directions.ts';
import { DAYS, dayText, weekday } from './calendar.ts';
import { fractionOf, hashText, mix } from './hash.ts';

/** Receipts of one company and direction on one day: the same number every day, or a function. */
export type ReceiptsPerDay = number | ((rut: string, direction: Direction, day: string) => number);

/** How many receipts a company and direction has on each day. Days are days since FIRST_DAY. */
export interface Volume {
  /** Receipts with this issue day, once all have arrived. */
  count(day: number): number;
  /** Receipts with an earlier issue day: this day's numbers continue from there. */
  before(day: number): number;
}

/** An index within a day takes 24 bits of an id. */
export const RECEIPTS_PER_DAY_MAX = 2 ** 24;

/** Receipts on a working day of the first four companies: [emitidos, recibidos]. The fourth is idle. */
const FIRST_COMPANIES = [
  [820, 180],
  [260, 140],
  [60, 190],
  [0, 0],
] as const;

const WEEKDAY_WEIGHTS = [0.7, 1, 1, 1, 1, 1, 0.85] as const;
const WEEK_WEIGHT = WEEKDAY_WEIGHTS.reduce((sum, weight) => sum + weight, 0);
const WEIGHT_BEFORE_WEEKDAY = WEEKDAY_WEIGHTS.map((_, i) =>
  WEEKDAY_WEIGHTS.slice(0, i).reduce((sum, weight) => sum + weight, 0),
);
const CHECKPOINT_DAYS = 64;

export function volumeOf(
  receiptsPerDay: ReceiptsPerDay | undefined,
  company: { rut: string; position: number },
  direction: Direction,
): Volume {
  const volume =
    receiptsPerDay === undefined
      ? realisticVolume(company, direction)
      : typeof receiptsPerDay === 'number'
        ? constantVolume(receiptsPerDay)
        : countedVolume((day) => receiptsPerDay(company.rut, direction, dayText(day)));
  return {
    count: (day) => (day >= 0 && day < DAYS ? volume.count(day) : 0),
    before: (day) => volume.before(day),
  };
}

function constantVolume(perDay: number): Volume {
  checkCount(perDay);
  return { count: () => perDay, before: (day) => perDay * day };
}

/** Varies, and is lower at weekends. The running total is a formula, so any day takes constant time. */
function realisticVolume(company: { rut: string; position: number }, direction: Direction): Volume {
  const rate = workingDayRate(company, direction);
  const seed = hashText(`${company.rut} ${direction} volume`);
  const before = (day: number): number =>
    Math.floor(
      rate *
        (Math.floor(day / 7) * WEEK_WEIGHT +
          (WEIGHT_BEFORE_WEEKDAY[weekday(day)] ?? 0) +
          0.1 * fractionOf(mix(seed, day))),
    );
  return { count: (day) => before(day + 1) - before(day), before };
}

function workingDayRate(company: { rut: string; position: number }, direction: Direction): number {
  const first = FIRST_COMPANIES[company.position];
  if (first !== undefined) return direction === 'emitidos' ? first[0] : first[1];
  const chance = hashText(`${company.rut} ${direction} rate`);
  return chance % 10 < 7 ? 0 : 5 + (mix(chance, 1) % 120);
}

/** The volume of a caller's function: summed day by day, with every 64th sum kept. */
function countedVolume(perDay: (day: number) => number): Volume {
  const checkpoints = [0];
  const count = (day: number): number => {
    const receipts = perDay(day);
    checkCount(receipts);
    return receipts;
  };
  return {
    count,
    before(day) {
      const block = Math.floor(day / CHECKPOINT_DAYS);
      for (let known = checkpoints.length - 1; known < block; known++) {
        let sum = checkpoints[known] ?? 0;
        for (let i = 0; i < CHECKPOINT_DAYS; i++) sum += count(known * CHECKPOINT_DAYS + i);
        checkpoints.push(sum);
      }
      let sum = checkpoints[block] ?? 0;
      for (let earlier = block * CHECKPOINT_DAYS; earlier < day; earlier++) sum += count(earlier);
      return sum;
    },
  };
}

function checkCount(receipts: number): void {
  if (!Number.isInteger(receipts) || receipts < 0 || receipts >= RECEIPTS_PER_DAY_MAX)
    throw new RangeError(
      `receipts per day must be a whole number below ${RECEIPTS_PER_DAY_MAX}: ${receipts}`,
    );
}
