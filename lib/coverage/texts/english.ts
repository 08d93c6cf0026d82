import { CHANGING_DAYS, type Day } from '../../time/days.ts';

/** Writes days in a language. */
export function dayFormat(locale: string, options: Intl.DateTimeFormatOptions): (day: Day) => string {
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  return (day) => format.format(new Date(`${day}T00:00:00Z`));
}

const weekday = dayFormat('en-GB', { weekday: 'short' });

/** All texts of the coverage page. What another language lacks of them does not compile. */
export const ENGLISH = {
  language: 'en',
  /** Its own name. */
  otherLanguage: 'Español',

  thousands: ',',
  decimal: '.',
  /** A day (`2026-11-19`) in short, and with its day of the week. */
  shortDay: (day: Day): string => day,
  weekDay: (day: Day) => `${day} (${weekday(day)})`,
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
    unstable: 'its list changed at every reading',
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
