import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { tableReport } from '../../lib/cli/export-report.ts';
import { Printer } from '../../lib/cli/printer.ts';
import type { Day } from '../../lib/time/days.ts';
import type { UnitResult } from '../../lib/units/unit.ts';

const RUT = '219999830019';

function exported(day: Day, vanished: number): UnitResult {
  return {
    rut: RUT,
    direction: 'emitidos',
    day,
    state: 'exportado',
    receipts: 3,
    conversionErrors: 0,
    vanished,
    pages: 1,
    requests: 2,
    retries: 0,
    bytes: 1024,
    startedAt: '2026-11-20T06:00:00',
    endedAt: '2026-11-20T06:00:01',
  };
}

it('an export says on which days receipts are no longer listed', () => {
  const report = tableReport(
    [exported('2026-11-19', 2), exported('2026-11-18', 0)],
    () => '',
    new Printer(new PassThrough()),
  );
  expect(report).toMatch(/gone from their day[^\n]*\n {2}2026-11-19 emitidos of 219999830019: 2$/);
  expect(tableReport([exported('2026-11-19', 0)], () => '', new Printer(new PassThrough()))).not.toContain(
    'gone',
  );
});
