import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeRuns } from '../../lib/audit/close.ts';
import { type Run, runKey } from '../../lib/audit/keys.ts';
import { readAudit } from '../../lib/audit/read.ts';
import { RunAudit, writeAudit } from '../../lib/audit/write.ts';
import type { Rut } from '../../lib/companies/company.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import { daysBetween } from '../../lib/time/days.ts';
import type { Unit, UnitResult } from '../../lib/units.ts';
import { campaign } from '../support/campaign.ts';
import { readOn } from '../support/coverage/coverage-lake.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rowsIn } from '../support/lake/text-rows.ts';

const RUN: Run = { id: '20261120020000-nocturna', day: '2026-11-20' };
const DAYS = daysBetween('2026-11-17', '2026-11-19');

const rutOf = (index: number): Rut => `${210_000_000_000 + index}`;
const unitsOf = (rut: Rut): Unit[] => DAYS.map((day) => ({ rut, direction: 'recibidos' as const, day }));
const resultsOf = (rut: Rut): UnitResult[] => unitsOf(rut).map((unit) => readOn(RUN.day, unit));

/** A store that records what is written, and a run over this many companies on a clock moved by hand. */
function newRunAudit(companyCount: number) {
  const written: string[] = [];
  const store = new MemoryStore(() => 0);
  const { replace } = store;
  store.replace = async (...given) => {
    written.push(given[0]);
    return await replace.apply(store, given);
  };
  const clock = {
    ms: 0,
    now: () => Date.UTC(2026, 10, 20, 5),
    monotonicMs: () => clock.ms,
    sleep: async () => undefined,
  };
  const ruts = Array.from({ length: companyCount }, (_, index) => rutOf(index));
  const tools = { store, writer: writeWithHyparquet };
  const audit = new RunAudit(tools, RUN, clock, new Map(ruts.map((rut) => [rut, unitsOf(rut)])));
  return { audit, clock, ruts, store, tools, written };
}

/** The state of each of a company's units: `exportado` if any row says so, else that of the last row. */
async function statesOf(store: MemoryStore, rut: Rut): Promise<string[]> {
  const states = new Map<number, string>();
  await readAudit(store, { ruts: new Set([rut]), columns: ['state'] }, ({ dayNumber, state }) => {
    if (states.get(dayNumber) !== 'exportado') states.set(dayNumber, state);
  });
  return [...states.values()];
}

describe('the audit of a run of many companies', () => {
  it('is written in few parts, and closed into one object with each unit once', async () => {
    const { audit, ruts, store, tools, written } = newRunAudit(1_500);
    for (const rut of ruts.toReversed()) await audit.begin(rut);
    for (const rut of ruts) await audit.add(rut, resultsOf(rut), true);
    await audit.close(true);
    // 4,500 units at 2,000 a part: three parts for units begun, and three for their results.
    expect(written).toHaveLength(6);
    await closeRuns(tools);
    const rows = await rowsIn(store, runKey(EXPORTACIONES, RUN), EXPORTACIONES);
    expect(rows).toHaveLength(4_500);
    expect(rows.map(({ rut }) => rut)).toEqual(ruts.flatMap((rut) => DAYS.map(() => rut)));
    expect(new Set(rows.map(({ estado }) => estado))).toEqual(new Set(['exportado']));
  });

  it('says of every unit that was begun that it failed, until its result is written', async () => {
    const { audit, ruts, store } = newRunAudit(3);
    const [first = '0', second = '0'] = ruts;
    await audit.begin(first);
    await audit.add(first, resultsOf(first), true);
    await audit.begin(second);
    // The process may die here, or close the audit:
    await audit.close(false);
    expect(await statesOf(store, first)).toEqual(['exportado', 'exportado', 'exportado']);
    expect(await statesOf(store, second)).toEqual(['fallido', 'fallido', 'fallido']);
  });

  it('says nothing about units that a run left out', async () => {
    const { audit, ruts, store } = newRunAudit(2);
    const [first = '0', second = '0'] = ruts;
    await audit.begin(first);
    await audit.add(first, resultsOf(first).slice(0, 1), false);
    await audit.close(true);
    expect(await statesOf(store, first)).toEqual(['exportado']);
    expect(await statesOf(store, second)).toEqual([]);
  });

  it('is written as companies end, though others of their part take hours', async () => {
    const { audit, clock, ruts, store } = newRunAudit(3);
    const [first = '0', second = '0'] = ruts;
    for (const rut of ruts) await audit.begin(rut);
    clock.ms = 4_999;
    await audit.add(first, resultsOf(first), true);
    expect(await statesOf(store, first)).toContain('fallido');
    clock.ms = 5_000;
    await audit.add(second, resultsOf(second), true);
    expect(await statesOf(store, first)).toEqual(['exportado', 'exportado', 'exportado']);
    expect(await statesOf(store, second)).toEqual(['exportado', 'exportado', 'exportado']);
  });
});

