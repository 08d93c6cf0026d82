import { totalsApart } from '../query/answer.ts';
import { counted, type Several, shortDay } from '../text/spanish.ts';
import { addDays, CHANGING_DAYS } from '../time/days.ts';
import { type AnsweredPart, answerOf, type PartId } from './parts.ts';
import { listingsText } from './read-days.ts';
import type { Report } from './read-report.ts';
import { isToReadAgain, REPORT_STATES, STATES_TO_LOOK_AT } from './report-day.ts';
import { columnOf, countIn, receiptsWithoutCurrency } from './values.ts';

/** Whether the month is complete, and what to look into. */
export interface Verdict {
  /**
   * incomplete: data is missing. open: all is there, some may still change, or may have since it was read. complete: all
   * was read once settled.
   */
  state: 'incomplete' | 'open' | 'complete';
  sentence: string;
  /** Worst first; `anchor` is the part that shows it. */
  concerns: readonly { text: string; anchor: string }[];
}

export const VERDICTS: Readonly<Record<Verdict['state'], string>> = {
  incomplete: 'Incompleto',
  open: 'Puede cambiar',
  complete: 'Completo',
};

/** The parts of a report that decide the verdict. */
type Month = Pick<Report, 'days' | 'listings' | 'parts' | 'to' | 'today' | 'isLagging'>;

export function verdictOf(month: Month): Verdict {
  const { days, listings, parts, isLagging } = month;
  const dayConcerns = STATES_TO_LOOK_AT.flatMap((state) => {
    const count = days.filter((day) => day.state === state).length;
    return concernOf('dias', count, DAYS_TO_LOOK_AT[state]);
  });
  const lag = isLagging === true ? LAGGING : 'No se pudo saber si las tablas tienen todo lo leído';
  const concerns = [
    ...dayConcerns,
    ...(['moved', 'gone'] as const).flatMap((which) => {
      const text = listingsText(listings, which);
      return text === undefined ? [] : [{ text, anchor: 'dias' }];
    }),
    ...(isLagging === false ? [] : [{ text: lag, anchor: 'dias' }]),
    ...countConcerns(parts),
    ...positionConcerns(parts),
    ...answerConcerns(parts),
    ...parts.flatMap(({ part: { id, concern }, answer }) =>
      concern === undefined ? [] : concernOf(id, answer?.rows.length ?? 0, concern),
    ),
  ];
  return { ...judged(month, dayConcerns.length > 0), concerns };
}

export function hasNoReceipts(days: Report['days']): boolean {
  return days.every(({ receipts }) => receipts === 0);
}

function judged(
  { days, listings, to, today, isLagging }: Month,
  isAnyMarked: boolean,
): Pick<Verdict, 'state' | 'sentence'> {
  const incomplete = (sentence: string) => ({ state: 'incomplete', sentence }) as const;
  if (today <= to) return incomplete(`El mes no terminó: va hasta el ${shortDay(to)}.`);
  if (listings.moved !== undefined || days.some(isToReadAgain)) {
    return incomplete('El mes no está completo: hay días que faltan o que hay que volver a leer.');
  }
  if (isLagging !== false) {
    const reason = isLagging ? 'las tablas no tienen todo lo leído' : 'no se sabe si las tablas están al día';
    return incomplete(`No se puede afirmar que el mes esté completo: ${reason}.`);
  }
  const isEmpty = hasNoReceipts(days);
  const isRead = isEmpty
    ? 'El mes se leyó completo y no tiene ningún comprobante, emitido ni recibido'
    : 'El mes se leyó completo';
  if (days.some(({ state }) => state === 'open')) {
    const settled = shortDay(addDays(to, CHANGING_DAYS));
    const sentence = `${isRead}, pero todavía puede cambiar: sus días se vuelven a leer hasta el ${settled}.`;
    return { state: 'open', sentence };
  }
  if (isAnyMarked) {
    const sentence = `${isRead}, pero algunos días se leyeron antes de cumplir ${CHANGING_DAYS} días: pueden haber cambiado desde entonces.`;
    return { state: 'open', sentence };
  }
  const emptyNote = isEmpty ? ' No tiene ningún comprobante, emitido ni recibido.' : '';
  const sentence = `El mes está completo: cada día se leyó cuando ya habían pasado ${CHANGING_DAYS} días.${emptyNote}`;
  return { state: 'complete', sentence };
}

const LAGGING =
  'Hay días leídos que las tablas todavía no tienen: una lectura está en marcha, o se interrumpió, y la próxima las pone al día';

function ofLists(singular: string, plural: string): Several {
  return [`día de emitidos o recibidos${singular}`, `días de emitidos o recibidos${plural}`];
}

const OLDER = ` ${REPORT_STATES.older}`;
const UNPROVED = ': no se pudo comprobar que la lista no cambiara mientras se leía';
const BEFORE_ITS_END = 'por última vez antes de terminar: puede haber comprobantes posteriores';
const EARLY = `por última vez antes de cumplir ${CHANGING_DAYS} días`;

