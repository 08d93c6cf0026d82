import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLastResults } from '../../lib/audit/history.ts';
import { type Run, runKey } from '../../lib/audit/keys.ts';
import type { PlannedRun } from '../../lib/audit/planned.ts';
import { readAudit } from '../../lib/audit/read.ts';
import { AUDIT_FIELDS } from '../../lib/audit/row.ts';
import { sealRun, sealRuns } from '../../lib/audit/seal.ts';
import { RunAudit, writeAudit } from '../../lib/audit/write.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import { daysBetween } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import type { Unit, UnitResult } from '../../lib/units/unit.ts';
import { campaign, itLong } from '../support/campaign.ts';
import { readOn } from '../support/coverage/coverage-lake.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rowsIn } from '../support/lake/text-rows.ts';

const RUN: Run = { id: '20261120020000-nocturna', day: '2026-11-20' };
const DAYS = daysBetween('2026-11-17', '2026-11-19');

const rutOf = (index: number): Rut => `${210_000_000_000 + index}`;
const unitsOf = (rut: Rut): Unit[] => DAYS.map((day) => ({ rut, direction: 'recibidos' as const, day }));
const resultsOf = (rut: Rut): UnitResult[] => unitsOf(rut).map((unit) => readOn(RUN.day, unit));

/** A run over this many companies. */
function newRunAudit(companyCount: number) {
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  const ruts = Array.from({ length: companyCount }, (_, index) => rutOf(index));
  const tools = { store, writer: writeWithHyparquet };
  const planned: PlannedRun = { run: RUN, units: () => ruts.flatMap(unitsOf) };
  const audit = new RunAudit(tools, RUN, clock);
  return { audit, clock, planned, ruts, store, tools };
}

/** The state of each of a company's units, by its last row. */
async function statesOf(store: MemoryStore, rut: Rut): Promise<string[]> {
  const { find } = await readLastResults(store, { ruts: new Set([rut]) });
  return DAYS.flatMap((day) => find(rut, 'recibidos', day)?.last.state ?? []);
}

/** What readers get: each row as a text, in order. */
async function rowsRead(store: MemoryStore): Promise<string[]> {
  const rows: string[] = [];
  await readAudit(store, { columns: AUDIT_FIELDS }, (row) => rows.push(JSON.stringify(row)));
  return rows.sort();
}

const EXPORTED = ['exportado', 'exportado', 'exportado'];
const FAILED = ['fallido', 'fallido', 'fallido'];

describe('the audit of a run of many companies', () => {
  it('is written in few parts, and sealed into one object with each unit once', async () => {
    const { audit, planned, ruts, store, tools } = newRunAudit(700);
    for (const rut of ruts) await audit.add(resultsOf(rut));
    await audit.close();
    // 2,100 units at 2,000 a part.
    expect(store.replaced).toHaveLength(2);
    await sealRun(tools, RUN, planned);
    const rows = await rowsIn(store, runKey(EXPORTACIONES, RUN), EXPORTACIONES);
    expect(rows).toHaveLength(2_100);
    expect(rows.map(({ rut }) => rut)).toEqual(ruts.flatMap((rut) => DAYS.map(() => rut)));
    expect(new Set(rows.map(({ estado }) => estado))).toEqual(new Set(['exportado']));
  });

  it('says of every planned unit without a result that it failed, once the run is sealed and not before', async () => {
    const { audit, planned, ruts, store, tools } = newRunAudit(3);
    const [first = '0', second = '0', third = '0'] = ruts;
    await audit.add(resultsOf(first));
    await audit.add(resultsOf(second).slice(0, 1));
    await audit.close();
    // The process may die here.
    await sealRuns(tools);
    expect(await statesOf(store, third)).toEqual([]);
    await sealRun(tools, RUN, planned);
    expect(await statesOf(store, first)).toEqual(EXPORTED);
    expect(await statesOf(store, second)).toEqual(['exportado', 'fallido', 'fallido']);
    expect(await statesOf(store, third)).toEqual(FAILED);
  });

  it('is written as companies end, though others take hours', async () => {
    const { audit, clock, ruts, store } = newRunAudit(3);
    const [first = '0', second = '0'] = ruts;
    await clock.advance(4_999);
    await audit.add(resultsOf(first));
    expect(await statesOf(store, first)).toEqual([]);
    await clock.advance(1);
    await audit.add(resultsOf(second));
    expect(await statesOf(store, first)).toEqual(EXPORTED);
    expect(await statesOf(store, second)).toEqual(EXPORTED);
  });
});

