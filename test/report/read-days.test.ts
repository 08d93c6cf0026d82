import { expect, it } from 'vitest';
import { UnitHistory } from '../../lib/audit/history.ts';
import type { DayState } from '../../lib/coverage/day.ts';
import {
  type DaysOfCompany,
  daysOf,
  lackOfDays,
  lackOfFigures,
  type ReadPeriod,
} from '../../lib/report/read-days.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { auditRow } from '../support/audit-row.ts';
import { OCTOBER, READ_OCTOBER } from '../support/report/read-october.ts';

const RUT = '219999830019';
const DETAILS = ' --details recibidos --details emitidos';

function company(states: Partial<Record<string, DayState>> = {}, rut = RUT) {
  const days = ['recibidos', 'emitidos'].flatMap((direction) =>
    daysBetween(OCTOBER.from, OCTOBER.to).map((day) => {
      const state = states[`${direction} ${day.slice(8)}`] ?? 'open';
      return { direction, day, state, receipts: 1, readings: undefined };
    }),
  );
  return { rut, days };
}

function lack(companies: readonly DaysOfCompany[], changes: Partial<ReadPeriod> = {}) {
  return lackOfDays(companies, { ...READ_OCTOBER, ...changes });
}

it('a month lacks nothing whose days were read after their end, though they may change', () => {
  expect(lack([company({ 'emitidos 03': 'aged', 'emitidos 04': 'exported' })])).toBeUndefined();
});

it('names the days, by list and reason, and the command that reads them', () => {
  const states = { 'emitidos 05': 'missing', 'emitidos 06': 'missing', 'recibidos 31': 'early' } as const;
  expect(lack([company(states), company({}, '214844360018')])).toEqual({
    text: `Faltan días, o hay que volver a leerlos: RUT ${RUT}: recibidos 31/10/2026 (leído antes de terminar), emitidos del 05/10/2026 al 06/10/2026 (sin leer).`,
    command: `export --rut ${RUT} --from 2026-10-05 --to 2026-10-31${DETAILS}`,
    isOpen: true,
  });
});

it('a day of which the tables have fewer receipts than were read is to be read again', () => {
  const read = { day: '2026-10-06', state: 'open', receipts: 2, readings: undefined } as const;
  const calendars = [{ direction: 'emitidos' as const, days: [read] }];
  const company = { rut: RUT, name: undefined, calendars, isOlder: () => undefined };
  const stateOf = (held: number) => daysOf(company, READ_OCTOBER, () => held).map(({ state }) => state);
  expect([stateOf(0), stateOf(1), stateOf(2)]).toEqual([['missing'], ['missing'], ['open']]);
});

it('names days whose details are older than their list, and reads them again', () => {
  const read = { state: 'exportado', receipts: 1 };
  const readings = new UnitHistory(auditRow({ ...read, sha256: 'b', startedAtSeconds: 2 }));
  readings.add(auditRow({ ...read, sha256: 'a', detailState: 'completo', startedAtSeconds: 1 }));
  const states = ['open', 'missing', 'open'] as const;
  const calendars = [
    {
      direction: 'emitidos' as const,
      days: daysBetween('2026-10-06', '2026-10-08').map((day, place) => {
        const state = states[place] ?? 'open';
        return { day, state, receipts: 1, readings: place < 2 ? readings : undefined };
      }),
    },
  ];
  const company = { rut: RUT, name: undefined, calendars, isOlder: () => undefined };
  const days = daysOf(company, READ_OCTOBER, () => Number.POSITIVE_INFINITY);
  expect(days.map(({ state }) => state)).toEqual(['older', 'missing', 'open']);
  expect(lack([{ rut: RUT, days }])).toEqual({
    text: `Faltan días, o hay que volver a leerlos: RUT ${RUT}: emitidos 06/10/2026 (con detalles de antes que su lista), emitidos 07/10/2026 (sin leer).`,
    command: `export --rut ${RUT} --from 2026-10-06 --to 2026-10-07${DETAILS}`,
    isOpen: true,
  });
});

it('says what is not known; a damaged audit alone is no open point, as in a close', () => {
  expect(lack([company()], { damaged: ['x'] })).toEqual({
    text: 'No se sabe qué más falta: una parte de lo anotado al leer está dañada.',
    command: undefined,
    isOpen: false,
  });
  expect(lack([company()], { isLagging: undefined })).toMatchObject({ isOpen: true });
  expect(lack([])).toMatchObject({
    command: `export --from 2026-10-01 --to 2026-10-31${DETAILS}`,
    isOpen: true,
  });
  expect(lack([company()], { today: '2026-10-20' })?.text).toBe(
    'El período no terminó: va hasta el 31/10/2026.',
  );
});

it('names at most five companies, and then reads all', () => {
  const ruts = ['214844360018', '214198620015', '218617380010', '211003420017', '210000000016', RUT];
  const { text, command } = lack(ruts.map((rut) => company({ 'emitidos 09': 'failed' }, rut))) ?? {};
  expect(text).toMatch(/210000000016: emitidos 09\/10\/2026 \(con error\); y 1 empresa más\.$/);
  expect(command).toBe(`export --from 2026-10-09 --to 2026-10-09${DETAILS}`);
});

it('reads days again in which a receipt is twice, of the companies that have any, and tells of those that are gone', () => {
  const other = '214844360018';
  const twice = { count: 2, from: '2026-09-30', to: '2026-10-01' } as const;
  const companies = [
    { ...company({ 'emitidos 09': 'failed' }), listings: { moved: undefined, gone: undefined } },
    { ...company({}, other), listings: { moved: twice, gone: { ...OCTOBER, count: 1 } } },
    company({}, '218617380010'),
  ];
  const days = `Faltan días, o hay que volver a leerlos: RUT ${RUT}: emitidos 09/10/2026 (con error). RUT ${other}: 2 comprobantes están en dos días: su fecha cambió, y hay que volver a leerlos (del 30/09/2026 al 01/10/2026).`;
  const command = `export --rut ${RUT} --rut ${other} --from 2026-09-30 --to 2026-10-09${DETAILS}`;
  expect(lackOfDays(companies, READ_OCTOBER)).toEqual({ text: days, command, isOpen: true });
  const gone = `RUT ${other}: 1 comprobante ya no está en la lista de ningún día: las sumas no lo cuentan (del 01/10/2026 al 31/10/2026).`;
  expect(lackOfFigures(companies, READ_OCTOBER)).toEqual({ text: `${gone} ${days}`, command, isOpen: true });
  const onlyGone = [
    { ...company({}, other), listings: { moved: undefined, gone: { ...OCTOBER, count: 1 } } },
  ];
  expect(lackOfFigures(onlyGone, READ_OCTOBER)).toEqual({ text: gone, command: undefined, isOpen: false });
});
