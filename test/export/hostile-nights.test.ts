import { describe, expect, it } from 'vitest';
import { findMissingUnits } from '../../lib/audit/history.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { addDays, type Day, daysBetween } from '../../lib/time/days.ts';
import { DIRECTIONS, planUnits } from '../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour } from '../../sandbox/behaviour.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { oneIn } from '../support/campaign.ts';
import { startSimulation } from '../support/export/simulation.ts';
import { lakeRows } from '../support/lake/lake-truth.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

/** A busy company, a quiet one, and one without receipts. */
const ruts = sandboxCompanies(3).map(({ rut }) => rut);
const PER_DAY = [40, 2, 0];
/** The days that each night reads. */
const NIGHTS = [12, 3, 3, 12];

const LIMITS: Partial<SandboxBehaviour>[] = [
  {},
  ...([1, 2, 7] as const).flatMap((maxRangeDays) =>
    (['400', '500', 'empty', 'last', 'first'] as const).map((overRange) => ({ maxRangeDays, overRange })),
  ),
  { resultWindow: 100 },
  { resultWindow: 1_000, pastEnd: '404' },
];
const SERVICES = LIMITS.flatMap((limit) =>
  (['inclusive', 'exclusive'] as const).map((upperBound) => ({ ...limit, upperBound })),
);

describe('in some nights of a service, what the lake lacks is named as missing', () => {
  it.each(oneIn(4, SERVICES))('%j', { timeout: 120_000 }, async (behaviour) => {
    const { sandbox, exportAt } = await startSimulation({
      companyCount: ruts.length,
      receiptsPerDay: (rut) => PER_DAY[ruts.indexOf(rut as (typeof ruts)[number])] ?? 0,
    });
    const store = new MemoryStore(() => 0);
    for (const [night, dayCount] of NIGHTS.entries()) {
      const today: Day = addDays('2026-11-20', night);
      const now = `${today}T03:00:00`;
      sandbox.setNow(now);
      // The service is as it should be in the first night, and has its limits from then on; the last night it has none.
      sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...(night > 0 && behaviour) });
      const days = daysBetween(addDays(today, -dayCount), addDays(today, -1));
      await exportAt(now, days, store);
      await publishLagging(store, writeWithHyparquet);
      const { missing } = await findMissingUnits(store, ruts, DIRECTIONS, days);
      const nameOf = (unit: { rut: string; direction: string; day: string }) =>
        `${unit.rut} ${unit.direction} ${unit.day}`;
      const told = new Set(missing.map(nameOf));
      for (const unit of ruts.flatMap((rut) => planUnits(rut, DIRECTIONS, days))) {
        if (told.has(nameOf(unit))) continue;
        const stored = (await lakeRows(store, unit))?.map(({ id }) => id) ?? [];
        const listed = [...sandbox.truth(unit.rut, unit.direction, unit.day)].map(({ id }) => id);
        expect([nameOf(unit), stored]).toEqual([nameOf(unit), listed]);
      }
    }
  });
});
