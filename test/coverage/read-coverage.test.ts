import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMissingUnits } from '../../lib/audit/history.ts';
import type { CompanyCoverage } from '../../lib/coverage/company-coverage.ts';
import { type AskedCoverage, firstCoveredDay, readCoverage } from '../../lib/coverage/read-coverage.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { addDays, type Day, daysBetween } from '../../lib/time/days.ts';
import { DIRECTIONS, type UnitResult } from '../../lib/units/unit.ts';
import { campaign } from '../support/campaign.ts';
import {
  audit,
  failedOn,
  newStore,
  OTHER_RUT,
  RUT,
  readOn,
  runIdOf,
  storeUnit,
  TODAY,
} from '../support/coverage/coverage-lake.ts';
import { damageObject } from '../support/lake/damage.ts';

const WEEK: AskedCoverage = { from: '2026-11-13', to: '2026-11-19', today: TODAY, directions: ['recibidos'] };

async function read(store: LakeStore, asked: Partial<AskedCoverage> = {}): Promise<CompanyCoverage[]> {
  return await Array.fromAsync((await readCoverage(store, { ...WEEK, ...asked })).companies);
}

function cells({ calendars }: CompanyCoverage, direction = 0): string[] {
  return (calendars[direction]?.days ?? []).map(
    ({ day, state, receipts }) => `${day.slice(8)} ${state} ${receipts}`,
  );
}

