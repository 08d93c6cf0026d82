import { DIRECTIONS, type Direction } from '../../api/directions.ts';
import type { Option } from '../option.ts';

export const DIRECTION_OPTION = {
  direction: {
    kind: 'values',
    placeholder: 'recibidos|emitidos',
    help: 'only this direction; may be repeated (default: both)',
    choices: () => DIRECTIONS,
  },
} as const satisfies Record<string, Option>;

/** The directions that were asked for; both when none was. */
export function askedDirections(names: readonly string[] = []): Direction[] {
  return DIRECTIONS.filter((direction) => names.length === 0 || names.includes(direction));
}
