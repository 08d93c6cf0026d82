import type { DayRecord, RecordedTotal } from '../html/unpack.ts';
import type { Texts } from '../texts/texts.ts';
import { amountText, countText, receiptsText } from '../words.ts';
import type { OpenDay } from './day-detail.ts';
import { element, scrolled, spanish } from './dom.ts';

/** Receipts and their exact sum by type; in recibidos by currency too, which the issued list doesn't have. */
export function totalsTable(
  { direction, receipts, typeNames, words }: OpenDay,
  { totals, problem }: DayRecord,
): HTMLElement[] {
  if (problem !== undefined) return [element('p', { class: 'totals note' }, words.noTotals)];
  if (totals.length === 0) return [];
  const hasCurrency = direction === 'recibidos';
  const headings = [
    ...[words.type, ...(hasCurrency ? [words.currency] : [])].map((text) => heading('text', text)),
    ...[words.receiptsColumn, 'totales_total'].map((text) => heading('number', text)),
  ];
  const sum = totals.reduce((count, total) => count + total.receipts, 0);
  const table = element(
    'table',
    {},
    element('caption', {}, words.totals),
    element('thead', {}, element('tr', {}, ...headings)),
    element('tbody', {}, ...totals.map((total) => totalRow(total, typeNames, hasCurrency, words))),
    element(
      'tfoot',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, words.all),
        ...(hasCurrency ? [element('td')] : []),
        element('td', { class: 'number' }, countText(sum, words)),
        element('td'),
      ),
    ),
  );
  const notes = [
    ...(hasCurrency ? [] : [words.noCurrency]),
    ...(totals.some(({ tipo }) => typeNames[String(tipo)]?.startsWith('NC')) ? [words.creditNotes] : []),
    ...(receipts !== null && receipts !== sum
      ? [words.otherCount(receiptsText(receipts, words), countText(sum, words))]
      : []),
  ];
  const lines = notes.map((text) => element('p', { class: 'note' }, text));
  return [element('div', { class: 'totals' }, scrolled(words.totals, table), ...lines)];
}

function heading(kind: 'number' | 'text', text: string): HTMLElement {
  return element('th', { scope: 'col', class: kind }, text);
}

function totalRow(
  { tipo, moneda, receipts, withoutTotal, total }: RecordedTotal,
  typeNames: Readonly<Record<string, string>>,
  hasCurrency: boolean,
  words: Texts,
): HTMLElement {
  const name = typeNames[String(tipo)] ?? '';
  // Some types have no amounts by law; only where some of a type have none is that worth a word.
  const isWhole = withoutTotal === 0 || withoutTotal === receipts;
  const amount = withoutTotal === receipts ? '–' : amountText(total, words);
  const without = isWhole ? [] : [element('small', {}, words.haveNone(countText(withoutTotal, words)))];
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row' },
      element('b', {}, tipo === null ? words.noType : String(tipo)),
      ' ',
      spanish(name),
    ),
    ...(hasCurrency ? [element('td', {}, moneda ?? '–')] : []),
    element('td', { class: 'number' }, countText(receipts, words)),
    element('td', { class: 'number' }, amount, ...without),
  );
}
