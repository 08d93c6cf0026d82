import { ApiDownError, ApiError, UnauthorizedError } from '../../api/errors.ts';
import { type DayRange, widthDays } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import {
  type AskedDays,
  BoundComparison,
  type DayRows,
  noteAnswered,
  noteProved,
  type ServiceFacts,
} from './facts.ts';
import { isDenial, provedWidth, type ReadList } from './rule.ts';

/** A pair of days on which the lake has rows of one company: a list over them must show both. */
export interface Witness {
  rut: Rut;
  /** The pair. */
  days: DayRange;
  /** Rows that the lake has of these days and of those between. */
  rowCount: number;
}

export interface Witnesses<List> {
  /** A pair this far apart or a little further, or else the widest pair; none of these companies. */
  find(widthDays: number, without: ReadonlySet<string>): Promise<Witness | undefined>;
  /** The rows that the lake has of the pair's last day. */
  knownRows(witness: Witness): Promise<DayRows>;
  /** The rows at both ends of the list over these days, as far as one or two pages show them. */
  readEnds(witness: Witness, asked: AskedDays): Promise<List>;
}

/** A company that is gone, or whose token is refused, is replaced this often. */
const MOST_REPLACED = 3;

/**
 * Proves how wide the lists of one direction may be, before a run reads any: `neededDays`, with the day after the last
 * one, if the service answers such lists with rows at both ends, and otherwise the widest that it does. Throws nothing
 * but what the lake throws: without a proof, the run reads narrower lists.
 */
export async function proveWidth<List extends ReadList>(
  facts: ServiceFacts,
  neededDays: number,
  witnesses: Witnesses<List>,
): Promise<void> {
  const without = new Set<string>();
  let isNarrowed = false;
  for (let wanted = neededDays; wanted >= 2; ) {
    const witness = await witnesses.find(wanted, without);
    if (witness === undefined) break;
    const ends = await showsBothEnds(facts, witness, witnesses);
    if (ends === 'gone' && without.size < MOST_REPLACED) {
      without.add(witness.rut);
      continue;
    }
    if (ends === 'gone' || ends === 'down') return;
    if (typeof ends === 'number') {
      noteProved(facts, ends);
      // The day after a single day is part of no pair, but of every question.
      if (isNarrowed) facts.widestDays = Math.max(2, ends);
      return;
    }
    isNarrowed = true;
    wanted = Math.min(wanted, widthDays(witness.days)) >> 1;
  }
  if (isNarrowed) facts.widestDays = 2;
}

/**
 * Asks for the list that ends on the pair's second day, which tells about the bound, and then for one day more. Returns
 * how many days it proves, if it has rows on both days of the pair.
 */
async function showsBothEnds<List extends ReadList>(
  facts: ServiceFacts,
  witness: Witness,
  witnesses: Witnesses<List>,
): Promise<number | 'no' | 'gone' | 'down'> {
  const { from, to } = witness.days;
  const known = await witnesses.knownRows(witness);
  for (const isPast of [false, true]) {
    try {
      const list = await witnesses.readEnds(witness, { from, to, isPast });
      noteAnswered(facts, widthDays(witness.days) + Number(isPast));
      if (!isPast) compareBound(facts, witness, known, list);
      if (list.countOn(from) > 0 && list.countOn(to) > 0) return provedWidth(list, witness.days);
    } catch (error) {
      if (!(error instanceof ApiError)) return 'gone';
      if (error instanceof UnauthorizedError || isDenial(error)) return 'gone';
      if (error instanceof ApiDownError) return 'down';
    }
  }
  return 'no';
}

function compareBound(facts: ServiceFacts, { days }: Witness, known: DayRows, list: ReadList): void {
  const bound = new BoundComparison(facts);
  bound.noteKnown(days.to, known);
  bound.noteEnd(days.to, list.on(days.to));
}