describe('a run that is closed by another one', () => {
  const HOUR_MS = 3_600_000;

  it('has each unit once, although the other one ended while its units were being read', async () => {
    const { audit, ruts, store, tools } = newRunAudit(2);
    for (const rut of ruts) await audit.begin(rut);
    await closeRuns(tools, 6 * HOUR_MS);
    for (const rut of ruts) await audit.add(rut, resultsOf(rut), true);
    await audit.close(true);
    await closeRuns(tools, 6 * HOUR_MS);
    const rows = await rowsIn(store, runKey(EXPORTACIONES, RUN), EXPORTACIONES);
    expect(rows.map(({ estado }) => estado)).toEqual(Array.from({ length: 6 }, () => 'exportado'));
  });

  it('has units that began as failed, once it must be dead', async () => {
    const { audit, ruts, store, tools } = newRunAudit(1);
    for (const rut of ruts) await audit.begin(rut);
    await closeRuns(tools, 6 * HOUR_MS + 1);
    const rows = await rowsIn(store, runKey(EXPORTACIONES, RUN), EXPORTACIONES);
    expect(rows.map(({ estado }) => estado)).toEqual(['fallido', 'fallido', 'fallido']);
  });
});

it('has each unit once when the run stops in the middle', async () => {
  const { audit, ruts, store, tools } = newRunAudit(2);
  const [first = '0'] = ruts;
  for (const rut of ruts) await audit.begin(rut);
  await audit.add(first, resultsOf(first), true);
  await audit.close(false);
  await closeRuns(tools, 0);
  const rows = await rowsIn(store, runKey(EXPORTACIONES, RUN), EXPORTACIONES);
  expect(rows.map(({ estado }) => estado)).toEqual([
    ...Array(3).fill('exportado'),
    ...Array(3).fill('fallido'),
  ]);
});

it('is read however many units it has', async () => {
  const store = new MemoryStore(() => 0);
  const tools = { store, writer: writeWithHyparquet };
  const units = campaign({ quick: 3_000, long: 130_000 });
  const result = readOn(RUN.day, { rut: rutOf(0) });
  await writeAudit(tools, RUN, Array(units).fill(result));
  await closeRuns(tools);
  await writeAudit(tools, RUN, [result]);
  let count = 0;
  await readAudit(store, { columns: ['state'] }, () => (count += 1));
  expect(count).toBe(units + 1);
});

it('has each row once and by RUT, whatever companies the parts share', async () => {
  const Part = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(Part, { maxLength: 50 }), fc.nat(50), async (parts, closedAfter) => {
      const store = new MemoryStore(() => 0);
      const tools = { store, writer: writeWithHyparquet };
      for (const [index, part] of parts.entries()) {
        if (index === closedAfter) await closeRuns(tools);
        await writeAudit(
          tools,
          RUN,
          part.map((company) => readOn(RUN.day, { rut: rutOf(company) })),
        );
      }
      await closeRuns(tools);
      const key = runKey(EXPORTACIONES, RUN);
      const rows = parts.length === 0 ? [] : await rowsIn(store, key, EXPORTACIONES);
      const expected = parts.flat().map(rutOf).toSorted();
      expect(rows.map(({ rut }) => rut)).toEqual(expected);
    }),
    { numRuns: campaign({ quick: 10, long: 100 }) },
  );
});