describe('readCoverage', () => {
  it('gives every day of the range its state, by the newest row of the audit', async () => {
    const store = newStore();
    await audit(store, 'first', [
      readOn('2026-11-18', { day: '2026-11-14' }),
      readOn('2026-11-18', { day: '2026-11-15' }, { receipts: 7 }),
      failedOn('2026-11-18', { day: '2026-11-16' }, 'it broke'),
      readOn('2026-11-18', { day: '2026-11-17' }, { receipts: 0, state: 'vacio' }),
    ]);
    await audit(store, 'second', [
      failedOn('2026-11-20', { day: '2026-11-15' }, 'it broke later'),
      readOn('2026-11-20', { day: '2026-11-16' }, { receipts: 2 }),
      readOn('2026-11-20', { day: '2026-11-18' }, { receipts: 12, isStable: false }),
    ]);
    const [company, ...others] = await read(store);
    expect(others).toEqual([]);
    expect(company && cells(company)).toEqual([
      '13 missing null',
      '14 open 3',
      '15 failed 7',
      '16 open 2',
      '17 open 0',
      '18 unstable 12',
      '19 missing null',
    ]);
  });

  it('names an object of the audit that is damaged, and shows what the others say', async () => {
    const store = newStore();
    await audit(store, 'first', [readOn('2026-11-18', { day: '2026-11-14' })]);
    await audit(store, 'second', [readOn('2026-11-18', { day: '2026-11-15' })]);
    const key = `exportaciones/fecha_corrida=2026-11-18/${runIdOf('first')}.parquet`;
    await damageObject(store, key);
    const [company] = await read(store);
    expect(company && cells(company).slice(1, 3)).toEqual(['14 missing null', '15 open 3']);
    expect((await readCoverage(store, WEEK)).damaged).toEqual([
      expect.stringContaining(`${key} in memory is damaged`),
    ]);
  });

  it('tells aged from exported by when the last good reading began', async () => {
    const store = newStore();
    const range = { from: '2026-07-01', to: '2026-07-03' } as const;
    await audit(store, 'early', [
      readOn('2026-09-03', { day: '2026-07-01' }),
      readOn('2026-09-03', { day: '2026-07-02' }),
      readOn('2026-09-03', { day: '2026-07-03' }),
    ]);
    await audit(store, 'late', [
      readOn('2026-09-04', { day: '2026-07-01' }),
      readOn('2026-09-04', { day: '2026-07-02' }),
    ]);
    const [company] = await read(store, range);
    // 2026-07-01 + 65 days = 2026-09-04.
    expect(company && cells(company)).toEqual(['01 exported 3', '02 aged 3', '03 aged 3']);
  });

  it('shows the companies of the audit, or those asked for, by RUT', async () => {
    const store = newStore();
    await audit(store, '20261120020000-00000001', [
      readOn(TODAY, { rut: RUT }),
      readOn(TODAY, { rut: OTHER_RUT }),
    ]);
    expect((await read(store)).map(({ rut }) => rut)).toEqual([OTHER_RUT, RUT]);
    const asked = await read(store, { ruts: [RUT, '218617380010'], names: new Map([[RUT, 'Uno']]) });
    expect(asked.map(({ rut, name }) => [rut, name])).toEqual([
      ['218617380010', undefined],
      [RUT, 'Uno'],
    ]);
    expect(asked[0] && new Set(cells(asked[0]).map((cell) => cell.slice(3)))).toEqual(
      new Set(['missing null']),
    );
  });

  it('takes a name from what the company received, when nothing else states it', async () => {
    const store = newStore();
    await audit(store, '20261120020000-00000001', [
      readOn(TODAY, { day: '2026-11-18' }, { companyName: 'Empresa <SRL>' }),
      readOn(TODAY, { day: '2026-11-17' }, { companyName: 'An older name' }),
      readOn(TODAY, { day: '2026-11-19' }),
    ]);
    expect((await read(store))[0]?.name).toBe('Empresa <SRL>');
  });

  it('reads no run from before the range could be issued, and no object of another name than a run’s', async () => {
    const store = newStore();
    await audit(store, 'ahead', [readOn('2026-09-14', { day: '2026-11-13' })]);
    await audit(store, 'too-early', [readOn('2026-09-13', { day: '2026-11-14' })]);
    await store.replace('exportaciones/fecha_corrida=2026-11-20/notes.parquet', noBytes(), {
      metadata: {},
      expected: undefined,
    });
    const [company] = await read(store);
    expect(company && cells(company).slice(0, 2)).toEqual(['13 early 3', '14 missing null']);
    expect((await readCoverage(store, WEEK)).damaged).toEqual([]);
  });

  it('calls the same days missing, early and failed as the command `missing`', async () => {
    const days = daysBetween('2026-11-16', '2026-11-19');
    const row = fc.record({
      rut: fc.constantFrom(RUT, OTHER_RUT),
      direction: fc.constantFrom(...DIRECTIONS),
      day: fc.constantFrom(...days),
      second: fc.integer({ min: 10, max: 59 }),
      readOn: fc.constantFrom<Day>('2026-11-17', '2026-11-18', TODAY),
      isGood: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { minLength: 1, maxLength: 8 }), { maxLength: 5 }),
        async (runs) => {
          const store = newStore();
          for (const [index, rows] of runs.entries()) {
            const results = rows.map(({ second, isGood, readOn: runDay, ...unit }): UnitResult => {
              const startedAt = `${runDay}T03:00:${second}`;
              const result = isGood ? readOn(TODAY, unit) : failedOn(TODAY, unit, 'no');
              return { ...result, startedAt };
            });
            await audit(store, `run-${index}`, results);
          }
          const ruts = [RUT, OTHER_RUT] as const;
          const { missing } = await findMissingUnits(store, ruts, DIRECTIONS, days);
          const expected = missing.map(
            ({ rut, direction, day, reason }) => `${rut} ${direction} ${day} ${reason}`,
          );
          const companies = await read(store, {
            from: days[0],
            to: days.at(-1),
            directions: DIRECTIONS,
            ruts,
          });
          const found = companies.flatMap(({ rut, calendars }) =>
            calendars.flatMap((calendar) =>
              calendar.days.flatMap(({ day, state }) => {
                const reason = { missing: 'never', failed: 'failed', early: 'early' }[String(state)];
                return reason === undefined ? [] : [`${rut} ${calendar.direction} ${day} ${reason}`];
              }),
            ),
          );
          expect(found.sort()).toEqual(expected.sort());
        },
      ),
      { numRuns: campaign({ quick: 12, long: 100 }) },
    );
  });
});

describe('firstCoveredDay', () => {
  const to = '2026-11-19';

  it('is the first issue date that the lake has receipts of, in any direction asked for', async () => {
    const store = newStore();
    await storeUnit(store, { rut: RUT, direction: 'recibidos', day: '2026-10-05' }, []);
    await storeUnit(store, { rut: RUT, direction: 'emitidos', day: '2026-09-30' }, []);
    await storeUnit(store, { rut: OTHER_RUT, direction: 'emitidos', day: '2026-11-01' }, []);
    expect(await firstCoveredDay(store, DIRECTIONS, to)).toBe('2026-09-30');
    expect(await firstCoveredDay(store, ['recibidos'], to)).toBe('2026-10-05');
  });

  it('goes back no more than 400 days, and 65 where there is nothing to show', async () => {
    const store = newStore();
    expect(await firstCoveredDay(store, DIRECTIONS, to)).toBe(addDays(to, -64));
    await storeUnit(store, { rut: RUT, direction: 'emitidos', day: '2020-01-01' }, []);
    const first = await firstCoveredDay(store, DIRECTIONS, to);
    expect(daysBetween(first, to)).toHaveLength(400);
  });
});

async function* noBytes(): AsyncGenerator<Uint8Array> {}
