import type { DayRecord, RecordedTotal } from '../html/unpack.ts';
import { amountText, countText, receiptsText } from '../words.ts';
import type { OpenDay } from './day-detail.ts';
import { element, scrolled, spanish } from './dom.ts';

/** Receipts and their exact sum by type; in recibidos by currency too, which the issued list doesn't have. */
export function totalsTable(
  { direction, receipts, typeNames }: OpenDay,
  { totals, problem }: DayRecord,
): HTMLElement[] {
  if (problem !== undefined) return [element('p', { class: 'totals note' }, `No totals by type: ${problem}`)];
  if (totals.length === 0) return [];
  const hasCurrency = direction === 'recibidos';
  const headings = ['Type', ...(hasCurrency ? ['Currency'] : []), 'Receipts', 'totales_total'];
  const sum = totals.reduce((count, total) => count + total.receipts, 0);
  const table = element(
    'table',
    {},
    element('caption', {}, 'Totals by type'),
    element('thead', {}, element('tr', {}, ...headings.map((text) => heading(text)))),
    element('tbody', {}, ...totals.map((total) => totalRow(total, typeNames, hasCurrency))),
    element(
      'tfoot',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, 'All'),
        ...(hasCurrency ? [element('td')] : []),
        element('td', { class: 'number' }, countText(sum)),
        element('td'),
      ),
    ),
  );
  const notes = [
    ...(hasCurrency ? [] : ['The issued list has no currency: a sum may mix several.']),
    ...(totals.some(({ tipo }) => typeNames[String(tipo)]?.startsWith('NC'))
      ? ['Totals of credit notes (NC) are positive: subtract them.']
      : []),
    ...(receipts !== null && receipts !== sum
      ? [`The audit says ${receiptsText(receipts)}, the stored object has ${countText(sum)}.`]
      : []),
  ];
  const lines = notes.map((text) => element('p', { class: 'note' }, text));
  return [element('div', { class: 'totals' }, scrolled('Totals by type', table), ...lines)];
}

function heading(text: string): HTMLElement {
  const isNumber = text === 'Receipts' || text === 'totales_total';
  return element('th', { scope: 'col', class: isNumber ? 'number' : 'text' }, text);
}

function totalRow(
  { tipo, moneda, receipts, withoutTotal, total }: RecordedTotal,
  typeNames: Readonly<Record<string, string>>,
  hasCurrency: boolean,
): HTMLElement {
  const name = typeNames[String(tipo)] ?? '';
  // Some types have no amounts by law; only where some of a type have none is that worth a word.
  const isWhole = withoutTotal === 0 || withoutTotal === receipts;
  const amount = withoutTotal === receipts ? '–' : amountText(total);
  const without = isWhole ? [] : [element('small', {}, `${countText(withoutTotal)} have none`)];
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row' },
      element('b', {}, tipo === null ? 'no type' : String(tipo)),
      ' ',
      spanish(name),
    ),
    ...(hasCurrency ? [element('td', {}, moneda ?? '–')] : []),
    element('td', { class: 'number' }, countText(receipts)),
    element('td', { class: 'number' }, amount, ...without),
  );
}
