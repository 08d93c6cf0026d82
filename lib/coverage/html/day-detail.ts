import { auditColumn, parseTotals } from '../../audit/row.ts';
import { RECEIPT_TYPES } from '../../lake/receipt-types.ts';
import { escapeHtml, htmlText } from '../../text/html.ts';
import { type Alignment, textTable } from '../../text/text-table.ts';
import { dayFromNumber } from '../../time/days.ts';
import type { DayCoverage, UnitReadings } from '../company-coverage.ts';
import { READING_FIELDS, type Reading, SECONDS_PER_DAY } from '../day.ts';
import { amountText, both, countText, dayText, inBoth, type Texts } from '../texts.ts';

/** A day in full: its state in words, its totals by type, its rows in the audit. */
export function dayDetail(day: DayCoverage, calendarId: string, direction: string): string {
  const { state, readings } = day;
  const tables = readings && `${totalsTable(day, readings, direction)}${readingsTable(readings)}`;
  const title = both((words) => dayText(day.day, state, day.receipts, words));
  return `<details class="day" id="${htmlText(`${calendarId}/${day.day}`)}"><summary>${title}</summary><p>${both((words) => sentenceOf(day, words))}</p>${tables ?? ''}</details>`;
}

/** What its state means, and when it was read. */
function sentenceOf({ state, readings }: DayCoverage, words: Texts): string {
  const moment = readings?.lastGood?.startedAtSeconds ?? null;
  const readDay =
    moment === null
      ? ''
      : `; ${words.readOn(words.shortDay(dayFromNumber(Math.floor(moment / SECONDS_PER_DAY))))}`;
  return `${words.meanings[state]}${readDay}.`;
}

/** A table of text, which is a fiftieth of the elements of another. It scrolls by itself, also by keyboard. */
function table(
  headings: readonly string[],
  rows: readonly string[][],
  alignments: readonly Alignment[],
): string {
  const [titles = '', , ...lines] = textTable(headings, rows, alignments).split('\n');
  return `<pre tabindex="0"><b>${escapeHtml(titles)}</b>\n${escapeHtml(lines.join('\n'))}</pre>`;
}

/** The audit's columns of a reading that fit beside each other. */
const COLUMNS = READING_FIELDS.filter((field) => field !== 'endedAtSeconds' && field !== 'error');

/** The unit's rows in the audit, newest first, under the audit's column names; then why readings failed. */
function readingsTable({ shown, count }: UnitReadings): string {
  const cell = (reading: Reading, field: (typeof COLUMNS)[number]) =>
    field === 'startedAtSeconds' ? momentText(reading[field]) : String(reading[field] ?? '–');
  const rows = shown.map((reading) => COLUMNS.map((field) => cell(reading, field)));
  const names = COLUMNS.map(auditColumn);
  const sides = COLUMNS.map((field) => (field === 'runId' || field === 'state' ? 'left' : 'right'));
  const older = count - shown.length;
  const note =
    older > 0 ? `<p class="note">${both((words) => words.older(countText(older, words)))}</p>` : '';
  const errors = new Set(shown.map(({ error }) => error ?? ''));
  const why = [...errors].map((error) => (error === '' ? '' : `<p class="bad">${htmlText(error)}</p>`));
  return `<p><b>${both((words) => words.readings)}</b></p>${table(names, rows, sides)}${why.join('')}${note}`;
}

/** `2026-11-19 03:21:07`, from local seconds in Uruguay. */
function momentText(seconds: number | null): string {
  return seconds === null ? '–' : new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Receipts and their exact sum by type, in recibidos by currency too: the issued list has no currency. */
function totalsTable(
  { receipts }: DayCoverage,
  { totals: recorded }: UnitReadings,
  direction: string,
): string {
  const count = receipts ?? 0;
  if (count === 0) return '';
  const totals = parseTotals(recorded);
  if (totals === undefined) return `<p class="note">${both((words) => words.noTotals)}</p>`;
  const known = totals.map(({ type }) => RECEIPT_TYPES.find(({ code }) => code === type));
  const rowsIn = (words: Texts) =>
    totals.map(({ type, currency, receipts, withoutTotal, total }, place) => {
      // By law, some types have no amounts. It is worth a note only if just some receipts of a type lack them.
      const isWhole = withoutTotal === 0 || withoutTotal === receipts;
      const without = isWhole ? '' : words.haveNone(countText(withoutTotal, words));
      const amount = withoutTotal === receipts ? '–' : amountText(total, words);
      const name = `${type ?? words.noType} ${known[place]?.name ?? ''}`;
      return [name, countText(receipts, words), currency ?? '', amount, without];
    });
  const notes = [
    ...(direction === 'recibidos' ? [] : [both((words) => words.noCurrency)]),
    ...(known.some((type) => type?.sign === -1) ? [both((words) => words.creditNotes)] : []),
  ];
  const shown = inBoth('div', (words) =>
    table([words.type, words.receiptsColumn, '', 'totales_total', ''], rowsIn(words), [
      'left',
      'right',
      'left',
      'right',
    ]),
  );
  return `<p><b>${both((words) => words.totals)}</b></p>${shown}${notes.map((note) => `<p class="note">${note}</p>`).join('')}`;
}
