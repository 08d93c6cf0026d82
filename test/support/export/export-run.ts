import { exportPlanned, type PlannedRunOptions } from '../../../lib/export/run.ts';
import type { Day } from '../../../lib/time/days.ts';
import type { Rut } from '../../../lib/units/rut.ts';
import { type Direction, planUnits, type UnitResult } from '../../../lib/units/unit.ts';

interface RunOptions extends Omit<PlannedRunOptions, 'unitsOf'> {
  directions: readonly Direction[];
  /** Issue dates. */
  days: readonly Day[];
}

/** The companies of a sandbox, with tokens that last. */
export function companiesOf({
  companies,
}: {
  companies: readonly { rut: Rut; token: string }[];
}): RunOptions['companies'] {
  return companies.map(({ rut, token }) => ({
    rut,
    tokens: { current: async () => token, renew: async () => token },
  }));
}

/** Exports these days of all companies. */
export function exportRun({ directions, days, ...options }: RunOptions): Promise<UnitResult[]> {
  return exportPlanned({ ...options, unitsOf: (rut) => planUnits(rut, directions, days) });
}
