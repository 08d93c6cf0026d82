import { exportCompany } from '../../../lib/export/company.ts';
import type { ExportTools } from '../../../lib/export/export-tools.ts';
import type { Unit, UnitResult } from '../../../lib/units/unit.ts';

/** Exports one unit; undefined if it was not finished. */
export async function exportUnit(unit: Unit, tools: ExportTools): Promise<UnitResult | undefined> {
  return (await exportCompany([unit], tools)).results[0];
}
