import type { Direction } from '../../lib/units/unit.ts';
import { DAYS, dayText, weekday } from './calendar.ts';
import { fractionOf, hashText, mix } from './hash.ts';
import { RECEIPTS_PER_DAY_MAX } from './numbering.ts';

/** Receipts of one company and direction on one day: the same number every day, or a function. */
export type ReceiptsPerDay = number | ((rut: string, direction: Direction, day: string) => number);

/** How many receipts a company and direction has on each day. Days are days since FIRST_DAY. */
export interface Volume {
  /** Receipts with this issue day, once all have arrived. */
  count(day: number): number;
  /** Receipts with an earlier issue day: this day's numbers continue from there. */
  before(day: number): number;
}

/** Receipts on a working day of the first four companies: [emitidos, recibidos]. The fourth is idle. */
const FIRST_COMPANIES = [
  [820, 180],
  [15, 9],
  [60, 40],
  [0, 0],
] as const;

const WEEKDAY_WEIGHTS = [0.3, 0.9, 0.95, 1, 1.05, 1.3, 0.8] as const;
const WEIGHTS_BEFORE = WEEKDAY_WEIGHTS.map((_, i) => sumOf(WEEKDAY_WEIGHTS.slice(0, i)));
const WEEK_WEIGHT = sumOf(WEEKDAY_WEIGHTS);

function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}

export function volumeOf(
  receiptsPerDay: ReceiptsPerDay | undefined,
  { rut, position }: { rut: string; position: number },
  direction: Direction,
): Volume {
  const { count, before } =
    receiptsPerDay === undefined
      ? realisticVolume(rut, position, direction)
      : summedVolume(
          typeof receiptsPerDay === 'number'
            ? () => receiptsPerDay
            : (day) => receiptsPerDay(rut, direction, dayText(day)),
        );
  return { count: (day) => (day >= 0 && day < DAYS ? count(day) : 0), before };
}

/** Varies, is highest on Fridays and lowest on Sundays. The running total is a formula, so any day takes constant time. */
function realisticVolume(rut: string, position: number, direction: Direction): Volume {
  const rate = workingDayRate(rut, position, direction);
  const seed = hashText(`${rut} ${direction} volume`);
  const before = (day: number): number => {
    const weights = Math.floor(day / 7) * WEEK_WEIGHT + (WEIGHTS_BEFORE[weekday(day)] ?? 0);
    return Math.floor(rate * (weights + 0.1 * fractionOf(mix(seed, day))));
  };
  return { count: (day) => before(day + 1) - before(day), before };
}

function workingDayRate(rut: string, position: number, direction: Direction): number {
  const first = FIRST_COMPANIES[position];
  if (first !== undefined) return direction === 'emitidos' ? first[0] : first[1];
  const chance = hashText(`${rut} ${direction} rate`);
  return chance % 10 < 7 ? 0 : 5 + (mix(chance, 1) % 120);
}

/** Any number a day, summed day by day as far as it is asked for. */
function summedVolume(perDay: (day: number) => number): Volume {
  const sums = [0];
  const count = (day: number): number => {
    const receipts = perDay(day);
    checkReceiptsPerDay(receipts);
    return receipts;
  };
  return {
    count,
    before(day) {
      for (let last = sums.length - 1; last < day; last++) sums.push((sums[last] ?? 0) + count(last));
      return sums[day] ?? 0;
    },
  };
}

/** Throws a RangeError for a number of receipts that ids cannot encode. */
export function checkReceiptsPerDay(receipts: number): void {
  if (!Number.isInteger(receipts) || receipts < 0 || receipts >= RECEIPTS_PER_DAY_MAX)
    throw new RangeError(
      `receipts per day must be a whole number below ${RECEIPTS_PER_DAY_MAX}: ${receipts}`,
    );
}
