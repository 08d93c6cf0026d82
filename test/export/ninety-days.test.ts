import { expect, it } from 'vitest';
import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { CAMBIOS, TABLE_OF } from '../../lib/lake/tables.ts';
import { publishWaiting } from '../../lib/run/export-and-publish.ts';
import { addDays, DAY_MS, type Day, daysBetween } from '../../lib/time/days.ts';
import type { Unit, UnitResult } from '../../lib/units/unit.ts';
import { campaign } from '../support/campaign.ts';
import { replayed } from '../support/export/replay.ts';
import { startSimulation } from '../support/export/simulation.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { expectedRow } from '../support/lake/lake-truth.ts';
import { type Row, rowsIn, rowsOfTable, type TextUnit, textUnit } from '../support/lake/text-rows.ts';

const FIRST_DAY = '2026-06-01';
const NIGHTS = campaign({ quick: 6, long: 90 });
const NIGHTLY_DAYS = 3;
const WEEKLY_DAYS = 65;

function nameOf({ rut, direction, day }: Unit): string {
  return `${rut} ${direction} ${day}`;
}

it(`after ${NIGHTS} nights the lake equals the truth as far as it is read again, and cambios leads there`, {
  timeout: 240_000,
}, async () => {
  const { sandbox, exportAt } = await startSimulation({
    companyCount: 2,
    now: `${FIRST_DAY}T03:00:00`,
    // Many days have only one receipt: where it arrives late, the day's first export is empty.
    receiptsPerDay: (rut, direction, day) =>
      [1, 60, 1, 0, 200, 1, 24][
        ((Date.parse(day) / DAY_MS) * 3 + Number(rut.at(-1)) + (direction === 'emitidos' ? 2 : 0)) % 7
      ] ?? 0,
    // A verdict may change after the last reading, which the design cannot notice.
    statusFlipDays: 80,
  });
  const store = new FolderStore(newFolder());
  const totals = { units: 0, written: 0, rows: 0, late: 0, changes: 0, beyondReach: 0 };
  /** The first reading that had any receipts. */
  const firstOf = new Map<string, TextUnit>();
  const emptied = new Set<string>();
  const units = new Map<string, Unit>();
  const rowsOf = (unit: Unit) =>
    rowsIn(store, unitKey(TABLE_OF[unit.direction].name, unit.day, unit.rut), TABLE_OF[unit.direction]);
  const textsOf = async (unit: Unit) => textUnit(await rowsOf(unit), TABLE_OF[unit.direction]);

  const exportDays = async (today: Day, hour: string, daysBack: number): Promise<UnitResult[]> => {
    const now = `${today}T${hour}:00:00`;
    sandbox.setNow(now);
    const yesterday = addDays(today, -1);
    const oldest = addDays(yesterday, 1 - daysBack);
    const days = daysBetween(oldest < FIRST_DAY ? FIRST_DAY : oldest, yesterday);
    const results = await exportAt(now, days, store);
    expect(await publishWaiting({ store, writer: writeWithHyparquet })).toEqual([]);
    for (const result of results) {
      expect({ error: result.error, isStable: result.isStable, vanished: result.vanished ?? 0 }).toEqual({
        error: undefined,
        isStable: true,
        vanished: 0,
      });
      const name = nameOf(result);
      units.set(name, result);
      // What comes to a day that was read empty is in exportaciones alone.
      if (result.state === 'vacio') emptied.add(name);
      else if (!firstOf.has(name)) firstOf.set(name, await textsOf(result));
      totals.written += Number(result.state === 'exportado');
    }
    totals.units += results.length;
    return results;
  };

  let lastNight: Day = FIRST_DAY;
  for (let night = 1; night <= NIGHTS; night += 1) {
    lastNight = addDays(FIRST_DAY, night);
    await exportDays(lastNight, '03', NIGHTLY_DAYS);
    if (night % 7 === 0) await exportDays(lastNight, '05', WEEKLY_DAYS);
  }
  await exportDays(lastNight, '06', WEEKLY_DAYS);

  const changes = Map.groupBy(await rowsOfTable(store, CAMBIOS), ({ rut, direccion, fecha }) =>
    [rut, direccion, addDays('1970-01-01', Number(fecha))].join(' '),
  );
  expect([...changes.keys()].filter((name) => !units.has(name))).toEqual([]);
  const oldestInReach = addDays(lastNight, -WEEKLY_DAYS);
  for (const [name, unit] of units) {
    const rows = await rowsOf(unit);
    const truth = [...sandbox.truth(unit.rut, unit.direction, unit.day)].map(expectedRow);
    if (unit.day >= oldestInReach) expect(rows, name).toEqual(truth);
    else {
      // After 65 days, a day is out of reach: no receipt is missing, but later changes of status are not known.
      expect(rows.map(withoutStatus), name).toEqual(truth.map(withoutStatus));
      totals.beyondReach += rows.filter((row, index) => !isSame(row, truth[index])).length;
    }
    const changesOfUnit = changes.get(name) ?? [];
    expect(replayed(firstOf.get(name) ?? new Map(), changesOfUnit), name).toEqual(await textsOf(unit));
    totals.rows += rows.length;
    totals.changes += changesOfUnit.length;
    totals.late += changesOfUnit.filter(({ cambio }) => cambio === 'aparecio').length;
  }
  expect(units.size).toBe(2 * 2 * NIGHTS);
  // Both cases did occur: whole days that arrived late, and changes that cannot be known.
  const lateDays = [...emptied].filter((name) => firstOf.has(name)).length;
  expect(lateDays).toBeGreaterThan(0);
  if (NIGHTS > WEEKLY_DAYS + 7) expect(totals.beyondReach).toBeGreaterThan(0);
  process.stdout.write(
    `${NIGHTS} nights: ${totals.units} units exported, ${totals.written} objects written, ` +
      `${totals.rows} rows compared, ${totals.changes} rows of cambios replayed, ${totals.late} receipts appeared ` +
      `late, ${emptied.size} units empty at first and ${lateDays} of them not for ever, ` +
      `${totals.beyondReach} rows changed beyond reach\n`,
  );
});

function withoutStatus(row: Row): Row {
  const { estado_codigo: _received, estado_dgi_codigo: _issued, ...rest } = row;
  return rest;
}

function isSame(a: Row, b: Row | undefined): boolean {
  return Object.keys(a).every((name) => a[name] === b?.[name]);
}
