import type { UnitResult } from '../export/units.ts';

/** What became of the details in one invocation. */
export interface DetailCounts {
  /** Given by the API, for units that were handed back too. */
  read: number;
  /** Receipts that the API has no detail of; their rows are kept from the list. Of units whose details did not fail. */
  notThere: number;
  /** Units whose details failed, or were left out since the day is too large. */
  unitsWithout: number;
}

/** Undefined where no details were asked for. */
export function countDetails(results: readonly UnitResult[], read: number): DetailCounts | undefined {
  const asked = results.filter(({ detalle }) => detalle !== undefined);
  if (asked.length === 0 && read === 0) return undefined;
  const complete = asked.filter(({ detalle }) => detalle === 'completo');
  return {
    read,
    notThere: complete.reduce((sum, { detalles_sin_leer: lacking = 0 }) => sum + lacking, 0),
    unitsWithout: asked.length - complete.length,
  };
}
