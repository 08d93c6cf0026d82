import { describe, expect, it } from 'vitest';
import type { DayState } from '../../lib/coverage/day.ts';
import type { Answer } from '../../lib/query/answer.ts';
import { REPORT_PARTS, type ReportPart } from '../../lib/report/parts.ts';
import { troubleAnswer } from '../../lib/report/read-report.ts';
import type { ReportDay } from '../../lib/report/report-day.ts';
import { totalsByCurrency } from '../../lib/report/values.ts';
import { verdictOf } from '../../lib/report/verdict.ts';
import { type Day, daysBetween } from '../../lib/time/days.ts';

const OCTOBER = { from: '2026-10-01', to: '2026-10-31' } as const;

function days(states: Readonly<Partial<Record<string, DayState>>>, others: DayState): ReportDay[] {
  return ['recibidos', 'emitidos'].flatMap((direction) =>
    daysBetween(OCTOBER.from, OCTOBER.to).map((day) => {
      const state = states[day] ?? others;
      return { direction, day, state, receipts: state === 'missing' ? null : 3, readings: undefined };
    }),
  );
}

function answerOf(columns: Readonly<Record<string, readonly (string | null)[]>>): Answer {
  const names = Object.keys(columns);
  const count = Math.max(...Object.values(columns).map((values) => values.length));
  return {
    columns: names.map((name) => ({ name, type: 'VARCHAR' })),
    rows: Array.from({ length: count }, (_, row) => names.map((name) => columns[name]?.[row] ?? null)),
  };
}

function partOf(id: string): ReportPart {
  const part = REPORT_PARTS.find((known) => known.id === id);
  if (part === undefined) throw new Error(`there is no part ${id}`);
  return part;
}

function verdict(
  days: readonly ReportDay[],
  today: Day,
  parts: Readonly<Record<string, Answer>> = {},
  isLagging: boolean | undefined = false,
) {
  const answered = Object.entries(parts).map(([id, answer]) => ({ part: partOf(id), answer }));
  return verdictOf({
    days: days,
    listings: { moved: undefined, gone: undefined },
    parts: answered,
    today,
    isLagging,
    ...OCTOBER,
  });
}

