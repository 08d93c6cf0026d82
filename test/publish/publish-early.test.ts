import { expect, it } from 'vitest';
import { dayKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { earlyPublisher } from '../../lib/publish/publish-days.ts';
import type { Day } from '../../lib/time/days.ts';
import type { Unit, UnitResult } from '../../lib/units.ts';
import { WatchedStore } from '../support/lake/watched-store.ts';
import { dayRows, putUnit, RUTS } from '../support/units.ts';

const [A, B] = RUTS;
const [FRIDAY, SATURDAY] = ['2026-11-20', '2026-11-21'] as const;

/** Two companies with one receipt on each of two days, exported by a run that has not published anything yet. */
async function worldOf() {
  const store = new WatchedStore(() => 0);
  const units = [A, B].flatMap((rut) =>
    [FRIDAY, SATURDAY].map((day): Unit => ({ rut, direction: 'recibidos', day })),
  );
  for (const { rut, day } of units) await putUnit(store, RECIBIDOS, day, rut, [1]);
  const early = earlyPublisher(store, writeWithHyparquet, units);
  const rows = (day: Day) => dayRows(store, RECIBIDOS, day);
  return { store, early, rows };
}

function ended(rut: Unit['rut'], day: Day, changes: Partial<UnitResult> = {}): UnitResult {
  const counts = { receipts: 1, misfits: 0, pages: 1, requests: 1, retries: 0, bytes: 1 };
  const times = { startedAt: `${SATURDAY}T00:00:00`, endedAt: `${SATURDAY}T00:00:01` };
  return { rut, direction: 'recibidos', day, state: 'exportado', ...counts, ...times, ...changes };
}

it('a day is published as soon as the last of its units has ended, whatever became of it', async () => {
  const { store, early, rows } = await worldOf();
  early.noteEnd(ended(A, SATURDAY));
  early.noteEnd(ended(A, FRIDAY));
  early.noteEnd(ended(B, SATURDAY, { state: 'fallido', receipts: undefined }));
  expect(await store.published.promise).toBe(dayKey('recibidos', SATURDAY));
  expect(await rows(SATURDAY)).toEqual([`${A} 1 100`, `${B} 1 100`]);
  await early.end();
  expect(await rows(FRIDAY)).toBeUndefined();
});

it('a day without changes, a large one, and those that wait when the run ends are left to its end', async () => {
  const { early, rows } = await worldOf();
  for (const rut of [A, B]) early.noteEnd(ended(rut, FRIDAY, { state: 'sin_cambios' }));
  for (const rut of [A, B]) early.noteEnd(ended(rut, SATURDAY, { receipts: 10_001 }));
  await early.end();
  expect([await rows(FRIDAY), await rows(SATURDAY)]).toEqual([undefined, undefined]);

  const other = await worldOf();
  for (const rut of [A, B]) other.early.noteEnd(ended(rut, SATURDAY));
  await other.early.end();
  expect(await other.rows(SATURDAY)).toBeUndefined();
});

it('a day that cannot be published is no error: the run’s end says what is wrong', async () => {
  const { store, early } = await worldOf();
  const failing = Promise.withResolvers<void>();
  store.open = async () => {
    failing.resolve();
    throw new Error('the disk is gone');
  };
  for (const rut of [A, B]) early.noteEnd(ended(rut, SATURDAY));
  await failing.promise;
  await early.end();
  expect(store.replaced.filter((key) => key.startsWith(RECIBIDOS.name))).toEqual([]);
});
