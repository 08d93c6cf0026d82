import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRow } from '../../lib/audit/row.ts';
import { ReadingKeeper, type UnitReadings } from '../../lib/coverage/company-coverage.ts';
import { auditRow } from '../support/audit-row.ts';

const READINGS_KEPT = 8;

function reading(startedAtSeconds: number, state: string, runId = `run-${startedAtSeconds}`): AuditRow {
  return auditRow({ runId, state, startedAtSeconds });
}

function kept(readings: readonly AuditRow[]): UnitReadings | undefined {
  const keeper = new ReadingKeeper();
  for (const each of readings) keeper.add(each);
  return keeper.readings();
}

describe('ReadingKeeper', () => {
  it('has nothing of a unit that was never read', () => {
    expect(kept([])).toBeUndefined();
  });

  it('keeps the newest and, when all of these failed, the last good one', () => {
    const failures = Array.from({ length: 20 }, (_, index) => reading(100 + index, 'fallido'));
    const all = [reading(1, 'exportado'), reading(2, 'sin_cambios'), ...failures];
    const readings = kept(all);
    expect(kept(all.toReversed())).toEqual(readings);
    expect(readings?.count).toBe(22);
    expect(readings?.last.startedAtSeconds).toBe(119);
    expect(readings?.lastGood?.startedAtSeconds).toBe(2);
    expect(readings?.shown.map(({ startedAtSeconds }) => startedAtSeconds)).toEqual([
      119, 118, 117, 116, 115, 114, 113, 112, 2,
    ]);
  });

  it('prefers, of two readings within a second, the one that did not fail', () => {
    const readings = kept([
      reading(5, 'fallido', 'a'),
      reading(5, 'exportado', 'b'),
      reading(5, 'fallido', 'c'),
    ]);
    expect(readings?.last).toMatchObject({ state: 'exportado' });
  });

  it('has the name from the newest reading, even if that one failed', () => {
    const named = (startedAtSeconds: number, state: string, companyName: string | null) =>
      auditRow({ runId: `run-${startedAtSeconds}`, state, startedAtSeconds, companyName });
    const readings = [
      named(3, 'fallido', null),
      named(2, 'fallido', 'Ñandú'),
      named(1, 'exportado', 'Of old'),
    ];
    expect(kept(readings)?.companyName).toBe('Ñandú');
    expect(kept(readings.toReversed())?.companyName).toBe('Ñandú');
  });

  it('says the same in whatever order the objects were read', () => {
    const one = fc.record({ inicio: fc.integer({ min: 1, max: 30 }), isGood: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(one, { minLength: 1, maxLength: 40 }),
        fc.infiniteStream(fc.nat()),
        (rows, random) => {
          const readings = rows.map(({ inicio, isGood }, index) =>
            reading(inicio, isGood ? 'exportado' : 'fallido', `run-${index}`),
          );
          const shuffled = readings
            .map((each) => ({ each, place: random.next().value ?? 0 }))
            .sort((a, b) => a.place - b.place)
            .map(({ each }) => each);
          expect(kept(shuffled)).toEqual(kept(readings));
          expect(kept(readings)?.shown.length).toBeLessThanOrEqual(READINGS_KEPT + 1);
        },
      ),
    );
  });
});
