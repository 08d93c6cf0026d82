import type { Direction } from '../../api/directions.ts';
import { isTargeted, type RowChange, type SandboxBehaviour } from '../behaviour.ts';
import { dayText } from '../generator/calendar.ts';

/** Indexes [start, end) of a day's list that are not in it at the moment. */
export interface Block {
  start: number;
  end: number;
}

/** Rows that vanish from, or appear in, a day's list while it is read. */
export interface RowChanges {
  /** Must be called after each answer to a list request, with its FechaDesde. */
  countListRequest(unit: ListUnit): void;
  /**
   * The blocks that are hidden now, in order, without overlaps. `appeared` is the list's length if nothing is hidden.
   */
  hidden(unit: ListUnit, appeared: number): readonly Block[];
}

export interface ListUnit {
  rut: string;
  direction: Direction;
  day: number;
}

const NONE: readonly Block[] = [];

interface UnitState {
  listRequests: number;
  removed: Block | undefined;
  inserted: Block | undefined;
}

export function rowChanges(behaviour: Readonly<SandboxBehaviour>): RowChanges {
  const { removeRows, insertRows, faultTarget, order } = behaviour;
  const states = new Map<string, UnitState>();
  const isOff = removeRows === null && insertRows === null;

  const stateOf = (unit: ListUnit): UnitState | undefined => {
    if (isOff) return undefined;
    const { rut, direction } = unit;
    const day = dayText(unit.day);
    if (!isTargeted(faultTarget, { rut, direction, day })) return undefined;
    const key = `${rut}|${direction}|${day}`;
    const state = states.get(key) ?? { listRequests: 0, removed: undefined, inserted: undefined };
    states.set(key, state);
    return state;
  };

  return {
    countListRequest(unit) {
      const state = stateOf(unit);
      if (state !== undefined) state.listRequests++;
    },
    hidden(unit, appeared) {
      const state = stateOf(unit);
      if (state === undefined) return NONE;
      const blocks: Block[] = [];
      if (removeRows !== null && state.listRequests >= removeRows.afterListRequests) {
        // The rows removed first stay removed, however the list grows.
        state.removed ??= blockOf(removeRows, appeared, order === 'id-desc');
        blocks.push(state.removed);
      }
      if (insertRows !== null) {
        state.inserted ??= blockOf(insertRows, appeared, order === 'id-desc');
        if (state.listRequests < insertRows.afterListRequests) blocks.push(state.inserted);
      }
      return apart(blocks, appeared);
    },
  };
}

function blockOf(change: RowChange, appeared: number, isDescending: boolean): Block {
  const count = Math.min(change.count, appeared);
  const isAtStart = change.position === (isDescending ? 'end' : 'start');
  const start =
    change.position === 'middle' ? Math.floor((appeared - count) / 2) : isAtStart ? 0 : appeared - count;
  return { start, end: start + count };
}

/** Sorts the blocks, joins overlaps, and cuts them at the end of the list. */
function apart(blocks: readonly Block[], appeared: number): Block[] {
  const joined: Block[] = [];
  for (const block of blocks.toSorted((a, b) => a.start - b.start)) {
    const start = Math.max(block.start, joined.at(-1)?.end ?? 0);
    const end = Math.min(block.end, appeared);
    if (end > start) joined.push({ start, end });
  }
  return joined;
}
