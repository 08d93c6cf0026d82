import { counted, countText, type Several, shortDay, weekDay } from '../text/spanish.ts';
import { CHANGING_DAYS, type Day, type DayRange, isDay } from '../time/days.ts';
import { type DayState, MARKED_STATES, type StateCounts } from './day.ts';

/** How the page says what the lake has of a day. */

export const STATES: Readonly<Record<DayState, string>> = {
  missing: 'sin leer',
  failed: 'con error',
  early: 'leído antes de terminar',
  unstable: 'con lista inestable',
  aged: 'sin lectura final',
  open: 'se sigue releyendo',
  exported: 'con lectura final',
};

export const MEANINGS: Readonly<Record<DayState, string>> = {
  missing: 'ninguna corrida lo exportó',
  failed: 'la última lectura falló; si hubo una anterior, se conserva',
  early: 'se leyó por última vez antes de que el día terminara: puede haber comprobantes posteriores',
  unstable: 'no se pudo comprobar que la lista no cambiara mientras se leía',
  aged: `se leyó por última vez antes de cumplir ${CHANGING_DAYS} días`,
  open: `exportado; todavía puede cambiar: no cumplió ${CHANGING_DAYS} días`,
  exported: `exportado después de cumplir ${CHANGING_DAYS} días`,
};

export const RECEIPT: Several = ['comprobante', 'comprobantes'];

/** `jueves 19/11/2026: 37 comprobantes, con lectura final`. `receipts` is null if no reading succeeded. */
export function dayText(day: Day, state: DayState, receipts: number | null): string {
  const name = weekDay(day);
  if (receipts === null) return `${name}: ${STATES[state]}`;
  const count = receiptsText(receipts);
  if (state === 'failed') return `${name}: ${STATES.failed}, ${count} de una lectura anterior`;
  return `${name}: ${count}, ${STATES[state]}`;
}

export function receiptsText(count: number): string {
  return count === 0 ? 'sin comprobantes' : counted(count, RECEIPT);
}

/** The states that need a look: `3 sin leer, 1 con error`. */
export function lookText(counts: StateCounts): string {
  const said = MARKED_STATES.filter((state) => counts[state] > 0);
  return (
    said.map((state) => `${countText(counts[state])} ${STATES[state]}`).join(', ') || 'ningún día por revisar'
  );
}

/** `del 01/11/2026 al 19/11/2026`. */
export function rangeText({ from, to }: DayRange): string {
  return `del ${shortDay(from)} al ${shortDay(to)}`;
}

/** `del 01/11/2026 al 03/11/2026`, or one day. */
export function rangeInWords(range: string): string {
  const [from = '', to = from] = range.split('..');
  if (!isDay(from) || !isDay(to)) return range;
  return from === to ? shortDay(from) : rangeText({ from, to });
}
