import type { Direction } from '../api/directions.ts';

/** The smallest thing that is exported: one company, one direction, one issue date. */
export interface Unit {
  rut: string;
  direccion: Direction;
  /** Issue date, `YYYY-MM-DD`. */
  fecha: string;
}

/** The units of a run for one company: the newest day first, since it is the one that people wait for. */
export function planUnits(rut: string, directions: readonly Direction[], days: readonly string[]): Unit[] {
  const newestFirst = [...days].sort().reverse();
  return newestFirst.flatMap((fecha) => directions.map((direccion) => ({ rut, direccion, fecha })));
}
