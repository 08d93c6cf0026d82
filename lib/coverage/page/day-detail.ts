import { addDays, dayNumber } from '../../time/days.ts';
import { CHANGING_DAYS, type DayState } from '../day-state.ts';
import type { PackedCompany } from '../html/packed.ts';
import type { DayRecord } from '../html/unpack.ts';
import { receiptsText } from '../words.ts';
import { dayName } from './days.ts';
import { button, element, spanish } from './dom.ts';
import { momentText, readingsTable } from './readings-table.ts';
import { totalsTable } from './totals-table.ts';

/** A day that was opened. */
export interface OpenDay {
  company: PackedCompany;
  direction: string;
  day: string;
  state: DayState;
  receipts: number | null;
  /** Undefined when the day is missing. */
  record: DayRecord | undefined;
  typeNames: Readonly<Record<string, string>>;
}

export interface DayMoves {
  /** Undefined at the calendar's end. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
  close: () => void;
}

/** What is known of a day: its state in words, its totals by type, its rows of the audit. */
export function dayDetail(open: OpenDay, moves: DayMoves): HTMLElement {
  const { company, direction, day, state, record } = open;
  const heading = element('h4', { tabindex: -1, id: 'open-day' }, dayName(day, 'day'));
  const close = button('Close', moves.close, { class: 'close', 'aria-keyshortcuts': 'Escape' });
  const detail = element(
    'section',
    { class: 'detail', 'aria-labelledby': 'open-day' },
    element(
      'div',
      { class: 'detail-top' },
      heading,
      element('span', { class: `pill ${state}` }, state),
      element('span', { class: 'of' }, spanish(direction), ` of ${company.name || company.rut}`),
      element(
        'span',
        { class: 'moves' },
        moveButton('← Day before', moves.previous),
        moveButton('Day after →', moves.next),
        close,
      ),
    ),
    element('p', { class: 'saying' }, sayingOf(open)),
    ...again(open),
  );
  if (record !== undefined) {
    detail.append(element('div', { class: 'tables' }, ...totalsTable(open, record), readingsTable(record)));
  }
  detail.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    moves.close();
  });
  return detail;
}

function moveButton(label: string, move: (() => void) | undefined): HTMLButtonElement {
  const made = button(label, () => move?.());
  made.disabled = move === undefined;
  return made;
}

function sayingOf(open: OpenDay): string {
  const { state, day, receipts, record } = open;
  // Only a reading that failed has no `filas`.
  const moment = record?.readings.find(({ filas }) => filas !== null)?.inicio ?? null;
  const readOn = moment === null ? undefined : momentText(moment).slice(0, 10);
  const age = readOn === undefined ? undefined : dayNumber(readOn) - dayNumber(day);
  const read = `${receiptsText(receipts ?? 0)}, read on ${readOn ?? 'an unknown day'}${ageText(age)}`;
  const sentence = `${read.charAt(0).toUpperCase()}${read.slice(1)}`;
  switch (state) {
    case 'missing':
      return 'No run has exported this day.';
    case 'failed':
      return receipts === null
        ? 'Every reading of this day failed; the lake has nothing of it.'
        : `The last reading failed. The lake still has an earlier one: ${read}.`;
    case 'unstable':
      return `${sentence}. The list changed at every reading: all that was seen is kept, but it is not proved to be all.`;
    case 'aged':
      return `${sentence}. A receipt may change for ${CHANGING_DAYS} days; what changed after that reading is not here.`;
    case 'open':
      return `${sentence}. It may still change until ${addDays(day, CHANGING_DAYS)}.`;
    case 'exported':
      return `${sentence}, when its ${CHANGING_DAYS} days were over.`;
  }
}

function ageText(age: number | undefined): string {
  if (age === undefined) return '';
  if (age < 0) return `, ${daysText(-age)} before its issue date`;
  return age === 0 ? ', its issue date' : `, ${daysText(age)} after its issue date`;
}

function daysText(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

/** The command that reads the day again, where that would mend something. */
function again({ company, direction, day, state }: OpenDay): Node[] {
  if (state === 'open' || state === 'exported') return [];
  const command = `cfe-lake export --date ${day} --rut ${company.rut} --direction ${direction}`;
  return [element('p', { class: 'again' }, 'Read it again: ', element('code', {}, command))];
}
