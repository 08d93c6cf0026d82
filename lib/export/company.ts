import { exportUnit } from './unit.ts';
import type { Unit } from './unit-plan.ts';
import type { UnitResult } from './unit-result.ts';
import type { UnitTools } from './unit-tools.ts';

export interface CompanyProgress {
  onUnitEnd?: (result: UnitResult) => void;
}

export interface CompanyExport {
  results: UnitResult[];
  /** Units that were not finished, the ones that were begun first: time was up, or the signal came. */
  remaining: Unit[];
}

/**
 * Exports the units of one company, as many at a time as requests may be in flight, so that the governor
 * always has one to send. A unit that fails does not touch the others.
 */
export async function exportCompany(
  units: readonly Unit[],
  tools: UnitTools,
  { onUnitEnd }: CompanyProgress = {},
): Promise<CompanyExport> {
  const remaining = [...units];
  const unfinished: Unit[] = [];
  const results: UnitResult[] = [];
  const work = async (): Promise<void> => {
    while (tools.isTimeUp?.() !== true && tools.signal?.aborted !== true) {
      const unit = remaining.shift();
      if (unit === undefined) return;
      const result = await exportUnit(unit, tools);
      if (result === undefined) {
        unfinished.push(unit);
        return;
      }
      results.push(result);
      onUnitEnd?.(result);
    }
  };
  await Promise.all(Array.from({ length: tools.client.governor.maxInFlight }, work));
  return { results, remaining: [...unfinished, ...remaining] };
}
