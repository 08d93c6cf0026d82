import { inBoth } from '../text/language.ts';
import { counted, countText } from '../text/spanish.ts';
import { plural } from '../text/terminal.ts';
import { CHANGING_DAYS } from '../time/days.ts';
import type { DayState } from './day.ts';
import { MEANINGS, STATES } from './words.ts';

const ENGLISH_STATES: Readonly<Record<DayState, string>> = {
  missing: 'missing',
  failed: 'failed',
  early: 'early',
  unstable: 'unstable',
  aged: 'aged',
  open: 'still re-read',
  exported: 'settled',
};
const ENGLISH_MEANINGS: Readonly<Record<DayState, string>> = {
  missing: 'no run has exported it',
  failed: 'the last reading failed; an earlier one, if any, is kept',
  early: 'last read before it had ended; receipts may have come since',
  unstable: 'no reading of its list was proved free of changes',
  aged: `last read before its ${CHANGING_DAYS} days were over`,
  open: `exported, and may still change: its ${CHANGING_DAYS} days are not over`,
  exported: `exported when its ${CHANGING_DAYS} days were over`,
};

/** What `coverage` says in a terminal. */
const en = {
  count: (count: number) => count.toLocaleString('en'),
  state: (state: DayState) => ENGLISH_STATES[state],
  meaning: (state: DayState) => ENGLISH_MEANINGS[state],
  nothingToLookAt: () => 'no day that needs a look',
  shades: () => 'Shades go from no receipts to as many as on the busy days of the same calendar.',
  list: () => 'list',
  month: () => 'month',
  receipts: () => 'receipts',
  states: () => 'states',
  company: () => 'company',
  look: () => 'states, and days that are missing, failed or unstable',
  leftOut: (count: number) => {
    const condition = 'without a missing, failed, early or unstable day';
    return `${plural(count, `company ${condition} is`, `companies ${condition} are`)} left out. `;
  },
  hint: () => "--rut RUT draws a company's calendars, --html FILE all.",
  total: (count: number, from: string, to: string, lake: string, states: string) =>
    `${plural(count, 'company-day')} from ${from} to ${to}, in ${lake}: ${states}.`,

  from: () => 'first issue date (default: the first with receipts, at most 400 days back)',
  companies: () => 'JSON file of companies (default: those in the audit)',
  html: () => 'write one HTML file, in which a click shows the day',
  htmlOrJson: () => 'Give either --html FILE or --json.',
  wrote: (file: string, from: string, to: string, companies: number, size: string) =>
    `Wrote ${file}: ${from} to ${to}, ${plural(companies, 'company', 'companies')}, ${size} KB.`,
};
const es: typeof en = {
  count: countText,
  state: (state) => STATES[state],
  meaning: (state) => MEANINGS[state],
  nothingToLookAt: () => 'ningún día por revisar',
  shades: () =>
    'Los tonos van desde ningún comprobante hasta tantos como en los días de más movimiento del mismo calendario.',
  list: () => 'lista',
  month: () => 'mes',
  receipts: () => 'comprobantes',
  states: () => 'estados',
  company: () => 'empresa',
  look: () => 'estados, y los días que hay que leer otra vez',
  leftOut: (count) =>
    `${counted(count, ['empresa sin días por leer otra vez queda', 'empresas sin días por leer otra vez quedan'])} afuera. `,
  hint: () => '--rut RUT dibuja los calendarios de una empresa; --html ARCHIVO, todos.',
  total: (count, from, to, lake, states) =>
    `${counted(count, ['día', 'días'])} (por empresa y lista) del ${from} al ${to}, en ${lake}: ${states}.`,

  from: () => 'primera fecha de emisión (si falta: la primera con comprobantes, a lo sumo 400 días atrás)',
  companies: () => 'archivo JSON de empresas (si falta: las que ya se leyeron)',
  html: () => 'escribe un archivo HTML, en el que un clic muestra el día',
  htmlOrJson: () => 'Dé --html ARCHIVO o bien --json.',
  wrote: (file, from, to, companies, size) =>
    `Se escribió ${file}: del ${from} al ${to}, ${counted(companies, ['empresa', 'empresas'])}, ${size} KB.`,
};

/** The phrases by language, for a text of many. */
export const COVERAGE = { en, es };
export const SAY = inBoth(en, es);
