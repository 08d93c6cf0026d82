import { expect, it } from 'vitest';
import { sealRuns } from '../../lib/audit/seal.ts';
import { writeAudit } from '../../lib/audit/write.ts';
import { renderCoverageHtml } from '../../lib/coverage/coverage-page.ts';
import { readCoverage } from '../../lib/coverage/read-coverage.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { addDays, daysBetween } from '../../lib/time/days.ts';
import { DIRECTIONS, planUnits } from '../../lib/units/unit.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { campaign } from '../support/campaign.ts';
import { audit, NOW_MS, readOn, runIdOf, TODAY } from '../support/coverage/coverage-lake.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

class CountingStore extends MemoryStore {
  readonly opened: string[] = [];

  override open(key: string) {
    this.opened.push(key);
    return super.open(key);
  }
}

const { DAYS, COMPANIES, OBJECTS } = campaign({
  quick: { DAYS: 30, COMPANIES: 20, OBJECTS: 200 },
  long: { DAYS: 100, COMPANIES: 200, OBJECTS: 350 },
});
const RUTS = sandboxCompanies(COMPANIES).map(({ rut }) => rut);

it(`opens some ${OBJECTS} objects for ${DAYS} days of ${COMPANIES} companies: those of the runs, and no unit`, async () => {
  const store = new CountingStore(() => NOW_MS);
  // The runs that may have read one of the days: two a night and one a week.
  for (const night of daysBetween(addDays(TODAY, -60 - DAYS), TODAY)) {
    const isWeekly = new Date(`${night}T00:00:00Z`).getUTCDay() === 0;
    for (const name of ['recibidos', 'emitidos', ...(isWeekly ? ['semanal'] : [])]) {
      const [rut = '0'] = RUTS;
      const results = planUnits(rut, DIRECTIONS, [addDays(night, -1)]).map((unit) => readOn(night, unit));
      await writeAudit({ store, writer: writeWithHyparquet }, { id: runIdOf(name), day: night }, results);
    }
  }
  const last = { id: runIdOf('all'), day: TODAY } as const;
  for (const rut of RUTS) {
    const units = planUnits(rut, DIRECTIONS, daysBetween(addDays(TODAY, -3), addDays(TODAY, -1)));
    const results = units.map((unit) => readOn(TODAY, unit));
    await writeAudit({ store, writer: writeWithHyparquet }, last, results);
  }
  await sealRuns({ store, writer: writeWithHyparquet });
  store.opened.length = 0;
  const range = { from: addDays(TODAY, -DAYS), to: addDays(TODAY, -1) };
  let companyCount = 0;
  await renderCoverageHtml(store, {
    ...range,
    directions: DIRECTIONS,
    nowMs: NOW_MS,
    program: 'npm run -s cfe-lake --',
    onCompany: () => {
      companyCount += 1;
    },
  });
  expect(companyCount).toBe(COMPANIES);
  expect(new Set(store.opened).size).toBe(store.opened.length);
  expect(store.opened.filter((key) => !key.startsWith('exportaciones/'))).toEqual([]);
  expect(store.opened.length).toBeGreaterThan(OBJECTS - 10);
  expect(store.opened.length).toBeLessThanOrEqual(OBJECTS);
}, 60_000);

it('reads each object of the audit once, however many companies', async () => {
  const store = new CountingStore(() => NOW_MS);
  const day = addDays(TODAY, -5);
  const runs = daysBetween(addDays(TODAY, -4), TODAY);
  for (const night of runs) {
    const results = RUTS.slice(0, 7).flatMap((rut) =>
      planUnits(rut, DIRECTIONS, [day]).map((unit) => readOn(night, unit)),
    );
    await audit(store, runIdOf(night), results);
  }
  for (const ruts of [undefined, RUTS.slice(0, 7)]) {
    store.opened.length = 0;
    const coverage = await readCoverage(store, {
      from: day,
      to: day,
      today: TODAY,
      directions: DIRECTIONS,
      ruts,
    });
    const counts: (number | undefined)[] = [];
    for await (const { calendars } of coverage.companies)
      counts.push(...calendars.flatMap(({ days }) => days.map(({ readings }) => readings?.count)));
    expect(counts).toEqual(Array(14).fill(5));
    expect(store.opened.toSorted()).toEqual(
      runs.map((night) => `exportaciones/fecha_corrida=${night}/${runIdOf(night)}.parquet`),
    );
  }
});
