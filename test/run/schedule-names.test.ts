import { describe, expect, it } from 'vitest';
import { newRun } from '../../lib/export/run.ts';
import { scheduleOf } from '../../lib/run/messages.ts';
import { readRunRequest } from '../../lib/run/run-request.ts';

const NOW_MS = Date.parse('2026-11-20T05:00:00Z');

describe('scheduleOf', () => {
  it.each(['nocturna-recibidos', 'nocturna-emitidos', 'semanal'])(
    'finds %s in the id of its runs',
    (nombre) => {
      const { run } = readRunRequest(
        {
          origen: 'programado',
          nombre,
          direcciones: ['recibidos'],
          dias: 3,
          programado: '2026-11-20T05:00:00Z',
          ejecucion: 'x',
        },
        NOW_MS,
        '2012-01-01',
      );
      expect(scheduleOf(run.id)).toBe(nombre);
    },
  );

  it('finds none in a run that was started by hand', () => {
    expect(scheduleOf(newRun(NOW_MS).id)).toBeUndefined();
    expect(scheduleOf('nocturna-recibidos')).toBeUndefined();
  });
});