describe('a month', () => {
  it('is complete when each day was read after its 65 days', () => {
    expect(verdict(days({}, 'exported'), '2027-01-31')).toEqual({
      state: 'complete',
      sentence: 'El mes está completo: cada día se leyó cuando ya habían pasado 65 días.',
      concerns: [],
    });
  });

  it('without receipts says so', () => {
    const empty = days({}, 'exported').map((day) => ({ ...day, receipts: 0 }));
    expect(verdict(empty, '2027-01-31').sentence).toMatch(
      / No tiene ningún comprobante, emitido ni recibido\.$/,
    );
  });

  it('may change while a day of it is read again', () => {
    const { state, sentence } = verdict(days({ '2026-10-31': 'open' }, 'exported'), '2026-12-20');
    expect(state).toBe('open');
    // 65 days after the month's last day.
    expect(sentence).toMatch(/todavía puede cambiar.* hasta el 04\/01\/2027\.$/);
  });

  it.each([
    ['missing', 'incomplete', '2 días de emitidos o recibidos no se leyeron'],
    ['failed', 'incomplete', '2 días de emitidos o recibidos fallaron en su última lectura'],
    [
      'unstable',
      'incomplete',
      '2 días de emitidos o recibidos: no se pudo comprobar que la lista no cambiara mientras se leía',
    ],
    ['aged', 'open', '2 días de emitidos o recibidos se leyeron por última vez antes de cumplir 65 días'],
  ] as const)('is not complete with a day that is %s, but %s', (state, ofMonth, text) => {
    const found = verdict(days({ '2026-10-05': state }, 'exported'), '2027-01-31');
    expect(found.state).toBe(ofMonth);
    expect(found.concerns).toEqual([{ text, anchor: 'dias' }]);
  });

  it('is not complete while the tables lack what was exported, nor where that is not known', () => {
    const lagging = verdict(days({}, 'exported'), '2027-01-31', {}, true);
    expect({ state: lagging.state, concerns: lagging.concerns.length }).toEqual({
      state: 'incomplete',
      concerns: 1,
    });
    const month = {
      days: days({}, 'exported'),
      listings: { moved: undefined, gone: undefined },
      parts: [],
      today: '2027-01-31',
      ...OCTOBER,
    } as const;
    const unknown = verdictOf({ ...month, isLagging: undefined });
    expect({ state: unknown.state, firstConcern: unknown.concerns[0]?.text }).toEqual({
      state: 'incomplete',
      firstConcern: expect.stringMatching(/^No se pudo saber/),
    });
  });

  it('is not complete before it is over, whatever was read', () => {
    expect(verdict(days({}, 'open'), '2026-10-31')).toMatchObject({
      state: 'incomplete',
      sentence: 'El mes no terminó: va hasta el 31/10/2026.',
    });
    expect(verdict(days({}, 'open'), '2026-11-01').state).toBe('open');
  });

  it('tells what to look into, days first', () => {
    const { concerns } = verdict(days({ '2026-10-05': 'failed' }, 'exported'), '2027-01-31', {
      ventas: answerOf({ comprobantes: ['7'], sin_monto: ['2'] }),
      iva: answerOf({ sin_desglose: ['3', '4'], por_revisar: ['0', '1'] }),
      posicion: answerOf({
        moneda: ['UYU', 'todas'],
        sin_detalle: ['7', '7'],
        por_revisar: ['1', '1'],
        sin_cambio: ['2', '2'],
      }),
      rechazados: answerOf({ id: ['1', '2'] }),
      'sin-respuesta': answerOf({
        comprobantes: ['5', '2', '4', '300', '400', '8'],
        e_ticket: [
          null,
          'sobre el limite',
          'sobre el limite, con la UI de 2026',
          'bajo el limite',
          'bajo el limite, con la UI de 2026',
          'sin leer el detalle',
        ],
      }),
      numeracion: answerOf({ Primero: [] }),
      cambios: answerOf({ id: ['9'] }),
    });
    expect(concerns.map(({ anchor, text }) => `${anchor}: ${text}`)).toEqual([
      'dias: 2 días de emitidos o recibidos fallaron en su última lectura',
      'iva: 7 comprobantes sin desglose de IVA: las sumas de IVA están incompletas',
      'iva: 1 comprobante con IVA por revisar',
      'ventas: 2 comprobantes sin un total que se pueda sumar',
      'posicion: 2 comprobantes sin tipo de cambio',
      'sin-respuesta: 11 respuestas pendientes, de la DGI o de receptores',
      'sin-respuesta: 8 e-Tickets sin respuesta de la DGI y sin leer el detalle: no se sabe cuáles están por debajo del límite',
      'rechazados: 2 comprobantes rechazados',
      'cambios: 1 cambio desde el cierre',
    ]);
  });
});

it('tells of amounts of withholdings, which are in no VAT, as a close does', () => {
  const { concerns } = verdict(days({}, 'exported'), '2027-01-31', {
    iva: answerOf({ sin_desglose: ['0'], por_revisar: ['0'] }),
    posicion: answerOf({ moneda: ['UYU'], sin_detalle: ['1'], por_revisar: ['1'], sin_cambio: ['0'] }),
  });
  expect(concerns).toEqual([
    { text: '2 comprobantes sin montos conocidos o por revisar', anchor: 'posicion' },
  ]);
});

it('days that are not whole stand in one line where they follow one another', () => {
  const states = {
    '2026-10-05': 'missing',
    '2026-10-06': 'missing',
    '2026-10-07': 'failed',
    '2026-10-09': 'failed',
  } as const;
  expect(troubleAnswer(days(states, 'open')).rows.slice(0, 3)).toEqual([
    ['recibidos', '2026-10-05', '2026-10-06', '2', 'sin leer'],
    ['recibidos', '2026-10-07', '2026-10-07', '1', 'con error'],
    ['recibidos', '2026-10-09', '2026-10-09', '1', 'con error'],
  ]);
  expect(troubleAnswer(days(states, 'open')).rows).toHaveLength(6);
});

describe('totals', () => {
  it('are of columns that are there', () => {
    expect(() => totalsByCurrency(answerOf({ moneda: ['UYU'], total: ['1.00'] }))).toThrow(TypeError);
  });

  it('are added up by currency, to the cent', () => {
    const answer = answerOf({
      moneda: ['UYU', 'USD', 'UYU', null, 'UYU'],
      total: ['123456789012345.67', '-0.05', '-123456789012345.68', '5.00', null],
      comprobantes: ['1', '2', '1', '9', '1'],
    });
    expect(totalsByCurrency(answer)).toEqual([
      { currency: null, total: '5.00', receipts: 9 },
      { currency: 'UYU', total: '-0.01', receipts: 3 },
      { currency: 'USD', total: '-0.05', receipts: 2 },
    ]);
  });
});
