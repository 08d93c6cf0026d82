import { AUDIT_FIELDS, type TypeTotal } from '../../audit/columns.ts';
import { addDays, CHANGING_DAYS, DAY_MS, type Day, dayFromNumber, dayNumber } from '../../time/days.ts';
import { type DayState, READING_COUNTS, type Reading } from '../day.ts';
import type { DayRecord, PackedCompany, PackedIndex } from '../html/packed.ts';
import { amountText, countText, receiptsText, type Texts } from '../texts/texts.ts';
import { button, element, heading, SPANISH, scrolled, spanish } from './dom.ts';

/** A day's details: its state in words, its totals by type, its rows in the audit. */
export function dayDetail(open: OpenDay): HTMLElement {
  const { company, direction, day, state, record, words, close } = open;
  const heading = element('h4', { tabindex: -1, id: 'open-day' }, words.longDay(day));
  const closing = button(words.close, close, { class: 'close', 'aria-keyshortcuts': 'Escape' });
  const detail = element(
    'section.detail',
    { 'aria-labelledby': 'open-day' },
    element(
      'div.detail-top',
      heading,
      element(`span.pill ${state}`, words.states[state]),
      element('span.of', spanish(direction), ` ${words.ofCompany(company.name || company.rut)}`),
      element(
        'span.moves',
        moveButton(words.dayBefore, open.previous),
        moveButton(words.dayAfter, open.next),
        closing,
      ),
    ),
    element('p.sentence', sentenceOf(open)),
    ...again(open),
  );
  if (record !== undefined) {
    detail.append(element('div.tables', ...totalsTable(open, record), readingsTable(record, words)));
  }
  detail.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  });
  return detail;
}

function moveButton(label: string, move: (() => void) | undefined): HTMLButtonElement {
  const made = button(label, () => move?.());
  made.disabled = move === undefined;
  return made;
}

function sentenceOf({ state, day, receipts, record, words }: OpenDay): string {
  const { sentences } = words;
  // Only failed readings have no count of receipts.
  const moment = record?.readings.find((reading) => reading.receipts !== null)?.startedAtSeconds ?? null;
  const readDay = moment === null ? undefined : dayOfMoment(moment);
  const age = readDay === undefined ? undefined : dayNumber(readDay) - dayNumber(day);
  const shown = readDay === undefined ? undefined : words.shortDay(readDay);
  const read = words.readOn(receiptsText(receipts ?? 0, words), shown, age);
  const sentence = `${read.charAt(0).toUpperCase()}${read.slice(1)}.`;
  switch (state) {
    case 'missing':
      return sentences.missing;
    case 'failed':
      return receipts === null ? sentences.failed : sentences.failedWithEarlier(read);
    case 'open':
      return `${sentence} ${sentences.open(words.shortDay(addDays(day, CHANGING_DAYS)))}`;
    default:
      return `${sentence} ${sentences[state]}`;
  }
}

/** The command that reads the day again; none if the day is as it should be. */
function again({ company, direction, day, state, index, words }: OpenDay): Node[] {
  if (state === 'open' || state === 'exported') return [];
  const command = `${index.readAgain} --from ${day} --to ${day} --rut ${company.rut} --direction ${direction}`;
  return [element('p.again', `${words.readAgain} `, element('code', command))];
}

