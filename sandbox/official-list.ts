import { shortDay } from '../lib/text/spanish.ts';
import { type DayRange, daysBetween } from '../lib/time/days.ts';
import type { Direction } from '../lib/units/unit.ts';
import type { Sandbox } from './sandbox.ts';

const TITLES = { recibidos: 'CFE Recibidos', emitidos: 'CFE Emitidos' };
const HEADING = 'Fecha;Tipo CFE;Serie;Número;RUT Emisor;RUT Receptor;Moneda;Monto Total';

/** What the tax authority's page would give of these days: a company's list, as CSV in Spanish form; undefined if it is empty. */
export function officialList(
  sandbox: Sandbox,
  rut: string,
  direction: Direction,
  { from, to }: DayRange,
): string | undefined {
  const rows = daysBetween(from, to).flatMap((day) =>
    Array.from(sandbox.truth(rut, direction, day)).flatMap((receipt) => {
      // Whether the real one has rejected ones, nobody who wrote this has seen.
      if ([receipt.estado, receipt.estado_dgi].includes('BE')) return [];
      const { tipo_comprobante, serie, numero, emisor, receptor, moneda, total } = receipt;
      const parties = [emisor.document, receptor?.document ?? ''];
      return [[shortDay(day), tipo_comprobante, serie, numero, ...parties, moneda ?? '', pesos(total ?? 0n)]];
    }),
  );
  if (rows.length === 0) return undefined;
  const range = [`Desde;${shortDay(from)}`, `Hasta;${shortDay(to)}`];
  const lines = [TITLES[direction], ...range, HEADING, ...rows.map((row) => row.join(';'))];
  return `${lines.join('\r\n')}\r\n`;
}

/** Shows a company no longer, or not yet, the first receipt that it received on the last of these days with any. */
export function hideReceived(sandbox: Sandbox, rut: string, { from, to }: DayRange): void {
  const lastDay = daysBetween(from, to).findLast(
    (day) => [...sandbox.truth(rut, 'recibidos', day)].length > 0,
  );
  sandbox.behave({
    hidden: (unit) =>
      unit.rut === rut && unit.direction === 'recibidos' && unit.day === lastDay
        ? [{ start: 0, end: 1 }]
        : [],
  });
}

function pesos(cents: bigint): string {
  const digits = String(cents).replace('-', '').padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)},${digits.slice(-2)}`;
}
