import { htmlText } from '../text/html.ts';
import { CHANGING_DAYS, type Day } from '../time/days.ts';
import { DAY_STATES, type DayState, MARKED_STATES, type StateCounts } from './day.ts';

export type Texts = typeof ENGLISH;

/** What follows a number: `day`, `days`. */
export type Several = readonly [one: string, many: string];

/** A day in one line: `2026-11-19 (Thu): 37 receipts, settled`. `receipts` is null if no reading succeeded. */
export function dayText(day: Day, state: DayState, receipts: number | null, texts: Texts): string {
  const name = texts.weekDay(day);
  if (receipts === null) return `${name}: ${texts.states[state]}`;
  const count = receiptsText(receipts, texts);
  if (state === 'failed') return `${name}: ${texts.failedWith(count)}`;
  return `${name}: ${count}, ${texts.states[state]}`;
}

export function receiptsText(count: number, texts: Texts): string {
  return texts.receipts(countText(count, texts), count);
}

/** `3 missing, 1 failed`; states without days are left out. */
export function statesText(
  counts: StateCounts,
  texts: Texts,
  states: readonly DayState[] = DAY_STATES,
): string {
  const said = states.filter((state) => counts[state] > 0);
  return said.map((state) => `${countText(counts[state], texts)} ${texts.states[state]}`).join(', ');
}

/** The states that need a look, in a row of the page or the terminal: `3 missing, 1 failed`. */
export function lookText(counts: StateCounts, texts: Texts): string {
  return statesText(counts, texts, MARKED_STATES) || texts.noTrouble;
}

/** A whole number with thousands separators: `12,345`. */
export function countText(count: number, { thousands }: Pick<Texts, 'thousands'>): string {
  return grouped(String(count), thousands);
}

/** An exact decimal with thousands separators: `-1,234.50`. No digit is lost. */
export function amountText(
  exact: string,
  { thousands, decimal }: Pick<Texts, 'thousands' | 'decimal'>,
): string {
  const [whole = '', fraction] = exact.split('.');
  const text = grouped(whole, thousands);
  return fraction === undefined ? text : `${text}${decimal}${fraction}`;
}

function grouped(digits: string, separator: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, separator);
}

/** Writes days in a language. */
export function dayFormat(locale: string, options: Intl.DateTimeFormatOptions): (day: Day) => string {
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  return (day) => format.format(new Date(`${day}T00:00:00Z`));
}

const englishWeekday = dayFormat('en-GB', { weekday: 'short' });

/** All texts of the coverage page. What another language lacks of them does not compile. */
export const ENGLISH = {
  language: 'en',
  /** Its own name. */
  otherLanguage: 'Español',

  thousands: ',',
  decimal: '.',
  /** A day (`2026-11-19`) in short, and with its day of the week. */
  shortDay: (day: Day): string => day,
  weekDay: (day: Day) => `${day} (${englishWeekday(day)})`,
  /** A day's month in short, for calendars, and in full. */
  shortMonth: dayFormat('en-US', { month: 'short', year: 'numeric' }),
  longMonth: dayFormat('en-GB', { month: 'long', year: 'numeric' }),

  title: 'Coverage',
  whichDays: 'Which issue dates the lake holds:',
  range: (from: string, to: string) => `${from} to ${to}`,
  companies: (count: string, isOne: boolean) => `${count} ${isOne ? 'company' : 'companies'}`,
  inLake: 'in',
  /** `moment`: day and time in Uruguay. */
  asOf: (moment: string) => `As of ${moment}, Uruguay.`,

  /** A state's name and meaning, for legends. */
  states: {
    missing: 'missing',
    failed: 'failed',
    unstable: 'unstable',
    aged: 'aged',
    open: 'still re-read',
    exported: 'settled',
  },
  meanings: {
    missing: 'no run has exported it',
    failed: 'the last reading failed; an earlier one, if any, is kept',
    unstable: 'no reading of its list was proved free of changes',
    aged: `last read before its ${CHANGING_DAYS} days were over`,
    open: `exported, and may still change: its ${CHANGING_DAYS} days are not over`,
    exported: `exported when its ${CHANGING_DAYS} days were over`,
  },
  receipts: (count: string, number: number) =>
    number === 0 ? 'no receipts' : `${count} ${number === 1 ? 'receipt' : 'receipts'}`,
  failedWith: (receipts: string) => `failed, ${receipts} from an earlier reading`,

  company: 'Company: name or RUT',
  direction: 'Direction',
  both: 'both',
  /** Follows the number of companies that are shown. */
  ofCompanies: (all: number, isOne: boolean) => `of ${all} ${isOne ? 'company' : 'companies'}`,
  nothingChosen: 'No company matches. Widen the search.',
  noReceipts: 'no receipts',
  busyDays: "as many as on the calendar's busy days",
  unknownFields: 'Fields that the contract does not name, kept in otros:',
  help: 'A row is a month, a column a day of it. The buttons show the companies that have such days; a click on a day opens it.',
  /** Follows a direction's name, for screen readers. */
  ofCompany: (name: string) => `of ${name}`,
  most: (count: string) => `up to ${count} a day`,

  overview: 'Overview',
  /** Takes the API's names of the directions, in the order of a row's lines. */
  overviewHelp: ([upper, lower]: readonly string[]) =>
    `A row is a company, a column a day: ${lower === undefined ? upper : `${upper} above, ${lower} below`}. Half as high: aged; three quarters: still re-read; pale: no receipts. The number counts days that are missing, failed or unstable.`,
  noTrouble: 'no day that needs a look',
  toOverview: '↑ Overview',

  daysInWords: 'Days in words',
  readAgain: 'Read it again:',
  readOn: (day: string) => `read on ${day}`,

  readings: 'Readings, from exportaciones',
  older: (count: string) => `… and ${count} older, in exportaciones.`,

  totals: 'Totals by type',
  noTotals:
    'No totals by type: its last reading is from before the audit kept them. Its next export brings them.',
  type: 'Type',
  receiptsColumn: 'Receipts',
  noType: 'no type',
  noCurrency: 'The issued list has no currency: a sum may mix several.',
  creditNotes: 'Totals of credit notes (notas de crédito) are positive: subtract them.',
  haveNone: (count: string) => `${count} ${count === '1' ? 'has' : 'have'} none`,
};

