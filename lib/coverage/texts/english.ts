import { CHANGING_DAYS, type Day } from '../../time/days.ts';
import type { Texts } from './texts.ts';

const formats = {
  weekDay: new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short' }),
  longDay: new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'full' }),
  shortMonth: new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short', year: 'numeric' }),
  longMonth: new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' }),
};

function formatted(format: keyof typeof formats, day: Day): string {
  return formats[format].format(new Date(`${day}T00:00:00Z`));
}

function days(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

function ageText(age: number | undefined): string {
  if (age === undefined) return '';
  if (age < 0) return `, ${days(-age)} before its issue date`;
  return age === 0 ? ', its issue date' : `, ${days(age)} after its issue date`;
}

export const ENGLISH: Texts = {
  language: 'en',
  otherLanguage: 'Español',

  thousands: ',',
  decimal: '.',
  shortDay: (day) => day,
  weekDay: (day) => `${day} (${formatted('weekDay', day)})`,
  longDay: (day) => formatted('longDay', day),
  shortMonth: (day) => formatted('shortMonth', day),
  longMonth: (day) => formatted('longMonth', day),

  title: 'Coverage',
  whichDays: 'Which issue dates the lake holds:',
  range: (from, to) => `${from} to ${to}`,
  companies: (count, isOne) => `${count} ${isOne ? 'company' : 'companies'}`,
  inLake: 'in',
  asOf: (moment) => `As of ${moment}, Uruguay.`,

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
    failed: 'the last reading failed; an earlier one is kept',
    unstable: 'its list changed at every reading',
    aged: `last read before its ${CHANGING_DAYS} days were over`,
    open: `exported, and may still change: its ${CHANGING_DAYS} days are not over`,
    exported: `exported when its ${CHANGING_DAYS} days were over`,
  },
  receipts: (count, number) =>
    number === 0 ? 'no receipts' : `${count} ${number === 1 ? 'receipt' : 'receipts'}`,
  failedWith: (receipts) => `failed, ${receipts} from an earlier reading`,

  statesLabel: 'Company-days by state; each shows the companies that have such days',
  company: 'Company',
  nameOrRut: 'Name or RUT',
  direction: 'Direction',
  both: 'both',
  showAs: 'Show as',
  calendars: 'calendars',
  table: 'table',
  count: (shown, all, isOne) => `${shown} of ${all} ${isOne ? 'company' : 'companies'}`,
  nothingChosen: 'No company matches. Choose something wider.',
  noReceipts: 'no receipts',
  busyDays: "as many as on the calendar's busy days",
  gridHelp:
    'Weeks run down, from Monday. Arrow keys move by day and by week, Page Up and Page Down by month; Enter opens a day.',
  ofCompany: (name) => `of ${name}`,
  most: (count) => `up to ${count} a day`,
  days,

  tableCaption: 'Days by company, direction and state',
  tableLabel: 'Coverage as a table',
  receiptsColumn: 'Receipts',
  troubleColumn: 'Missing, failed or unstable',
  moreCompanies: (count) => `Show ${count} more companies`,
  moreRanges: (count) => `… and ${count} more`,

  overview: 'Overview',
  overviewHelp: ([upper, lower]) =>
    `A row is a company, a column a day: ${lower === undefined ? upper : `${upper} above, ${lower} below`}. Half as high: aged. A click or Enter goes to the company's calendars, the arrow keys to another row.`,
  noTrouble: 'no day that needs a look',
  toOverview: '↑ Overview',

  close: 'Close',
  dayBefore: '← Day before',
  dayAfter: 'Day after →',
  readAgain: 'Read it again:',
  readOn: (receipts, day, age) => `${receipts}, read on ${day ?? 'an unknown day'}${ageText(age)}`,
  sentences: {
    missing: 'No run has exported this day.',
    failed: 'Every reading of this day failed; the lake has nothing of it.',
    failedWithEarlier: (read) => `The last reading failed. The lake still has an earlier one: ${read}.`,
    unstable: 'The list changed at every reading. Everything seen is kept, but there may be more.',
    aged: `A receipt may change for ${CHANGING_DAYS} days; what changed after that reading is not here.`,
    open: (until) => `It is read again, since it may still change, until ${until}.`,
    exported: `Its ${CHANGING_DAYS} days were over by then.`,
  },

  readings: 'Readings',
  readingsFrom: 'Readings, from',
  older: (count) => `… and ${count} older, in exportaciones.`,
  yes: 'yes',
  no: 'no',

  totals: 'Totals by type',
  noTotals:
    'No totals by type: its last reading is from before the audit kept them. Its next export brings them.',
  type: 'Type',
  noType: 'no type',
  currency: 'Currency',
  all: 'All',
  noCurrency: 'The issued list has no currency: a sum may mix several.',
  creditNotes: 'Totals of credit notes (notas de crédito) are positive: subtract them.',
  otherCount: (audited, stored) => `The audit says ${audited}, the stored object has ${stored}.`,
  haveNone: (count) => `${count} have none`,

  tooOld: 'This browser is too old for this page: one of 2023 or later can show it.',
};