interface OpenDay {
  company: PackedCompany;
  direction: string;
  day: Day;
  state: DayState;
  receipts: number | null;
  /** Undefined if the day is missing. */
  record: DayRecord | undefined;
  index: PackedIndex;
  words: Texts;
  /** Go to the days beside it; undefined at the calendar's ends. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
  close: () => void;
}

/** `2026-11-19 03:21:07`, or `19/11/2026 03:21:07`, from local seconds in Uruguay. */
function momentText(seconds: number, { shortDay }: Texts): string {
  return `${shortDay(dayOfMoment(seconds))} ${new Date(seconds * 1000).toISOString().slice(11, 19)}`;
}

function dayOfMoment(seconds: number): Day {
  return dayFromNumber(Math.floor((seconds * 1000) / DAY_MS));
}

/** The unit's rows in the audit, newest first, under the audit's column names. */
function readingsTable({ readings, count }: DayRecord, words: Texts): HTMLElement {
  const { startedAtSeconds, runId, state } = AUDIT_FIELDS;
  const headings = [
    ...[`${startedAtSeconds.column}, ${runId.column}`, state.column].map((name) =>
      heading('text', name, SPANISH),
    ),
    ...READING_COUNTS.map((field) => heading('number', AUDIT_FIELDS[field].column, SPANISH)),
  ];
  const table = element(
    'table',
    element('caption', `${words.readingsFrom} `, spanish('exportaciones')),
    element('thead', element('tr', ...headings)),
    element('tbody', ...readings.flatMap((reading) => readingRows(reading, headings.length, words))),
  );
  const older = count - readings.length;
  const note = older > 0 ? [element('p.note', words.older(countText(older, words)))] : [];
  return element('div.readings', scrolled(words.readings, table), ...note);
}

function readingRows(reading: Reading, columnCount: number, words: Texts): HTMLElement[] {
  const { startedAtSeconds, runId, state, error } = reading;
  const row = element(
    'tr',
    element(
      'td',
      startedAtSeconds === null ? '–' : momentText(startedAtSeconds, words),
      element('small', runId),
    ),
    element('td', { ...SPANISH, class: state === 'fallido' ? 'bad' : '' }, state),
    ...READING_COUNTS.map((field) => element('td.number', cellText(reading[field], words))),
  );
  if (error === null) return [row];
  return [row, element('tr.error', element('td', { colspan: columnCount }, error))];
}

function cellText(value: number | boolean | null, words: Texts): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  return countText(value, words);
}

/** Receipts and their exact sum by type, in recibidos by currency too: the issued list has no currency. */
function totalsTable({ direction, receipts, index, words }: OpenDay, { totals }: DayRecord): HTMLElement[] {
  if (totals === undefined) return [element('p.totals note', words.noTotals)];
  if (totals.length === 0) return [];
  const hasCurrency = direction === 'recibidos';
  const headings = [
    heading('text', words.type),
    ...(hasCurrency ? [heading('text', words.currency)] : []),
    heading('number', words.receiptsColumn),
    heading('number', 'totales_total'),
  ];
  const sum = totals.reduce((count, total) => count + total.receipts, 0);
  const table = element(
    'table',
    element('caption', words.totals),
    element('thead', element('tr', ...headings)),
    element('tbody', ...totals.map((total) => totalRow(total, index.typeNames, hasCurrency, words))),
    element(
      'tfoot',
      element(
        'tr',
        element('th', { scope: 'row' }, words.all),
        ...(hasCurrency ? [element('td')] : []),
        element('td.number', countText(sum, words)),
        element('td'),
      ),
    ),
  );
  const notes = [
    ...(hasCurrency ? [] : [words.noCurrency]),
    ...(totals.some(({ type }) => index.creditNotes.includes(type ?? 0)) ? [words.creditNotes] : []),
    ...(receipts !== null && receipts !== sum
      ? [words.otherCount(receiptsText(receipts, words), countText(sum, words))]
      : []),
  ];
  const lines = notes.map((text) => element('p.note', text));
  return [element('div.totals', scrolled(words.totals, table), ...lines)];
}

function totalRow(
  { type, currency, receipts, withoutTotal, total }: TypeTotal,
  typeNames: Readonly<Record<string, string>>,
  hasCurrency: boolean,
  words: Texts,
): HTMLElement {
  const name = typeNames[String(type)] ?? '';
  // By law, some types have no amounts. It is worth a note only if just some receipts of a type lack them.
  const isWhole = withoutTotal === 0 || withoutTotal === receipts;
  const amount = withoutTotal === receipts ? '–' : amountText(total, words);
  const without = isWhole ? [] : [element('small', words.haveNone(countText(withoutTotal, words)))];
  return element(
    'tr',
    element(
      'th',
      { scope: 'row' },
      element('b', type === null ? words.noType : String(type)),
      ' ',
      spanish(name),
    ),
    ...(hasCurrency ? [element('td', currency ?? '–')] : []),
    element('td.number', countText(receipts, words)),
    element('td.number', amount, ...without),
  );
}
