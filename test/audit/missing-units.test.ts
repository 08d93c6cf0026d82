import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findMissingUnits } from '../../lib/audit/history.ts';
import { sealRuns } from '../../lib/audit/seal.ts';
import { writeAudit } from '../../lib/audit/write.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { type Day, daysBetween } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import type { Direction, Unit, UnitResult } from '../../lib/units/unit.ts';
import { campaign } from '../support/campaign.ts';
import { runIdOf } from '../support/coverage/coverage-lake.ts';
import { damageObject } from '../support/lake/damage.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const RUT = '219999830019';
const OTHER_RUT = '214844360018';
const ERROR = 'recibidos of 219999830019: the API answered status 500. Export this day again.';

const newStore = () => new FolderStore(newFolder());

function unit(rut: Rut, direction: Direction, day: Day): Unit {
  return { rut, direction, day };
}

/** What became of a unit that was begun on 20 November, at this time. */
function result(unit: Unit, time: string, state: UnitResult['state'], changes: Partial<UnitResult> = {}) {
  const counts = { conversionErrors: 0, pages: 1, requests: 1, retries: 0, bytes: 0 };
  const at = `2026-11-20T${time}`;
  const error = state === 'fallido' ? ERROR : undefined;
  return { ...unit, ...counts, state, startedAt: at, endedAt: at, error, ...changes };
}

/** That of a unit of emitidos with three receipts. */
function issued(day: Day, time: string, changes: Partial<UnitResult>): UnitResult {
  return result(unit(RUT, 'emitidos', day), time, 'exportado', { receipts: 3, ...changes });
}

async function audit(store: FolderStore, runId: string, ...results: UnitResult[]) {
  await writeAudit({ store, writer: writeWithHyparquet }, { id: runIdOf(runId), day: '2026-11-20' }, results);
}

it('names what was never exported and what failed last time, by the newest row of each unit', async () => {
  const store = newStore();
  const [a, b, c] = (['2026-11-17', '2026-11-18', '2026-11-19'] as const).map((day) =>
    unit(RUT, 'recibidos', day),
  );
  if (a === undefined || b === undefined || c === undefined) throw new TypeError('three days');
  const at3 = [result(a, '03:00:00', 'fallido'), result(b, '03:00:00', 'exportado')];
  await audit(store, 'z-first', ...at3, result(c, '03:00:00', 'vacio'));
  const at4 = [result(a, '04:00:00', 'sin_cambios'), result(b, '04:00:00', 'fallido')];
  await audit(store, 'a-second', ...at4);

  const days = daysBetween('2026-11-16', '2026-11-19');
  const found = await findMissingUnits(store, [RUT], ['recibidos'], days);

  expect(found).toEqual({
    missing: [
      { ...b, reason: 'failed', error: ERROR },
      { rut: RUT, direction: 'recibidos', day: '2026-11-16', reason: 'never' },
    ],
    find: expect.any(Function),
    unitCount: 4,
    otherRuts: new Set(),
    damaged: [],
  });
});

it('names an object of the audit that is damaged, whose units count as missing', async () => {
  const store = newStore();
  const [a, b] = [unit(RUT, 'recibidos', '2026-11-18'), unit(RUT, 'recibidos', '2026-11-19')];
  await audit(store, 'first', result(a, '03:00:00', 'exportado'));
  await audit(store, 'second', result(b, '04:00:00', 'exportado'));
  await sealRuns({ store, writer: writeWithHyparquet });
  const key = `exportaciones/fecha_corrida=2026-11-20/${runIdOf('first')}.parquet`;
  await damageObject(store, key);
  const found = await findMissingUnits(store, [RUT], ['recibidos'], [a.day, b.day]);
  expect(found.missing).toEqual([{ ...a, reason: 'never' }]);
  expect(found.damaged).toEqual([expect.stringContaining(`${key} in ${store.address} is damaged`)]);
});

it.skipIf(process.platform === 'win32')(
  'reads no object of the audit that is larger than any, as one made of a hole is',
  async () => {
    const store = newStore();
    const a = unit(RUT, 'recibidos', '2026-11-18');
    await audit(store, 'first', result(a, '03:00:00', 'exportado'));
    await sealRuns({ store, writer: writeWithHyparquet });
    const path = join(store.address, `exportaciones/fecha_corrida=2026-11-20/${runIdOf('first')}.parquet`);
    const whole = readFileSync(path);
    truncateSync(path, 0);
    truncateSync(path, 2 ** 30);
    appendFileSync(path, whole);
    const { missing, damaged } = await findMissingUnits(store, [RUT], ['recibidos'], [a.day]);
    expect(missing).toEqual([{ ...a, reason: 'never' }]);
    expect(damaged).toEqual([expect.stringMatching(/it has \d+ bytes, more than a run writes/)]);
  },
);

