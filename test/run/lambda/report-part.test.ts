import { describe, expect, it, vi } from 'vitest';
import type { ExportedPart } from '../../../lib/run/export-part.ts';
import { reportPart } from '../../../lib/run/lambda/export-company.ts';
import { logger } from '../../../lib/run/lambda/telemetry.ts';
import { type CompanyAnswer, countUnits } from '../../../lib/run/messages.ts';
import type { UnitResult } from '../../../lib/units/unit.ts';
import { readOn } from '../../support/coverage/coverage-lake.ts';

const UNIT = readOn('2026-11-20', { direction: 'emitidos' });

/** What is logged of a part. */
function log(results: readonly UnitResult[], details: ExportedPart['details']) {
  const warn = vi.spyOn(logger, 'warn').mockReturnValue();
  const info = vi.spyOn(logger, 'info').mockReturnValue();
  const answer: CompanyAnswer = {
    runId: 'run-1',
    runDay: '2026-11-20',
    from: '2026-11-19',
    to: '2026-11-19',
    directions: ['emitidos'],
    companiesAtOnce: 2,
    rut: UNIT.rut,
    part: 2,
    pending: null,
    failed: null,
    states: countUnits(results),
  };
  reportPart({ answer, results, handedBack: 0, details }, 0.5);
  return { warn, info };
}

describe('reportPart', () => {
  it('says why details failed and which days were left out, apart from lists that failed', () => {
    const { warn, info } = log(
      [
        { ...UNIT, detailState: 'fallido', detailReason: '3 details could not be read.' },
        { ...UNIT, day: '2026-11-18', detailState: 'omitido', detailReason: 'The day has 20,000 receipts.' },
        { ...UNIT, day: '2026-11-17', detailState: 'completo' },
        { ...UNIT, day: '2026-11-16', state: 'fallido', error: 'No answer.' },
      ],
      { read: 4, notThere: 1, unitsWithout: 2 },
    );
    expect(warn.mock.calls).toEqual([
      ['unit failed', { direccion: 'emitidos', fecha: '2026-11-16', reason: 'No answer.' }],
      [
        'details failed',
        { direccion: 'emitidos', fecha: '2026-11-19', reason: '3 details could not be read.' },
      ],
      [
        'details left out',
        { direccion: 'emitidos', fecha: '2026-11-18', reason: 'The day has 20,000 receipts.' },
      ],
    ]);
    expect(info).toHaveBeenCalledWith(
      'part exported',
      expect.objectContaining({ exportado: 2, fallido: 2, detallesLeidos: 4, detallesSinLeer: 1 }),
    );
  });

  it('names some of many, and counts all', () => {
    const failed: UnitResult = { ...UNIT, state: 'fallido', error: 'No answer.' };
    const { warn, info } = log(
      Array.from({ length: 50 }, () => failed),
      undefined,
    );
    expect(warn).toHaveBeenCalledTimes(20);
    expect(info).toHaveBeenCalledWith('part exported', expect.objectContaining({ fallido: 50 }));
  });
});
