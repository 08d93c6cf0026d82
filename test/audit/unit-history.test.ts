import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnitHistory } from '../../lib/audit/history.ts';
import type { AuditRow } from '../../lib/audit/row.ts';
import { auditRow } from '../support/audit-row.ts';

function reading(startedAtSeconds: number, state: string, runId = `run-${startedAtSeconds}`): AuditRow {
  return auditRow({ runId, state, startedAtSeconds });
}

function historyOf(first: AuditRow, ...rows: readonly AuditRow[]): UnitHistory {
  const history = new UnitHistory(first);
  for (const row of rows) history.add(row);
  return history;
}

describe("a unit's history", () => {
  it('has the newest row, and the newest good one, in whatever order the objects were read', () => {
    const attempt = fc.record({ second: fc.integer({ min: 1, max: 30 }), isGood: fc.boolean() });
    fc.assert(
      fc.property(fc.array(attempt, { minLength: 1, maxLength: 20 }), (given) => {
        const rows = given.map(({ second, isGood }, index) =>
          reading(second, isGood ? 'exportado' : 'fallido', `run-${String(index).padStart(2, '0')}`),
        );
        const newest = (candidates: readonly AuditRow[]) =>
          candidates
            .toSorted(
              (a, b) =>
                (a.startedAtSeconds ?? 0) - (b.startedAtSeconds ?? 0) ||
                // Within a second, the one that did not fail.
                (a.state === b.state ? (a.runId < b.runId ? -1 : 1) : a.state === 'fallido' ? -1 : 1),
            )
            .at(-1);
        const [first, ...rest] = rows.toReversed();
        if (first === undefined) throw new RangeError('a history needs a row');
        const history = historyOf(first, ...rest);
        expect(history).toMatchObject({ count: rows.length, last: newest(rows) });
        expect(history.lastGood).toEqual(newest(rows.filter(({ state }) => state === 'exportado')));
      }),
    );
  });

  it.each<[string, UnitHistory['lackOfDetails'], readonly Partial<AuditRow>[]]>([
    ['were never read', 'never', [{ sha256: 'a' }]],
    ['are of the list', undefined, [{ sha256: 'a', detailState: 'completo' }]],
    [
      'are of a list that did not change',
      undefined,
      [{ sha256: 'a', detailState: 'completo' }, { sha256: 'a' }],
    ],
    ['are of a list that changed', 'older', [{ sha256: 'a', detailState: 'completo' }, { sha256: 'b' }]],
    [
      'are of a list that changed, and lacked some',
      'older',
      [{ sha256: 'a', detailState: 'fallido' }, { sha256: 'b' }],
    ],
    ['lack some of the list', 'failed', [{ sha256: 'a', detailState: 'fallido', detailsStored: 8 }]],
    ['all failed', 'older', [{ sha256: 'a', detailState: 'fallido', detailsStored: null }]],
    [
      'are of a list that failed since',
      undefined,
      [
        { sha256: 'a', detailState: 'completo' },
        { state: 'fallido', sha256: null },
      ],
    ],
    [
      'are of a day without receipts now',
      undefined,
      [
        { sha256: 'a', detailState: 'completo' },
        { sha256: 'b', receipts: 0 },
      ],
    ],
    ['are too many to be read', undefined, [{ sha256: 'a', detailState: 'omitido' }, { sha256: 'b' }]],
  ])('tells what its details lack of the list: they %s', (_what, lack, rows) => {
    const [first, ...rest] = rows.map((row, index) =>
      auditRow({ state: 'exportado', startedAtSeconds: index, receipts: 9, detailState: null, ...row }),
    );
    if (first === undefined) throw new RangeError('a history needs a row');
    expect(historyOf(first, ...rest).lackOfDetails).toBe(lack);
  });

  it('has the details of the last run that asked for them', () => {
    const asked = (startedAtSeconds: number, detailState: string | null) =>
      auditRow({ state: 'exportado', startedAtSeconds, detailState });
    const { lastDetails } = historyOf(
      asked(3, null),
      asked(2, 'fallido'),
      asked(2, 'completo'),
      asked(1, 'fallido'),
    );
    expect(lastDetails).toMatchObject({ startedAtSeconds: 2, detailState: 'completo' });
  });
});
