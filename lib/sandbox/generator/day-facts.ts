import type { Direction } from '../../api/directions.ts';
import { dayText } from './calendar.ts';
import { hashText, mix } from './hash.ts';
import { firstIdOf, hasLongIds } from './ids.ts';
import type { DayFacts, ListOwner, World } from './receipt-list.ts';
import { volumeOf } from './volume.ts';

const DAYS_KEPT = 512;

/** The facts of a list's days, each computed once while it is in use. */
export function dayFacts(owner: ListOwner, direction: Direction, world: World): (day: number) => DayFacts {
  const { company, position } = owner;
  const volume = volumeOf(world.receiptsPerDay, { rut: company.rut, position }, direction);
  const listSeed = mix(hashText(`${company.rut} ${direction}`), world.seed);
  const isLong = hasLongIds(world.longIds, position);
  const kept = new Map<number, DayFacts>();

  return (day) => {
    const known = kept.get(day);
    if (known !== undefined) return known;
    if (kept.size >= DAYS_KEPT) kept.clear();
    const text = dayText(day);
    const count = volume.count(day);
    const facts = {
      day,
      text,
      issued: `${text}T00:00:00`,
      count,
      before: count === 0 ? 0 : volume.before(day),
      firstId:
        count === 0
          ? 0n
          : firstIdOf({ companyPosition: position, isIssued: direction === 'emitidos', day }, isLong),
      seed: mix(listSeed, day),
    };
    kept.set(day, facts);
    return facts;
  };
}
