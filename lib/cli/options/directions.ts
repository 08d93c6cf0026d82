import { DIRECTIONS, type Direction } from '../../api/directions.ts';
import { UsageError } from '../command.ts';

/** The directions that were asked for; both when none was. Throws UsageError. */
export function askedDirections(names: readonly string[] = []): Direction[] {
  for (const name of names) {
    if (!DIRECTIONS.some((direction) => direction === name)) {
      throw new UsageError(`--direction takes ${DIRECTIONS.join(' or ')}, not "${name}".`);
    }
  }
  return DIRECTIONS.filter((direction) => names.length === 0 || names.includes(direction));
}