const DAYS_TO_LOOK_AT: Readonly<Record<(typeof STATES_TO_LOOK_AT)[number], Several>> = {
  missing: ofLists(' no se leyó', ' no se leyeron'),
  failed: ofLists(' falló en su última lectura', ' fallaron en su última lectura'),
  early: ofLists(` se leyó ${BEFORE_ITS_END}`, ` se leyeron ${BEFORE_ITS_END}`),
  unstable: ofLists(UNPROVED, UNPROVED),
  aged: ofLists(` se leyó ${EARLY}`, ` se leyeron ${EARLY}`),
  older: ofLists(OLDER, OLDER),
};

type Concern = Verdict['concerns'][number];

function concernOf(anchor: string, count: number, words: Several): Concern[] {
  return count === 0 ? [] : [{ text: counted(count, words), anchor }];
}

function ofReceipts(words: string): Several {
  return [`comprobante ${words}`, `comprobantes ${words}`];
}

/** Concerns that are sums of a column: receipts without amounts or VAT. */
const COUNTS: readonly { ids: readonly PartId[]; column: string; words: Several }[] = [
  {
    ids: ['iva'],
    column: 'sin_desglose',
    words: ofReceipts('sin desglose de IVA: las sumas de IVA están incompletas'),
  },
  { ids: ['iva'], column: 'por_revisar', words: ofReceipts('con IVA por revisar') },
  {
    ids: ['ventas', 'compras'],
    column: 'sin_monto',
    words: ofReceipts('sin un total que se pueda sumar'),
  },
];

function countConcerns(parts: readonly AnsweredPart[]): Concern[] {
  return COUNTS.flatMap(({ ids, column, words }) => {
    const count = ids.reduce((sum, id) => sum + countIn(answerOf(parts, id), column), 0);
    return concernOf(ids[0] ?? '', count, words);
  });
}

export const UNKNOWN = ofReceipts('sin montos conocidos o por revisar');
export const WITHOUT_RATE = ofReceipts('sin tipo de cambio');

/** Receipts that no sum in pesos of the position has. */
export function positionLacks(parts: readonly AnsweredPart[]): { unknown: number; withoutRate: number } {
  const { lines } = totalsApart(answerOf(parts, 'posicion') ?? { columns: [], rows: [] });
  const unknown = countIn(lines, 'sin_detalle') + countIn(lines, 'por_revisar');
  return { unknown, withoutRate: countIn(lines, 'sin_cambio') };
}

/** Of amounts that the VAT by month tells of, too, nothing is said again. */
function positionConcerns(parts: readonly AnsweredPart[]): Concern[] {
  const { unknown, withoutRate } = positionLacks(parts);
  const vat = answerOf(parts, 'iva');
  const isTold = countIn(vat, 'sin_desglose') + countIn(vat, 'por_revisar') > 0;
  return [
    ...concernOf('posicion', isTold ? 0 : unknown, UNKNOWN),
    ...concernOf('posicion', withoutRate, WITHOUT_RATE),
  ];
}

/** The group of e-Tickets that may stay unanswered for ever, and of those of which that is not known. */
const UNDER_THE_LIMIT = 'bajo el limite';
const WITHOUT_DETAIL = 'sin leer el detalle';

const UNANSWERED: Several = [
  'respuesta pendiente, de la DGI o de un receptor',
  'respuestas pendientes, de la DGI o de receptores',
];
const UNREAD: Several = [
  'e-Ticket sin respuesta de la DGI y sin leer el detalle: no se sabe si está por debajo del límite',
  'e-Tickets sin respuesta de la DGI y sin leer el detalle: no se sabe cuáles están por debajo del límite',
];

/** Pending answers. e-Tickets below the limit are none; of those whose detail was not read, nothing is known. */
function answerConcerns(parts: readonly AnsweredPart[]): Concern[] {
  const { pending, unread } = pendingAnswers(parts);
  return [...concernOf('sin-respuesta', pending, UNANSWERED), ...concernOf('sin-respuesta', unread, UNREAD)];
}

/** Answers to wait for, and e-Tickets of which it is not known whether there will be any. */
export function pendingAnswers(parts: readonly AnsweredPart[]): { pending: number; unread: number } {
  const answer = answerOf(parts, 'sin-respuesta');
  if (answer === undefined) return { pending: 0, unread: 0 };
  // Before what says of which year the UI is.
  const groups = columnOf(answer, 'e_ticket').map((group) => group?.split(', ')[0]);
  const counts = columnOf(answer, 'comprobantes').map(Number);
  const count = (isWanted: (group: string | null) => boolean) =>
    counts.reduce((sum, receipts, row) => (isWanted(groups[row] ?? null) ? sum + receipts : sum), 0);
  return {
    pending: count((group) => group !== UNDER_THE_LIMIT && group !== WITHOUT_DETAIL),
    unread: count((group) => group === WITHOUT_DETAIL),
  };
}

/** Why the currency of receipts of a part is not known; undefined if all are. */
export function currencyHint(report: Report, id: 'ventas' | 'compras'): string | undefined {
  const answer = answerOf(report.parts, id);
  if (answer === undefined || receiptsWithoutCurrency(answer) === 0) return undefined;
  return report.unreadDetails.includes(id)
    ? 'La moneda está en los detalles, que no se leyeron todos.'
    : 'No figura en las listas ni en los detalles leídos de los emitidos.';
}
