import { exportCompany } from '../../lib/export/company.ts';
import type { UnitTools } from '../../lib/export/unit-tools.ts';
import type { Unit, UnitResult } from '../../lib/export/units.ts';

/** Exports one unit; undefined when it was not finished. */
export async function exportUnit(unit: Unit, tools: UnitTools): Promise<UnitResult | undefined> {
  return (await exportCompany([unit], tools)).results[0];
}
