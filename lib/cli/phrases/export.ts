import { inBoth } from '../../text/language.ts';
import { counted, countText, type Several } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

const DAYS: Several = ['día', 'días'];
const companyDays = (count: number) => `${counted(count, DAYS)} (por empresa y lista)`;
const RECEIPTS: Several = ['comprobante', 'comprobantes'];

/** What `export` and `missing` say while they work, and of what they found. */
const en = {
  count: (count: number) => count.toLocaleString('en'),
  unit: (day: string, direction: string, rut: string) => `${day} ${direction} of ${rut}`,
  companies: (count: number) => plural(count, 'company', 'companies'),
  and: () => ' and ',

  // Progress
  left: (duration: string) => `${duration} left`,
  failures: (count: number) => `${count} failed`,
  soFar: (receipts: number, details: number, unit: string) =>
    `${plural(receipts, 'receipt')}${details > 0 ? `, ${plural(details, 'detail')}` : ''} so far · ${unit}`,
  publishing: (table: string, day: string) => `days of tables · ${table} ${day}`,
  kept: (kept: number, units: number, staged: number) =>
    `Kept ${kept.toLocaleString('en')} of ${plural(units, 'company-day')}` +
    `${staged > 0 ? `, and ${plural(staged, 'detail')} of others, which need not be read again` : ''}.`,

  // The table of an export
  company: () => 'company',
  direction: () => 'direction',
  days: () => 'days',
  exportado: () => 'exported',
  sin_cambios: () => 'unchanged',
  vacio: () => 'empty',
  fallido: () => 'failed',
  receipts: () => 'receipts',
  notices: () => 'notices',
  failed: () => 'Failed:',
  unstable: () =>
    'All receipts seen were kept, but the list changed at every reading, or its end could not be checked; export again:',
  gone: () => 'Receipts gone from their day, kept and marked:',
  pageMembers: () =>
    'The pages of lists have members that the contract does not name, so no receipt of these lists was called gone:',
  details: (stored: string, read: string, unread: string) =>
    `Details: ${stored} in the lake, ${read} of them read now; ${unread} could not be read.`,
  omitido: () => 'Left out',
  detailsFailed: () => 'Details failed',
  more: (count: number, table: string) => `  … and ${count} more; see ${table}`,
  moreReasons: (count: number) => `  … and ${count} more reasons; --json has them all`,

  // Around it
  tokenExpired: (rut: string, moment: string) =>
    `The token of ${rut} expired at ${moment} (Uruguay): renew it in the companies file.`,
  goOn: () => 'Of the others, this exports those that were never exported before, or failed',
  run: (runId: string, address: string) => `Run ${runId}, in ${address}.`,
  query: () => 'Query it:',

  // What is missing
  never: () => 'never exported',
  early: () => 'read before their end',
  noDetails: () => 'no details',
  failedLast: () => 'failed',
  failedLastTime: () => 'Failed last time:',
  range: (units: number, areAllEnded: boolean, from: string, to: string) =>
    `${plural(units, 'unit')} (company, direction, day)${areAllEnded ? '' : ', of days that have ended,'} from ${from} to ${to}`,
  notEnded: (units: number, days: string) =>
    `Not ended yet, and to be read when they have: ${plural(units, 'unit')} of ${days}.`,
  nothingMissing: (lake: string, range: string) =>
    `Nothing is missing: the audit in ${lake} has all ${range}.`,
  missing: (count: number, range: string, lake: string) =>
    `Missing: ${count.toLocaleString('en')} of ${range}, in ${lake}.`,
  toExport: () => 'To export just these:',
  moreRanges: (count: number) => `… and ${count} more`,
  otherCompanies: (count: number, first: string) =>
    `The audit also has ${count === 1 ? `${first}, which was` : `${count} companies that were`} not asked for; --companies says which to look up.`,

  // Options
  firstDay: (days: number) => `first issue date (default: ${days} days ago in Uruguay)`,
  lastDay: () => 'last issue date, included (default: yesterday)',
  alsoDetails: () => 'also list days whose details were not read',
  exportMissing: () => 'export the missing company-days',
  writer: () => 'of Parquet (default hyparquet)',
  notify: () => 'post there, as JSON with a text that chats show, what the run found',
  notifyNames: () => 'let --notify name the companies; without it, it has sums alone',
  ping: () => 'ask for this address when all was exported: a dead-man’s switch then stays quiet',
  namesNeedNotify: () => '--notify-names needs --notify URL.',
};

