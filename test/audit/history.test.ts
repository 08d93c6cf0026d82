import { describe, expect, it } from 'vitest';
import { closeRuns } from '../../lib/audit/close.ts';
import { ExportHistory } from '../../lib/audit/history.ts';
import { runKey } from '../../lib/audit/keys.ts';
import { writeAudit } from '../../lib/audit/write.ts';
import { exportCompany } from '../../lib/export/company.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import { addDays } from '../../lib/time/days.ts';
import type { UnitResult } from '../../lib/units.ts';
import { DAY, newWorld, RUT, received } from '../support/export/unit-world.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const UNIT = { rut: RUT, direction: 'recibidos', day: DAY } as const;
const OTHER_RUT = '214844360018';

function result(changes: Partial<UnitResult>): UnitResult {
  const moment = `${DAY}T06:00:00`;
  const counts = { misfits: 0, pages: 0, requests: 0, retries: 0, bytes: 0 };
  return { ...UNIT, state: 'vacio', ...counts, startedAt: moment, endedAt: moment, ...changes };
}

/** A lake in which a run recorded this result, this many days after the unit's day. */
async function lakeAfter(days: number, changes: Partial<UnitResult> = {}) {
  const store = new CountingStore(() => 0);
  const run = { id: `run-${days}`, day: addDays(DAY, days) };
  const said = result(changes);
  await writeAudit({ store, writer: writeWithHyparquet }, run, [said]);
  return store;
}

class CountingStore extends MemoryStore {
  readonly listed: string[] = [];
  readonly opened: string[] = [];
  override list(folder: string) {
    this.listed.push(folder);
    return super.list(folder);
  }
  override open(key: string) {
    this.opened.push(key);
    return super.open(key);
  }
}

function runDaysAfter(days: number) {
  return { id: 'now', day: addDays(DAY, days) };
}

describe('the history of a unit without an object', () => {
  it.each([
    [0, 2],
    [1, 2],
    [1, 65],
    [64, 65],
    [2, 2],
  ])('knows that it was empty on day %i, when it is asked on day %i', async (then, now) => {
    const history = new ExportHistory(await lakeAfter(then), runDaysAfter(now));
    expect(await history.wasEmpty(UNIT)).toBe(true);
  });

  it.each([
    ['another company', { rut: OTHER_RUT }],
    ['the other direction', { direction: 'emitidos' }],
    ['another day', { day: addDays(DAY, -1) }],
    ['a failed run', { state: 'fallido' }],
    ['an export whose object is gone', { state: 'exportado' }],
  ] satisfies [string, Partial<UnitResult>][])('is not that of %s', async (_name, changes) => {
    const history = new ExportHistory(await lakeAfter(1, changes), runDaysAfter(2));
    expect(await history.wasEmpty(UNIT)).toBe(false);
  });

  it.each([
    ['yesterday: every company has new receipts then', 1],
    ['today', 0],
    ['a day to come', -3],
    ['a day too far back to be read again', 66],
  ])('is not looked up for %s', async (_name, days) => {
    const store = await lakeAfter(1);
    const history = new ExportHistory(store, runDaysAfter(days));
    expect(await history.wasEmpty(UNIT)).toBe(false);
    expect(store.listed).toEqual([]);
  });

  it('is read again after a reading that failed', async () => {
    const store = await lakeAfter(1);
    const { open } = store;
    store.open = async () => {
      store.open = open;
      throw new Error('no answer');
    };
    const history = new ExportHistory(store, runDaysAfter(2));
    await expect(history.wasEmpty(UNIT)).rejects.toThrow('no answer');
    expect(await history.wasEmpty(UNIT)).toBe(true);
  });

  it('is read once for all units of a company, one object a run', async () => {
    const store = await lakeAfter(1);
    const run = { id: 'run-other', day: addDays(DAY, 1) };
    await writeAudit({ store, writer: writeWithHyparquet }, run, [result({ rut: OTHER_RUT })]);
    await closeRuns({ store, writer: writeWithHyparquet });
    store.listed.length = 0;
    store.opened.length = 0;
    const history = new ExportHistory(store, runDaysAfter(4));
    const units = [UNIT, { ...UNIT, direction: 'emitidos' as const }, { ...UNIT, day: addDays(DAY, 1) }];
    expect(await Promise.all(units.map((unit) => history.wasEmpty(unit)))).toEqual([true, false, false]);
    expect(store.listed.length).toBe(new Set(store.listed).size);
    // Two folders a day: closed runs and open ones.
    expect(store.listed.length).toBeLessThanOrEqual(10);
    expect(store.opened).toEqual(['run-1', 'run-other'].map((id) => runKey(EXPORTACIONES, { ...run, id })));
  });
});

describe('a day that was empty when it was first exported', () => {
  it('has receipts that come later recorded as appeared', async () => {
    const world = newWorld();
    expect(await world.export()).toMatchObject({ state: 'vacio' });
    await world.clock.advance(24 * 3_600_000);
    world.listed = [received(1), received(2)];
    const run = { id: 'late', day: addDays(DAY, 2) };
    const { results } = await exportCompany([world.unit], world.tools({ run }));
    expect(results).toMatchObject([{ state: 'exportado', receipts: 2, appeared: 2, changed: 0 }]);
    const told = await world.changes();
    expect(told.map(({ corrida, id, cambio }) => [corrida, id, cambio])).toEqual([
      ['late', 1n, 'aparecio'],
      ['late', 2n, 'aparecio'],
    ]);
  });

  it('records nothing when it was never exported before, or its day was yesterday', async () => {
    const never = newWorld();
    never.listed = [received(1)];
    await exportCompany([never.unit], never.tools({ run: { id: 'late', day: addDays(DAY, 9) } }));
    expect((await never.rows()).length).toBe(1);
    expect(await never.changes()).toEqual([]);

    const yesterday = newWorld();
    await yesterday.export();
    yesterday.listed = [received(1)];
    expect(await yesterday.export()).toMatchObject({ state: 'exportado', appeared: 0 });
    expect(await yesterday.changes()).toEqual([]);
  });
});
