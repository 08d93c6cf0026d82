import type { DayRecord } from '../html/unpack.ts';
import type { Reading } from '../reading.ts';
import type { Texts } from '../texts/texts.ts';
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

/** `2026-11-19 03:21:07`, or `19/11/2026 03:21:07`, from seconds of Uruguay's clock. */
function momentText(seconds: number, { shortDay }: Texts): string {
  return `${shortDay(dayOfMoment(seconds))} ${new Date(seconds * 1000).toISOString().slice(11, 19)}`;
}

/** Its day, `2026-11-19`. */
export function dayOfMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** The unit's rows of the audit, newest first, with the names that the columns have there. */
export function readingsTable({ readings, count }: DayRecord, words: Texts): HTMLElement {
  const headings = [heading('inicio, corrida', 'text'), heading('estado', 'text')];
  headings.push(...COUNTS.map((field) => heading(field, 'number')));
  const table = element(
    'table',
    {},
    element('caption', {}, `${words.readingsFrom} `, spanish('exportaciones')),
    element('thead', {}, element('tr', {}, ...headings)),
    element('tbody', {}, ...readings.flatMap((reading) => readingRows(reading, headings.length, words))),
  );
  const older = count - readings.length;
  const note = older > 0 ? [element('p', { class: 'note' }, words.older(countText(older, words)))] : [];
  return element('div', { class: 'readings' }, scrolled(words.readings, table), ...note);
}

function heading(text: string, kind: 'text' | 'number'): HTMLElement {
  return element('th', { scope: 'col', lang: 'es', class: kind }, text);
}

function readingRows(reading: Reading, columnCount: number, words: Texts): HTMLElement[] {
  const { inicio, corrida, estado, error } = reading;
  const row = element(
    'tr',
    {},
    element('td', {}, inicio === null ? '–' : momentText(inicio, words), element('small', {}, corrida)),
    element('td', { lang: 'es', class: estado === 'fallido' ? 'bad' : '' }, estado),
    ...COUNTS.map((field) => element('td', { class: 'number' }, cellText(reading[field], words))),
  );
  if (error === null) return [row];
  return [row, element('tr', { class: 'error' }, element('td', { colspan: columnCount }, error))];
}

function cellText(value: number | boolean | null, words: Texts): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  return countText(value, words);
}