describe('a run that is sealed', () => {
  it('keeps the results of a worker that was only thought to be gone', async () => {
    const { audit, planned, ruts, store, tools } = newRunAudit(2);
    await sealRun(tools, RUN, planned);
    for (const rut of ruts) {
      expect(await statesOf(store, rut)).toEqual(FAILED);
      // Begun in the second in which the run was planned, at the earliest.
      const results = resultsOf(rut).map((result) => ({ ...result, startedAt: '2026-11-20T02:00:00' }));
      await audit.add(results);
    }
    await audit.close();
    for (const rut of ruts) expect(await statesOf(store, rut)).toEqual(EXPORTED);
    await sealRun(tools, RUN, planned);
    for (const rut of ruts) expect(await statesOf(store, rut)).toEqual(EXPORTED);
  });
});

it('reads the same before and after it is sealed, whatever it recorded', async () => {
  const part = fc.nat(3);
  const Company = fc.record({
    isPlanned: fc.boolean(),
    recorded: fc.subarray([0, 1, 2]),
    parts: fc.tuple(part, part, part),
  });
  const Companies = fc.array(Company, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(Companies, fc.nat(4), async (companies, sealedAfter) => {
      const store = new MemoryStore(() => 0);
      const tools = { store, writer: writeWithHyparquet };
      const named = companies.map((company, index) => ({ ...company, rut: rutOf(index) }));
      for (let part = 0; part < 4; part += 1) {
        const results = named.flatMap(({ rut, recorded, parts }) =>
          resultsOf(rut).filter((_, index) => recorded.includes(index) && parts[index] === part),
        );
        await writeAudit(tools, RUN, results);
        if (part === sealedAfter) await sealRuns(tools);
      }
      const before = await rowsRead(store);
      expect(before).toHaveLength(named.reduce((sum, { recorded }) => sum + recorded.length, 0));
      await sealRuns(tools);
      expect(await rowsRead(store)).toEqual(before);
      const units = () => named.filter(({ isPlanned }) => isPlanned).flatMap(({ rut }) => unitsOf(rut));
      for (const _ of ['once', 'again']) await sealRun(tools, RUN, { run: RUN, units });
      const lacking = named.reduce(
        (sum, { isPlanned, recorded }) => sum + (isPlanned ? 3 - recorded.length : 0),
        0,
      );
      if (before.length + lacking === 0) return;
      const rows = await rowsIn(store, runKey(EXPORTACIONES, RUN), EXPORTACIONES);
      expect(rows.filter(({ estado }) => estado === 'fallido')).toHaveLength(lacking);
      expect(rows).toHaveLength(before.length + lacking);
      expect(rows.map(({ rut }) => rut)).toEqual(rows.map(({ rut }) => rut).toSorted());
    }),
    { numRuns: campaign({ quick: 20, long: 500 }) },
  );
});

itLong('is read however many units it has', async () => {
  const store = new MemoryStore(() => 0);
  const tools = { store, writer: writeWithHyparquet };
  const units = 130_000;
  const result = readOn(RUN.day, { rut: rutOf(0) });
  await writeAudit(tools, RUN, Array(units).fill(result));
  await sealRuns(tools);
  await writeAudit(tools, RUN, [result]);
  let count = 0;
  await readAudit(store, { columns: ['state'] }, () => (count += 1));
  expect(count).toBe(units + 1);
});
