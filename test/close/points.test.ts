import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openPoints } from '../../lib/close/points.ts';
import { type Answer, textColumn } from '../../lib/query/answer.ts';
import { type PartId, REPORT_PARTS } from '../../lib/report/parts.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { OCTOBER, READ_OCTOBER } from '../support/report/read-october.ts';

const COUNTS = ['sin_detalle', 'por_revisar', 'sin_cambio'];

function answerOf(names: readonly string[], rows: Answer['rows']): Answer {
  return { columns: names.map(textColumn), rows };
}

function part(id: PartId, answer: Answer) {
  return REPORT_PARTS.filter((known) => known.id === id).map((known) => ({ part: known, answer }));
}

function daysText({ missingDays, moved }: { missingDays: number; moved: number }): RegExp {
  const missing = missingDays === 0 ? '' : 'Faltan días[^.]*\\. ?';
  return new RegExp(`^${missing}${moved === 0 ? '' : `RUT \\d+: ${moved} comprobantes? está[^.]*\\.`}$`);
}

const LISTED = ['direccion', 'emisor', 'tipo_comprobante', 'serie', 'numero', 'fecha', 'estado', 'id'];
/** A receipt on two days is open as days are, and the sums count a rejected one nowhere. */
const ONCE = [
  ['emitidos', '1', '111', 'A', '1', '2026-10-01', 'AE', '1'],
  ['emitidos', '1', '111', 'A', '1', '2026-10-02', 'AE', '1'],
  ['recibidos', '1', '111', 'A', '1', '2026-10-01', 'BE', '2'],
  ['recibidos', '1', '111', 'A', '1', '2026-10-01', null, '3'],
];

function underTwoIds(receipts: number): Answer['rows'] {
  return Array.from({ length: receipts }, (_, at) =>
    ['4', '5'].map((id) => ['emitidos', '1', '111', 'B', String(at), '2026-10-01', 'AE', id]),
  ).flat();
}

/** Mostly none, so that each point is also open alone. */
const few = fc.constantFrom(0, 0, 0, 1, 2);

/** A month of which all days but some were read, with these numbers of rows and receipts. */
const month = fc.record({
  missingDays: few,
  moved: few,
  gone: few,
  twice: few,
  gaps: few,
  rejected: few,
  unread: few,
  odd: few,
  withoutRate: few,
  inNoLine: few,
  unreadable: few,
  contradictory: few,
  notAccepted: few,
  unrated: few,
  misfits: few,
  noted: few,
  differing: fc.array(fc.constantFrom('una lista', 'otra'), { maxLength: 2 }),
});

it('each point is open if there is something of it, and tells of how much', () => {
  fc.assert(
    fc.property(month, (open) => {
      const days = daysBetween(OCTOBER.from, OCTOBER.to).map((day, index) => {
        const state = index < open.missingDays ? ('missing' as const) : ('exported' as const);
        return { direction: 'emitidos', day, state, receipts: 1, readings: undefined };
      });
      const counts = [open.unread, open.odd, open.withoutRate].map(String);
      const rows = (count: number) => answerOf(['x'], Array(count).fill(['1']));
      const parts = [
        ...(open.gaps === 0 ? [] : part('numeracion', rows(open.gaps))),
        ...part('rechazados', rows(open.rejected)),
        ...part('dos-veces', answerOf(LISTED, [...ONCE, ...underTwoIds(open.twice)])),
        // Totals in pesos say the same once more.
        ...(open.unread + open.odd + open.withoutRate === 0
          ? []
          : part(
              'posicion',
              answerOf(
                ['moneda', ...COUNTS],
                [
                  ['UYU', ...counts],
                  ['todas', ...counts],
                ],
              ),
            )),
      ];
      const form = answerOf(
        ['rut', 'linea', 'nota'],
        [
          ['1', '502', null],
          ...Array(open.inNoLine).fill(['1', null, null]),
          ...Array(open.unrated).fill(['1', null, 'falta tipo de cambio']),
          ...Array(open.unreadable).fill(['1', null, 'falta tipo de cambio, documento ilegible']),
          ...Array(open.contradictory).fill(['1', null, 'estado contradictorio']),
          ...Array(open.notAccepted).fill(['1', null, 'sin aceptar']),
        ],
      );
      const noRoom = open.misfits === 0 ? null : () => `${open.misfits} líneas`;
      const receipts = (count: number) => (count === 0 ? undefined : { ...OCTOBER, count });
      const listings = { moved: receipts(open.moved), gone: receipts(open.gone) };
      const read = { rut: '219999830019', days, listings, parts, ...READ_OCTOBER };
      const points = openPoints(read, form, open.differing, open.noted, noRoom);
      const unknown = open.unread + open.odd;
      const reasons = [
        ...(open.unreadable > 0 ? ['documento ilegible'] : []),
        ...(open.contradictory > 0 ? ['estado contradictorio'] : []),
      ];
      const pointOf = (name: string, count: number, words: string) =>
        count === 0 ? [] : [{ name, text: expect.stringMatching(`^${count} ${words}`) }];
      expect(points).toEqual([
        ...(open.missingDays + open.moved === 0
          ? []
          : [{ name: 'days', text: expect.stringMatching(daysText(open)) }]),
        ...pointOf('gone', open.gone, 'comprobantes? ya no está'),
        ...pointOf('gaps', open.gaps, 'saltos? de numeración$'),
        ...pointOf('twice', 2 * open.twice, 'filas de comprobantes que figuran más de una vez$'),
        ...pointOf('rejected', open.rejected, 'comprobantes? rechazados?$'),
        ...pointOf('details', unknown, 'comprobantes? sin montos'),
        ...pointOf(
          'details',
          unknown === 0 ? open.noted : 0,
          'líneas? de los libros o de los resguardos con',
        ),
        ...pointOf('rates', open.withoutRate, 'comprobantes? sin tipo de cambio$'),
        // Why a row of the form has no line is told already where amounts or rates are not known, unless it says why itself.
        ...pointOf(
          'details',
          open.unreadable +
            open.contradictory +
            (unknown === 0 ? open.inNoLine : 0) +
            (unknown + open.withoutRate === 0 ? open.unrated : 0),
          `filas? del formulario[^(]*${reasons.length === 0 ? '' : ` \\(${reasons.join(', ')}\\)`}$`,
        ),
        ...(open.misfits === 0 ? [] : [{ name: 'details', text: `Formulario 2181: ${open.misfits} líneas` }]),
        ...open.differing.map((text) => ({ name: 'lists', text })),
      ]);
    }),
  );
});

it('a number whose series is written in two ways is one that is listed twice', () => {
  const rows = ['A', 'a'].map((series, at) => [
    ...['recibidos', '1', '111', series, '1', '2026-10-01', 'AE', String(at)],
  ]);
  const parts = part('dos-veces', answerOf(LISTED, rows));
  const read = {
    rut: '219999830019',
    days: [],
    listings: { moved: undefined, gone: undefined },
    parts,
    ...READ_OCTOBER,
  };
  const form = answerOf(['rut', 'linea', 'nota'], []);
  const points = openPoints(read, form, [], 0, null);
  expect(points).toContainEqual({
    name: 'twice',
    text: '2 filas de comprobantes que figuran más de una vez',
  });
});
