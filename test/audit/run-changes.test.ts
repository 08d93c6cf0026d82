import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRow } from '../../lib/audit/row.ts';
import { changesOfRun, UnknownFieldSums } from '../../lib/audit/run-changes.ts';
import { auditRow } from '../support/audit-row.ts';

function changesIn(rows: readonly Partial<AuditRow>[]) {
  const changes = changesOfRun();
  for (const row of rows) changes.add(auditRow(row));
  const sums = new UnknownFieldSums();
  changes.addUnknownTo(sums);
  return { ...changes.total(), fields: sums.list() };
}

const count = fc.nat(1000);
const unit = fc.record({
  receipts: count,
  appeared: count,
  changed: count,
  vanished: count,
  rejected: count,
  isFirstReading: fc.constantFrom(true, false, null),
});

describe('what a run found', () => {
  it('is the sum over its units; of a first reading, all receipts are new', () => {
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const sum = (countIn: (reading: (typeof units)[number]) => number) =>
          units.reduce((total, reading) => total + countIn(reading), 0);
        expect(changesIn(units.map((reading, dayNumber) => ({ ...reading, dayNumber })))).toEqual({
          fresh: sum((reading) => (reading.isFirstReading === true ? reading.receipts : reading.appeared)),
          changed: sum((reading) => reading.changed),
          vanished: sum((reading) => reading.vanished),
          rejected: sum((reading) => reading.rejected),
          fields: [],
        });
      }),
    );
  });

  it('counts a unit that was tried again once, even if it failed at last, in whatever order its rows come', () => {
    const rows = [
      { state: 'exportado', receipts: 100, appeared: 0, isFirstReading: true, unknownFields: '{"a":90}' },
      {
        state: 'exportado',
        receipts: 103,
        appeared: 3,
        isFirstReading: true,
        unknownFields: '{"a":93,"b":1}',
      },
      { state: 'fallido' },
    ];
    const fields = [
      { direction: 'recibidos', path: 'a', receipts: 93 },
      { direction: 'recibidos', path: 'b', receipts: 1 },
    ];
    for (const some of [rows, rows.toReversed()]) {
      expect(changesIn(some)).toEqual({ fresh: 103, changed: 0, vanished: 0, rejected: 0, fields });
    }
  });

  it('tells fields of the two lists apart, and at most a hundred of each', () => {
    const sums = new UnknownFieldSums();
    sums.add('emitidos', [['a', 1]]);
    sums.add('recibidos', [['a', 2]]);
    expect(sums.list()).toEqual([
      { direction: 'recibidos', path: 'a', receipts: 2 },
      { direction: 'emitidos', path: 'a', receipts: 1 },
    ]);
    for (let name = 0; name < 200; name += 1) sums.add('emitidos', [[`f${name}`, 1]]);
    expect(sums.list().find(({ path }) => path === '*')).toEqual({
      direction: 'emitidos',
      path: '*',
      receipts: 101,
    });
  });
});
