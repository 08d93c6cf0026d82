import { addDays, CHANGING_DAYS, dayNumber } from '../../time/days.ts';
import { receiptsText } from '../texts/words.ts';
import { dayOfMoment, type OpenDay, readingsTable, totalsTable } from './day-tables.ts';
import { button, element, spanish } from './dom.ts';

export interface DayMoves {
  /** Undefined at the calendar's end. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
  close: () => void;
}

/** What is known of a day: its state in words, its totals by type, its rows of the audit. */
export function dayDetail(open: OpenDay, moves: DayMoves): HTMLElement {
  const { company, direction, day, state, record, words } = open;
  const heading = element('h4', { tabindex: -1, id: 'open-day' }, words.longDay(day));
  const close = button(words.close, moves.close, { class: 'close', 'aria-keyshortcuts': 'Escape' });
  const detail = element(
    'section',
    { class: 'detail', 'aria-labelledby': 'open-day' },
    element(
      'div',
      { class: 'detail-top' },
      heading,
      element('span', { class: `pill ${state}` }, words.states[state]),
      element(
        'span',
        { class: 'of' },
        spanish(direction),
        ` ${words.ofCompany(company.name || company.rut)}`,
      ),
      element(
        'span',
        { class: 'moves' },
        moveButton(words.dayBefore, moves.previous),
        moveButton(words.dayAfter, moves.next),
        close,
      ),
    ),
    element('p', { class: 'saying' }, sayingOf(open)),
    ...again(open),
  );
  if (record !== undefined) {
    detail.append(
      element('div', { class: 'tables' }, ...totalsTable(open, record), readingsTable(record, words)),
    );
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

function sayingOf({ state, day, receipts, record, words }: OpenDay): string {
  const { sayings } = words;
  // Only a reading that failed has no `filas`.
  const moment = record?.readings.find(({ filas }) => filas !== null)?.inicio ?? null;
  const readDay = moment === null ? undefined : dayOfMoment(moment);
  const age = readDay === undefined ? undefined : dayNumber(readDay) - dayNumber(day);
  const shown = readDay === undefined ? undefined : words.shortDay(readDay);
  const read = words.readOn(receiptsText(receipts ?? 0, words), shown, age);
  const sentence = `${read.charAt(0).toUpperCase()}${read.slice(1)}.`;
  switch (state) {
    case 'missing':
      return sayings.missing;
    case 'failed':
      return receipts === null ? sayings.failed : sayings.failedWithEarlier(read);
    case 'open':
      return `${sentence} ${sayings.open(words.shortDay(addDays(day, CHANGING_DAYS)))}`;
    default:
      return `${sentence} ${sayings[state]}`;
  }
}

/** The command that reads the day again, where that would mend something. */
function again({ company, direction, day, state, readAgain, words }: OpenDay): Node[] {
  if (state === 'open' || state === 'exported') return [];
  const command = `${readAgain} --from ${day} --to ${day} --rut ${company.rut} --direction ${direction}`;
  return [element('p', { class: 'again' }, `${words.readAgain} `, element('code', {}, command))];
}
