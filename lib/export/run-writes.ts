import * as v from 'valibot';
import type { StoredObject } from '../lake/store/store.ts';
import type { UnitResult } from './unit-result.ts';

/** How many rows an object has: so lists are planned without opening it. */
export const ROW_COUNT = 'cfe-lake.row-count';

/** Undefined where the object was written before that was kept. */
export function rowCountOf(stored: StoredObject): number | undefined {
  const text = stored.metadata[ROW_COUNT];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Kept beside the object and not in it: the same receipts give the same bytes, whichever run wrote them. */
const WRITES = 'cfe-lake.writes';
/** Runs that export a unit at the same time are two or three; what a store keeps beside an object is little. */
const RUNS_KEPT = 4;

/** What a unit's object has that the one before it had not. */
export type UnitChange = Required<Pick<UnitResult, 'nuevas' | 'cambiadas' | 'desaparecidas'>>;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const WritesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ corrida: v.string(), nuevas: Count, cambiadas: Count, desaparecidas: Count })),
);

/**
 * What the run itself changed in the unit's object, by an invocation that had no time to end the unit or was
 * killed before its audit; undefined when the run did not write it. It comes with the object in one atomic step,
 * so that there is no moment in which one is known without the other.
 */
export function changeByRun(stored: StoredObject | undefined, runId: string): UnitChange | undefined {
  const write = writesOf(stored).find(({ corrida }) => corrida === runId);
  return write && { nuevas: write.nuevas, cambiadas: write.cambiadas, desaparecidas: write.desaparecidas };
}

/** What is to be kept beside the object that takes the place of `stored`: this run's changes in all, and others'. */
export function metadataOfWrite(
  stored: StoredObject | undefined,
  runId: string,
  change: UnitChange,
): Record<string, string> {
  const others = writesOf(stored).filter(({ corrida }) => corrida !== runId);
  return { [WRITES]: JSON.stringify([{ corrida: runId, ...change }, ...others].slice(0, RUNS_KEPT)) };
}

/** Both together. */
export function addedChanges(a: UnitChange, b: UnitChange | undefined): UnitChange {
  return {
    nuevas: a.nuevas + (b?.nuevas ?? 0),
    cambiadas: a.cambiadas + (b?.cambiadas ?? 0),
    desaparecidas: a.desaparecidas + (b?.desaparecidas ?? 0),
  };
}

/** None where the store keeps nothing beside an object: on one machine, a run has one invocation. */
function writesOf(stored: StoredObject | undefined): v.InferOutput<typeof WritesSchema> {
  const parsed = v.safeParse(WritesSchema, stored?.metadata[WRITES]);
  return parsed.success ? parsed.output : [];
}
