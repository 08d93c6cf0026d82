import { DIRECTIONS, type Direction } from '../../api/directions.ts';
import { type Option, UsageError } from '../command.ts';

export const DIRECTION_OPTION = {
  direction: {
    kind: 'values',
    placeholder: 'recibidos|emitidos',
    help: 'only this direction; may be repeated (default: both)',
  },
} as const satisfies Record<string, Option>;

/** The directions that were asked for; both when none was. Throws UsageError. */
export function askedDirections(names: readonly string[] = []): Direction[] {
  for (const name of names) {
    if (!DIRECTIONS.some((direction) => direction === name)) {
      throw new UsageError(`--direction takes ${DIRECTIONS.join(' or ')}, not "${name}".`);
    }
  }
  return DIRECTIONS.filter((direction) => names.length === 0 || names.includes(direction));
}