it('names units without details only where these are asked for, by the newest row that mentions them', async () => {
  const store = newStore();
  const days = daysBetween('2026-11-15', '2026-11-19');
  const failed = { detailState: 'fallido', detailReason: '3 details could not be read.' } as const;
  await audit(
    store,
    'one',
    issued('2026-11-15', '02:00:00', {}),
    issued('2026-11-16', '02:00:00', { receipts: 0 }),
    issued('2026-11-17', '02:00:00', failed),
    issued('2026-11-18', '02:00:00', failed),
    issued('2026-11-19', '02:00:00', { detailState: 'omitido' }),
  );
  await audit(
    store,
    'two',
    issued('2026-11-17', '03:00:00', {}),
    issued('2026-11-18', '03:00:00', { detailState: 'completo' }),
  );

  expect((await findMissingUnits(store, [RUT], ['emitidos'], days)).missing).toEqual([]);
  expect((await findMissingUnits(store, [RUT], ['emitidos'], days, ['recibidos'])).missing).toEqual([]);
  expect((await findMissingUnits(store, [RUT], ['emitidos'], days, ['emitidos'])).missing).toEqual([
    { ...unit(RUT, 'emitidos', '2026-11-17'), reason: 'failed', error: failed.detailReason },
    { ...unit(RUT, 'emitidos', '2026-11-15'), reason: 'details' },
  ]);
});

it('names units whose list changed after their details were read', async () => {
  const store = newStore();
  const [read, changed] = ['2026-11-18', '2026-11-19'] as const;
  await audit(
    store,
    'one',
    issued(read, '02:00:00', { sha256: 'a', detailState: 'completo' }),
    issued(changed, '02:00:00', { sha256: 'a', detailState: 'completo' }),
  );
  await audit(
    store,
    'two',
    issued(read, '03:00:00', { sha256: 'a', state: 'sin_cambios' }),
    issued(changed, '03:00:00', { sha256: 'b' }),
  );
  expect((await findMissingUnits(store, [RUT], ['emitidos'], [read, changed], ['emitidos'])).missing).toEqual(
    [
      {
        ...unit(RUT, 'emitidos', changed),
        reason: 'failed',
        error: 'the list changed after its details were read',
      },
    ],
  );
});

it('agrees with a list of all rows, whatever runs there were, and says which other companies the audit has', async () => {
  const days = daysBetween('2026-11-17', '2026-11-19');
  const row = fc.record({
    run: fc.integer({ min: 0, max: 3 }),
    rut: fc.constantFrom(RUT, OTHER_RUT),
    direction: fc.constantFrom<Direction>('recibidos', 'emitidos'),
    day: fc.constantFrom(...days),
    minute: fc.integer({ min: 0, max: 59 }),
    state: fc.constantFrom<UnitResult['state']>('exportado', 'sin_cambios', 'vacio', 'fallido'),
  });
  const place = (at: { rut: string; direction: string; day: string }) =>
    `${at.rut} ${at.direction} ${at.day}`;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(row, { maxLength: 25, selector: (at) => `${place(at)} ${at.minute}` }),
      fc.subarray<Rut>([RUT, OTHER_RUT], { minLength: 1 }),
      async (rows, ruts) => {
        const store = newStore();
        for (const [key, group] of Map.groupBy(rows, ({ run, rut }) => `${run}-${rut}`)) {
          const results = group.map((at) =>
            result(
              unit(at.rut, at.direction, at.day),
              `03:${String(at.minute).padStart(2, '0')}:00`,
              at.state,
            ),
          );
          await audit(store, `run${key}`, ...results);
        }
        const { missing, otherRuts } = await findMissingUnits(store, ruts, ['recibidos', 'emitidos'], days);
        expect(otherRuts).toEqual(new Set(rows.map(({ rut }) => rut).filter((rut) => !ruts.includes(rut))));

        const newest = new Map<string, (typeof rows)[number]>();
        for (const at of [...rows].sort((x, y) => x.minute - y.minute)) newest.set(place(at), at);
        const all = ruts.flatMap((rut) =>
          ['recibidos', 'emitidos'].flatMap((direction) => days.map((day) => place({ rut, direction, day }))),
        );
        const expected = all.filter((name) => (newest.get(name)?.state ?? 'fallido') === 'fallido');
        expect(missing.map(place).sort()).toEqual(expected.sort());
      },
    ),
    { numRuns: campaign({ quick: 12, long: 100 }) },
  );
});