const spanishWeekday = dayFormat('es-UY', { weekday: 'long' });
const longMonth = dayFormat('es-UY', { month: 'long', year: 'numeric' });

/** `19/11/2026`. */
function shortDay(day: Day): string {
  return day.split('-').reverse().join('/');
}

/** As in Uruguay. */
export const SPANISH: Texts = {
  language: 'es',
  otherLanguage: 'English',

  thousands: '.',
  decimal: ',',
  shortDay,
  weekDay: (day) => `${spanishWeekday(day)} ${shortDay(day)}`,
  shortMonth: (day) => `${longMonth(day).slice(0, 3)} ${day.slice(0, 4)}`,
  longMonth,

  title: 'Cobertura',
  whichDays: 'Qué fechas de emisión hay en el lago:',
  range: (from, to) => `del ${from} al ${to}`,
  companies: (count, isOne) => `${count} ${isOne ? 'empresa' : 'empresas'}`,
  inLake: 'en',
  asOf: (moment) => `Al ${moment}, hora de Uruguay.`,

  states: {
    missing: 'sin exportar',
    failed: 'con falla',
    unstable: 'con lista inestable',
    aged: 'sin lectura final',
    open: 'todavía en lectura',
    exported: 'con lectura final',
  },
  meanings: {
    missing: 'ninguna corrida lo exportó',
    failed: 'la última lectura falló; si hubo una anterior, se conserva',
    unstable: 'ninguna lectura de su lista se probó libre de cambios',
    aged: `se leyó por última vez antes de cumplir ${CHANGING_DAYS} días`,
    open: `exportado; todavía puede cambiar: no cumplió ${CHANGING_DAYS} días`,
    exported: `exportado después de cumplir ${CHANGING_DAYS} días`,
  },
  receipts: (count, number) =>
    number === 0 ? 'sin comprobantes' : `${count} ${number === 1 ? 'comprobante' : 'comprobantes'}`,
  failedWith: (receipts) => `con falla, ${receipts} de una lectura anterior`,

  company: 'Empresa: nombre o RUT',
  direction: 'Comprobantes',
  both: 'todos',
  ofCompanies: (all, isOne) => `de ${all} ${isOne ? 'empresa' : 'empresas'}`,
  nothingChosen: 'Ninguna empresa cumple con eso: hay que ampliar la búsqueda.',
  noReceipts: 'sin comprobantes',
  busyDays: 'tantos como en los días de más movimiento del calendario',
  unknownFields: 'Campos que el contrato no nombra, guardados en otros:',
  help: 'Cada fila es un mes y cada columna un día. Los botones muestran las empresas que tienen días así; un clic en un día lo abre.',
  ofCompany: (name) => `de ${name}`,
  most: (count) => `hasta ${count} por día`,

  overview: 'Resumen',
  overviewHelp: ([upper, lower]) =>
    `Cada fila es una empresa y cada columna un día: ${lower === undefined ? upper : `${upper} arriba, ${lower} abajo`}. Media altura: sin lectura final; tres cuartos: todavía en lectura; pálido: sin comprobantes. El número cuenta los días sin exportar, con falla o con lista inestable.`,
  noTrouble: 'ningún día por revisar',
  toOverview: '↑ Resumen',

  daysInWords: 'Los días en palabras',
  readAgain: 'Para volver a leerlo:',
  readOn: (day) => `leído el ${day}`,

  readings: 'Lecturas, de exportaciones',
  older: (count) => `… y ${count} anteriores, en exportaciones.`,

  totals: 'Totales por tipo',
  noTotals:
    'Sin totales por tipo: la última lectura es de antes de que la auditoría los guardara. La próxima exportación los trae.',
  type: 'Tipo',
  receiptsColumn: 'Cantidad',
  noType: 'sin tipo',
  noCurrency: 'La lista de emitidos no trae moneda: una suma puede mezclar varias.',
  creditNotes: 'Los totales de las notas de crédito son positivos: hay que restarlos.',
  haveNone: (count) => `${count} ${count === '1' ? 'no tiene' : 'no tienen'}`,
};

/** HTML in both languages, of which the style shows one. */
export function inBoth(tag: 'div' | 'span' | 'tspan', htmlIn: (words: Texts) => string): string {
  const [english, spanish] = [htmlIn(ENGLISH), htmlIn(SPANISH)];
  return english === spanish
    ? english
    : `<${tag} lang="en">${english}</${tag}><${tag} lang="es">${spanish}</${tag}>`;
}

/** A text in both languages. It is escaped. */
export function both(textIn: (words: Texts) => string): string {
  return inBoth('span', (words) => htmlText(textIn(words)));
}

/** A term of the API or of the lake's tables, which is Spanish in both languages. */
export function term(name: string): string {
  return `<i lang="es">${htmlText(name)}</i>`;
}
