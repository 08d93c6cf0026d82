import { exportUnit, type UnitTools } from './unit.ts';
import type { Unit } from './unit-plan.ts';
import type { UnitResult } from './unit-result.ts';

export interface CompanyProgress {
  onUnitEnd?: (result: UnitResult) => void;
  /** Asked before a unit is begun; once true, the rest is handed back. */
  isTimeUp?: () => boolean;
}

export interface CompanyExport {
  results: UnitResult[];
  /** Units that were not begun. */
  remaining: Unit[];
}

/**
 * Exports the units of one company, as many at a time as requests may be in flight, so that the governor
 * always has one to send. A unit that fails does not touch the others.
 */
export async function exportCompany(
  units: readonly Unit[],
  tools: UnitTools,
  { onUnitEnd, isTimeUp }: CompanyProgress = {},
): Promise<CompanyExport> {
  const remaining = [...units];
  const results: UnitResult[] = [];
  const work = async (): Promise<void> => {
    while (isTimeUp?.() !== true && tools.signal?.aborted !== true) {
      const unit = remaining.shift();
      if (unit === undefined) return;
      const result = await exportUnit(unit, tools);
      results.push(result);
      onUnitEnd?.(result);
    }
  };
  await Promise.all(Array.from({ length: tools.client.governor.maxInFlight }, work));
  return { results, remaining };
}