const es: typeof en = {
  count: countText,
  unit: (day, direction, rut) => `${day} ${direction} de ${rut}`,
  companies: (count) => counted(count, ['empresa', 'empresas']),
  and: () => ' y ',

  left: (duration) => `faltan ${duration}`,
  failures: (count) => `${count} con error`,
  soFar: (receipts, details, unit) =>
    `${counted(receipts, RECEIPTS)}${details > 0 ? `, ${counted(details, ['detalle', 'detalles'])}` : ''} hasta ahora · ${unit}`,
  publishing: (table, day) => `días de tablas · ${table} ${day}`,
  kept: (kept, units, staged) =>
    `Se guardaron ${countText(kept)} de ${companyDays(units)}` +
    `${staged > 0 ? `, y ${counted(staged, ['detalle', 'detalles'])} de otros, que no hay que leer de nuevo` : ''}.`,

  company: () => 'empresa',
  direction: () => 'lista',
  days: () => 'días',
  exportado: () => 'traídos',
  sin_cambios: () => 'sin cambios',
  vacio: () => 'vacíos',
  fallido: () => 'con error',
  receipts: () => 'comprobantes',
  notices: () => 'avisos',
  failed: () => 'Con error:',
  unstable: () =>
    'Se guardó todo comprobante visto, pero la lista cambió en cada lectura, o no se pudo comprobar su final; traiga de nuevo:',
  gone: () => 'Comprobantes que ya no están en su día; se conservan y quedan marcados:',
  pageMembers: () =>
    'Las páginas de las listas traen datos que el contrato no nombra, así que no se dio por ausente ningún comprobante:',
  details: (stored, read, unread) =>
    `Detalles: ${stored} en el lago, ${read} leídos ahora; ${unread} no se pudieron leer.`,
  omitido: () => 'Omitidos',
  detailsFailed: () => 'Detalles con error',
  more: (count, table) => `  … y ${count} más; vea ${table}`,
  moreReasons: (count) => `  … y ${count} motivos más; --json los tiene todos`,

  tokenExpired: (rut, moment) =>
    `El token de ${rut} venció el ${moment} (Uruguay): renuévelo en el archivo de empresas.`,
  goOn: () => 'De los demás, esto trae los que nunca se trajeron o fallaron',
  run: (runId, address) => `Corrida ${runId}, en ${address}.`,
  query: () => 'Para consultarla:',

  never: () => 'nunca traídos',
  early: () => 'leídos antes de terminar',
  noDetails: () => 'sin detalle',
  failedLast: () => 'con error',
  failedLastTime: () => 'Fallaron la última vez:',
  range: (units, areAllEnded, from, to) =>
    `${companyDays(units)}${areAllEnded ? '' : ', de días terminados,'} del ${from} al ${to}`,
  notEnded: (units, days) =>
    `Todavía no terminaron, y se leen cuando terminen: ${companyDays(units)}, ${days}.`,
  nothingMissing: (lake, range) => `No falta nada: ${lake} tiene ${range}.`,
  missing: (count, range, lake) => `Faltan ${countText(count)} de ${range}, en ${lake}.`,
  toExport: () => 'Para traer solo estos:',
  moreRanges: (count) => `… y ${count} más`,
  otherCompanies: (count, first) =>
    `También hay ${count === 1 ? `una empresa por la que no se preguntó, ${first}` : `${count} empresas por las que no se preguntó`}; --empresas dice cuáles mirar.`,

  firstDay: (days) => `primera fecha de emisión (si falta: hace ${days} días en Uruguay)`,
  lastDay: () => 'última fecha de emisión, incluida (si falta: ayer)',
  alsoDetails: () => 'lista también los días sin detalles leídos',
  exportMissing: () => 'trae los días que faltan',
  writer: () => 'de Parquet (si falta: hyparquet)',
  notify: () => 'manda ahí, como JSON con un texto que los chats muestran, lo que encontró la corrida',
  notifyNames: () => 'permite que --notify nombre a las empresas; sin esto lleva solo sumas',
  ping: () => 'llama a esta dirección cuando se trajo todo: así un vigilante externo no avisa',
  namesNeedNotify: () => '--notify-names necesita --notify URL.',
};

/** The phrases by language, for a text of many. */
export const EXPORT = { en, es };
export const SAY = inBoth(en, es);
