import type { DayRecord } from '../html/unpack.ts';
import type { Reading } from '../reading.ts';
import { countText } from '../words.ts';
import { element, scrolled, spanish } from './dom.ts';

/** In the order of a person's questions; `inicio`, `corrida`, `estado` and `error` have places of their own. */
const COUNTS = [
  'filas',
  'nuevas',
  'cambiadas',
  'desaparecidas',
  'avisos',
  'estable',
  'paginas',
  'solicitudes',
  'reintentos',
  'bytes',
] as const satisfies readonly (keyof Reading)[];

/** `2026-11-19 03:21:07`, from seconds of Uruguay's clock. */
export function momentText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** The unit's rows of the audit, newest first, with the names that the columns have there. */
export function readingsTable({ readings, count }: DayRecord): HTMLElement {
  const headings = [heading('inicio, corrida', 'text'), heading('estado', 'text')];
  headings.push(...COUNTS.map((field) => heading(field, 'number')));
  const table = element(
    'table',
    {},
    element('caption', {}, 'Readings, from ', spanish('exportaciones')),
    element('thead', {}, element('tr', {}, ...headings)),
    element('tbody', {}, ...readings.flatMap((reading) => readingRows(reading, headings.length))),
  );
  const older = count - readings.length;
  const note =
    older > 0 ? [element('p', { class: 'note' }, `… and ${countText(older)} older, in exportaciones.`)] : [];
  return element('div', { class: 'readings' }, scrolled('Readings', table), ...note);
}

function heading(text: string, kind: 'text' | 'number'): HTMLElement {
  return element('th', { scope: 'col', lang: 'es', class: kind }, text);
}

function readingRows(reading: Reading, columnCount: number): HTMLElement[] {
  const { inicio, corrida, estado, error } = reading;
  const row = element(
    'tr',
    {},
    element('td', {}, inicio === null ? '–' : momentText(inicio), element('small', {}, corrida)),
    element('td', { lang: 'es', class: estado === 'fallido' ? 'bad' : '' }, estado),
    ...COUNTS.map((field) => element('td', { class: 'number' }, cellText(reading[field]))),
  );
  if (error === null) return [row];
  return [row, element('tr', { class: 'error' }, element('td', { colspan: columnCount }, error))];
}

function cellText(value: number | boolean | null): string {
  if (value === null) return '–';
  return typeof value === 'boolean' ? String(value) : countText(value);
}
