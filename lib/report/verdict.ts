import { isTroubled, MARKED_STATES } from '../coverage/day.ts';
import type { Several } from '../coverage/texts.ts';
import { addDays, CHANGING_DAYS } from '../time/days.ts';
import { type AnsweredPart, answerOf, type PartId } from './parts.ts';
import type { Report } from './read-report.ts';
import type { ReportTexts } from './texts/english.ts';
import { columnOf, counted, countIn, receiptsWithoutCurrency } from './values.ts';

/** Whether the month is complete, and what to look into. */
export interface Verdict {
  /**
   * incomplete: data is missing. open: all is there, some may still change, or may have since it was read. complete: all
   * was read once settled.
   */
  state: 'incomplete' | 'open' | 'complete';
  sentence: string;
  /** Worst first; `anchor` is the part that shows it, and `command` what helps, if a command does. */
  concerns: readonly { text: string; anchor: string; command?: string }[];
}

/** The parts of a report that decide the verdict. */
type Month = Pick<Report, 'days' | 'parts' | 'to' | 'today' | 'isLagging' | 'readDetails'>;

export function verdictOf(month: Month, texts: ReportTexts): Verdict {
  const { days, parts, to, today, isLagging } = month;
  const dayConcerns = MARKED_STATES.flatMap((state) => {
    const count = days.filter((day) => day.state === state).length;
    return concernOf('dias', count, texts.troubledDays[state], texts);
  });
  const lagText = isLagging === true ? texts.lagging : texts.lagUnknown;
  const concerns = [
    ...dayConcerns,
    ...(isLagging === false ? [] : [{ text: lagText, anchor: 'dias' }]),
    ...countConcerns(parts, texts),
    ...answerConcerns(month, texts),
    ...parts.flatMap((part) => partConcern(part, texts)),
  ];
  if (today <= to)
    return { state: 'incomplete', sentence: texts.notOver(texts.forms.shortDay(to)), concerns };
  if (days.some(({ state }) => isTroubled(state))) {
    return { state: 'incomplete', sentence: texts.daysLack, concerns };
  }
  if (isLagging !== false) {
    const reason = isLagging === true ? texts.reasons.lagging : texts.reasons.unknown;
    return { state: 'incomplete', sentence: texts.lacking(reason), concerns };
  }
  if (days.some(({ state }) => state === 'open')) {
    const settled = texts.forms.shortDay(addDays(to, CHANGING_DAYS));
    return { state: 'open', sentence: texts.mayChange(settled), concerns };
  }
  if (dayConcerns.length > 0) return { state: 'open', sentence: texts.readEarly, concerns };
  return { state: 'complete', sentence: texts.complete, concerns };
}

type Concern = Verdict['concerns'][number];

function partConcern({ part, answer }: AnsweredPart, texts: ReportTexts): Concern[] {
  const { concern } = texts.parts[part.id];
  return concern === undefined ? [] : concernOf(part.id, answer?.rows.length ?? 0, concern, texts);
}

function concernOf(anchor: string, count: number, words: Several, texts: ReportTexts): Concern[] {
  return count === 0 ? [] : [{ text: counted(count, words, texts), anchor }];
}

/** Concerns that are sums of a column: receipts without amounts or VAT. */
function countConcerns(parts: readonly AnsweredPart[], texts: ReportTexts): Concern[] {
  const { withoutVat, vatToCheck, withoutTotal } = texts.concerns;
  const counts: { anchor: PartId; ids: PartId[]; column: string; words: Several }[] = [
    { anchor: 'iva', ids: ['iva'], column: 'Sin desglose', words: withoutVat },
    { anchor: 'iva', ids: ['iva'], column: 'Por revisar', words: vatToCheck },
    { anchor: 'ventas', ids: ['ventas', 'compras'], column: 'Sin monto', words: withoutTotal },
  ];
  return counts.flatMap(({ anchor, ids, column, words }) => {
    const count = ids.reduce((sum, id) => sum + countIn(answerOf(parts, id), column), 0);
    return concernOf(anchor, count, words, texts);
  });
}

/** The group of e-Tickets that may stay unanswered for ever, and of those of which that is not known. */
const UNDER_THE_LIMIT = 'bajo el limite';
const WITHOUT_DETAIL = 'sin leer el detalle';

/** Pending answers. e-Tickets below the limit are none; of those whose detail was not read, nothing is known. */
function answerConcerns({ parts, readDetails }: Month, texts: ReportTexts): Concern[] {
  const { pending, unread } = pendingAnswers(parts);
  const ofUnread = concernOf('sin-respuesta', unread, texts.concerns.ticketsUnread, texts);
  return [
    ...concernOf('sin-respuesta', pending, texts.concerns.unanswered, texts),
    ...ofUnread.map((concern) => ({ ...concern, command: readDetails })),
  ];
}

/** Answers to wait for, and e-Tickets of which it is not known whether there will be any. */
export function pendingAnswers(parts: readonly AnsweredPart[]): { pending: number; unread: number } {
  const answer = answerOf(parts, 'sin-respuesta');
  if (answer === undefined) return { pending: 0, unread: 0 };
  // Before what says of which year the UI is.
  const groups = columnOf(answer, 'e-Ticket').map((group) => group?.split(', ')[0]);
  const counts = columnOf(answer, 'Cantidad').map(Number);
  const count = (isWanted: (group: string | null) => boolean) =>
    counts.reduce((sum, receipts, row) => (isWanted(groups[row] ?? null) ? sum + receipts : sum), 0);
  return {
    pending: count((group) => group !== UNDER_THE_LIMIT && group !== WITHOUT_DETAIL),
    unread: count((group) => group === WITHOUT_DETAIL),
  };
}

/** What to do about a part's receipts whose currency is not known; undefined if there are none. */
export function currencyHint(
  report: Report,
  id: 'ventas' | 'compras',
  texts: ReportTexts,
): string | undefined {
  const answer = answerOf(report.parts, id);
  if (answer === undefined || receiptsWithoutCurrency(answer) === 0) return undefined;
  return report.unreadDetails.includes(id)
    ? `${texts.readDetails}\n  ${report.readDetails}`
    : texts.unnamedCurrency;
}
