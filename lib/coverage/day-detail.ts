import { readOn, type UnitHistory } from '../audit/history.ts';
import { type AuditField, type AuditRow, auditColumn, parseTotals } from '../audit/row.ts';
import { RECEIPT_TYPES } from '../lake/receipt-types.ts';
import { amountText, countText, shortDay } from '../text/spanish.ts';
import { type Alignment, textTable } from '../text/text-table.ts';
import { dayFromNumber, localDateTime } from '../time/days.ts';
import { htmlText, note, textBlock } from '../view/parts.ts';
import type { DayCoverage } from './company-coverage.ts';
import { dayText, MEANINGS } from './words.ts';

/** A day in full: its state in words, its totals by type, its rows in the audit. */
export function dayDetail(day: DayCoverage, calendarId: string, direction: string): string {
  const { state, readings } = day;
  const tables = readings && `${totalsTable(day, readings, direction)}${readingsTable(readings)}`;
  const title = htmlText(dayText(day.day, state, day.receipts));
  return `<details class="day" id="${htmlText(`${calendarId}/${day.day}`)}"><summary>${title}</summary><p>${htmlText(sentenceOf(day))}</p>${tables ?? ''}</details>`;
}

/** What its state means, and when it was read. */
function sentenceOf({ state, readings }: DayCoverage): string {
  const good = readings?.lastGood;
  const readDay = good === undefined ? '' : `; leído el ${shortDay(dayFromNumber(readOn(good)))}`;
  return `${MEANINGS[state]}${readDay}.`;
}

/** The audit's columns of a reading that fit beside each other. */
const COLUMNS = [
  'startedAtSeconds',
  'runId',
  'state',
  'receipts',
  'appeared',
  'changed',
  'vanished',
  'conversionErrors',
  'isStable',
  'pages',
  'requests',
  'retries',
  'bytes',
] as const satisfies AuditField[];

/** What is shown of a reading. */
export const READING_FIELDS = [...COLUMNS, 'error'] as const;

/** The unit's last rows in the audit, under the audit's column names; then why they failed. */
function readingsTable({ last, lastGood = last, count }: UnitHistory): string {
  const shown = lastGood === last ? [last] : [last, lastGood];
  const cell = (reading: AuditRow, field: (typeof COLUMNS)[number]) =>
    field === 'startedAtSeconds' ? secondText(reading[field]) : String(reading[field] ?? '–');
  const rows = shown.map((reading) => COLUMNS.map((field) => cell(reading, field)));
  const sides = COLUMNS.map((field) => (field === 'runId' || field === 'state' ? 'left' : 'right'));
  const block = textBlock(textTable(COLUMNS.map(auditColumn), rows, sides));
  const errors = new Set(shown.map(({ error }) => error ?? ''));
  const why = [...errors].map((error) => (error === '' ? '' : `<p class="bad">${htmlText(error)}</p>`));
  const older = count - shown.length;
  const olderNote = older > 0 ? note(`… y ${countText(older)} anteriores, en la tabla exportaciones.`) : '';
  return `<p><b>Lecturas, según la tabla exportaciones</b></p>${block}${why.join('')}${olderNote}`;
}

/** `2026-11-19 03:21:07`, from local seconds in Uruguay. */
function secondText(seconds: number | null): string {
  return seconds === null ? '–' : localDateTime(seconds).replace('T', ' ');
}

const HEADINGS = ['Tipo', 'Cantidad', '', 'Total', ''];
const SIDES: readonly Alignment[] = ['left', 'right', 'left', 'right'];

/** Receipts and their exact sum by type, in recibidos by currency too: the issued list has no currency. */
function totalsTable({ receipts }: DayCoverage, { lastGood }: UnitHistory, direction: string): string {
  if ((receipts ?? 0) === 0) return '';
  const totals = parseTotals(lastGood?.totals ?? null);
  if (totals === undefined)
    return note(
      'Sin totales por tipo: la última lectura es anterior a que se guardaran. La próxima exportación los agrega.',
    );
  const known = totals.map(({ type }) => RECEIPT_TYPES.find(({ code }) => code === type));
  const rows = totals.map(({ type, currency, receipts, withoutTotal, total }, place) => {
    // By law, some types have no amounts. It is worth a note only if just some receipts of a type lack them.
    const isWhole = withoutTotal === 0 || withoutTotal === receipts;
    const lack = withoutTotal === 1 ? '1 no tiene' : `${countText(withoutTotal)} no tienen`;
    const amount = withoutTotal === receipts ? '–' : amountText(total);
    const name = `${type ?? 'sin tipo'} ${known[place]?.name ?? ''}`;
    return [name, countText(receipts), currency ?? '', amount, isWhole ? '' : lack];
  });
  const notes = [
    ...(direction === 'recibidos'
      ? []
      : ['La lista de emitidos no trae moneda: una suma puede ser de varias.']),
    ...(known.some((type) => type?.sign === -1)
      ? ['Los totales de las notas de crédito son positivos: hay que restarlos.']
      : []),
  ];
  const block = textBlock(textTable(HEADINGS, rows, SIDES));
  return `<p><b>Totales por tipo</b></p>${block}${notes.map((text) => note(text)).join('')}`;
}
