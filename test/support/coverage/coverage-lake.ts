import { createHash } from 'node:crypto';
import { sealRuns } from '../../../lib/audit/seal.ts';
import { writeAudit } from '../../../lib/audit/write.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { type Row, rowsOf } from '../../../lib/lake/parquet/writer.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { TABLE_OF } from '../../../lib/lake/tables.ts';
import { type Day, isDay } from '../../../lib/time/days.ts';
import type { Unit, UnitResult } from '../../../lib/units/unit.ts';
import { MemoryStore } from '../lake/memory-store.ts';

export const RUT = '219999830019';
export const OTHER_RUT = '214844360018';
export const TODAY = '2026-11-20';
/** 03:12:00 of that day in Uruguay. */
export const NOW_MS = Date.parse('2026-11-20T06:12:00Z');

export function newStore(): MemoryStore {
  return new MemoryStore(() => NOW_MS);
}

/** The result of a unit that was read on `runDay` and has 3 receipts, with these changes. */
export function readOn(runDay: Day, unit: Partial<Unit>, changes: Partial<UnitResult> = {}): UnitResult {
  return {
    rut: RUT,
    direction: 'recibidos',
    day: '2026-11-19',
    ...unit,
    state: 'exportado',
    receipts: 3,
    appeared: 3,
    changed: 0,
    vanished: 0,
    conversionErrors: 0,
    isStable: true,
    pages: 1,
    requests: 2,
    retries: 0,
    bytes: 1234,
    totals: [{ type: 111, currency: 'UYU', receipts: 3, withoutTotal: 0, total: '30.00' }],
    startedAt: `${runDay}T03:00:00`,
    endedAt: `${runDay}T03:00:05`,
    ...changes,
  };
}

export function failedOn(runDay: Day, unit: Partial<Unit>, error: string): UnitResult {
  const nothing = { receipts: undefined, appeared: undefined, changed: undefined, vanished: undefined };
  return readOn(runDay, unit, {
    ...nothing,
    state: 'fallido',
    isStable: undefined,
    totals: undefined,
    bytes: 0,
    error,
  });
}

/** The id of the run that a test calls so. */
export function runIdOf(name: string): string {
  return `20261120020000-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

/** Writes the audit of one run, on the day on which the first result began, and closes it. */
export async function audit(store: LakeStore, run: string, results: readonly UnitResult[]): Promise<void> {
  const day = results[0]?.startedAt.slice(0, 10) ?? '';
  if (!isDay(day)) throw new RangeError(`'${day}' is not a day`);
  const tools = { store, writer: writeWithHyparquet };
  await writeAudit(tools, { id: run.startsWith('20') ? run : runIdOf(run), day }, results);
  await sealRuns(tools);
}

/** Writes a unit's object with these rows. Fills in ids and the RUT. */
export async function storeUnit(store: LakeStore, unit: Unit, rows: readonly Row[]): Promise<void> {
  const { name, columns } = TABLE_OF[unit.direction];
  const whole = rows.map((row, index) => ({ id: BigInt(index + 1), rut: unit.rut, ...row }));
  const bytes = writeWithHyparquet({ columns, rows: rowsOf(columns, whole), metadata: {} });
  const key = unitKey(name, unit.day, unit.rut);
  await store.replace(key, bytes, { metadata: {}, expected: await store.find(key) });
}
