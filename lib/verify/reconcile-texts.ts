import type { ComparedField, Difference, UncomparedField } from './reconcile-list.ts';

/** The words of an answer: in Spanish, as the list that it was compared with, or in English. */
export interface ReconcileTexts {
  locale: string;
  columns: readonly [string, string, string, string, string, string, string, string, string, string];
  kinds: Readonly<Record<Difference['kind'], string>>;
  heading: (direction: string, rut: string, from: string, to: string) => string;
  sheet: (name: string) => string;
  taken: (columns: string) => string;
  row: (row: number) => string;
  different: (field: ComparedField, official: string, stored: string) => string;
  notCompared: (fields: readonly UncomparedField[]) => string;
  cells: (row: number, fields: readonly UncomparedField[]) => string;
  gone: (day: string) => string;
  rejected: string;
  standing: (isListed: boolean, status: string | null) => string;
  more: (count: number) => string;
  counts: (counts: {
    listCount: number;
    lakeCount: number;
    equal: number;
    differences: number;
    notCompared: number;
  }) => string;
  unreadCell: (row: number, field: ComparedField, text: string) => string;
  strangeRow: (row: number, text: string) => string;
  moreRows: (count: number) => string;
  rejectedHere: (count: number) => string;
  smallTickets: (count: number) => string;
  unknownTickets: (count: number) => string;
  outside: (count: number) => string;
  unreadDays: (count: number, ranges: string) => string;
  damagedAudit: string;
  damagedRates: string;
  readAgain: string;
  nothingMatches: (otherDirection: string) => string;
  otherDays: (from: string, to: string) => string;
  strangers: (count: number, rut: string) => string;
  titleSays: (direction: string) => string;
  titleDays: (from: string, to: string) => string;
  rowsAlone: string;
  withoutCurrency: (count: number) => string;
  withoutDetail: (count: number) => string;
  withoutNet: (count: number) => string;
  tooMuch: string;
}

const ENGLISH_FIELDS: Readonly<Record<ComparedField, string>> = {
  tipo: 'type',
  serie: 'series',
  numero: 'number',
  emisor: 'issuer',
  fecha: 'date',
  moneda: 'currency',
  neto: 'net amount',
  iva: 'VAT',
  total: 'total',
};

const SPANISH_FIELDS: Readonly<Record<ComparedField, string>> = {
  tipo: 'tipo',
  serie: 'serie',
  numero: 'número',
  emisor: 'emisor',
  fecha: 'fecha',
  moneda: 'moneda',
  neto: 'neto',
  iva: 'IVA',
  total: 'total',
};

export const ENGLISH: ReconcileTexts = {
  locale: 'en',
  columns: ['Difference', 'Date', 'Issuer', 'Type', 'Series', 'Number', 'Currency', 'Total', 'Detail', 'id'],
  kinds: {
    'only there': 'only in the DGI’s list',
    'twice there': 'twice in the DGI’s list',
    'only here': 'only in the lake',
    different: 'different',
    gone: 'no longer in the API',
    rejected: 'rejected here',
    'not compared': 'not compared',
  },
  heading: (direction, rut, from, to) => `${direction} of ${rut}, ${from} to ${to}`,
  sheet: (name) => `Sheet: "${name}"`,
  taken: (columns) => `Columns taken: ${columns}`,
  row: (row) => `row ${row}`,
  different: (field, official, stored) => `${ENGLISH_FIELDS[field]}: DGI ${official}, lake ${stored}`,
  notCompared: (fields) => `not compared: its ${fields.map(({ field }) => ENGLISH_FIELDS[field]).join(', ')}`,
  cells: (row, fields) =>
    `row ${row}: ${fields.map(({ official }) => (official === null ? 'blank' : `"${official}"`)).join(', ')}`,
  gone: (day) => `the API no longer lists it with the date ${day}: it is in no book of this period`,
  rejected: 'its status here is BE: no book has it',
  standing: (isListed, status) =>
    `${isListed ? 'the API lists it' : 'the API no longer lists it'}${status === null ? '' : `, status ${status}`}`,
  more: (count) => `… and ${counted(count, 'more', 'more', 'en')}: --json or --xlsx has all of them`,
  counts: ({ listCount, lakeCount, equal, differences, notCompared }) =>
    `${counted(listCount, 'receipt', 'receipts', 'en')} in the list, ${number(lakeCount, 'en')} in the lake: ${number(equal, 'en')} equal, ` +
    `${counted(differences, 'difference', 'differences', 'en')}${notCompared === 0 ? '' : `, ${number(notCompared, 'en')} not compared`}`,
  unreadCell: (row, field, text) =>
    `row ${row}: its ${ENGLISH_FIELDS[field]} was not read${text === '' ? ', it is blank' : `: "${text}"`}`,
  strangeRow: (row, text) => `row ${row} was not read: it is no receipt, total or note: "${text}"`,
  moreRows: (count) => `${counted(count, 'more row was', 'more rows were', 'en')} not read`,
  rejectedHere: (count) =>
    `${counted(count, 'receipt', 'receipts', 'en')} rejected (BE), only in the lake: no difference`,
  smallTickets: (count) =>
    `${counted(count, 'e-Ticket', 'e-Tickets', 'en')} below the limit, only in the lake: no difference`,
  unknownTickets: (count) =>
    `${counted(count, 'e-Ticket', 'e-Tickets', 'en')} only in the lake that may be below the limit: their details tell`,
  outside: (count) => `${counted(count, 'row', 'rows', 'en')} of other days not compared`,
  unreadDays: (count, ranges) =>
    `the lake has not read ${counted(count, 'day', 'days', 'en')} of it whole: ${ranges}`,
  damagedAudit: 'a part of the audit can’t be read, so that it is not known which days the lake has read',
  damagedRates:
    'the lake’s exchange rates can’t be read, and none was used: which e-Tickets are below the limit may be told otherwise with them',
  readAgain: 'To read them:',
  nothingMatches: (otherDirection) =>
    `nothing matches: is this the list of another RUT or of ${otherDirection}?`,
  otherDays: (from, to) => `nothing matches: the list is of ${from} to ${to}, not of these days`,
  strangers: (count, rut) =>
    `${counted(count, 'row', 'rows', 'en')} of another company, such as ${rut}: is this the list of another RUT?`,
  titleSays: (direction) => `the list says that it is of ${direction}`,
  titleDays: (from, to) => `the list says that it is of ${from} to ${to}`,
  rowsAlone:
    'the list does not say its days: these are the first and the last of its rows; --month YYYY-MM compares a whole month',
  withoutCurrency: (count) =>
    `the list does not say the currency of ${counted(count, 'receipt', 'receipts', 'en')}: it was not compared`,
  withoutDetail: (count) =>
    `net amount, VAT or currency of ${counted(count, 'receipt', 'receipts', 'en')} were not compared: no detail in the lake says them`,
  withoutNet: (count) =>
    `the net amount of ${counted(count, 'receipt', 'receipts', 'en')} was not compared: with VAT it is not the total, as of exports and other taxes`,
  tooMuch:
    'More differs from the list than any list of a month has. See whether it is of this company, and of these days.',
};

export const SPANISH: ReconcileTexts = {
  locale: 'es-UY',
  columns: ['Diferencia', 'Fecha', 'Emisor', 'Tipo', 'Serie', 'Número', 'Moneda', 'Total', 'Detalle', 'id'],
  kinds: {
    'only there': 'solo en la DGI',
    'twice there': 'dos veces en la DGI',
    'only here': 'solo en el lago',
    different: 'distinto',
    gone: 'ya no está en la API',
    rejected: 'rechazado acá',
    'not compared': 'no comparado',
  },
  heading: (direction, rut, from, to) => `${direction} de ${rut}, ${from} a ${to}`,
  sheet: (name) => `Hoja: "${name}"`,
  taken: (columns) => `Columnas tomadas: ${columns}`,
  row: (row) => `fila ${row}`,
  different: (field, official, stored) => `${field}: DGI ${official}, lago ${stored}`,
  notCompared: (fields) => `no comparado: su ${fields.map(({ field }) => SPANISH_FIELDS[field]).join(', ')}`,
  cells: (row, fields) =>
    `fila ${row}: ${fields.map(({ official }) => (official === null ? 'vacío' : `"${official}"`)).join(', ')}`,
  gone: (day) => `la API ya no lo lista con fecha ${day}: no está en los libros de este período`,
  rejected: 'su estado acá es BE: los libros no lo tienen',
  standing: (isListed, status) =>
    `${isListed ? 'la API lo lista' : 'la API ya no lo lista'}${status === null ? '' : `, estado ${status}`}`,
  more: (count) => `… y ${counted(count, 'más', 'más', 'es-UY')}: --json o --xlsx las tiene todas`,
  counts: ({ listCount, lakeCount, equal, differences, notCompared }) =>
    `${counted(listCount, 'comprobante', 'comprobantes', 'es-UY')} en la lista de la DGI, ${number(lakeCount, 'es-UY')} acá: ` +
    `${counted(equal, 'igual', 'iguales', 'es-UY')}, ${counted(differences, 'diferencia', 'diferencias', 'es-UY')}` +
    `${notCompared === 0 ? '' : `, ${counted(notCompared, 'no comparado', 'no comparados', 'es-UY')}`}`,
  unreadCell: (row, field, text) =>
    `fila ${row}: no se pudo leer su ${SPANISH_FIELDS[field]}${text === '' ? ', está vacío' : `: "${text}"`}`,
  strangeRow: (row, text) => `la fila ${row} no se pudo leer: no es comprobante, total ni nota: "${text}"`,
  moreRows: (count) =>
    `tampoco se ${count === 1 ? 'pudo leer una fila más' : `pudieron leer ${number(count, 'es-UY')} filas más`}`,
  rejectedHere: (count) =>
    `${counted(count, 'comprobante rechazado', 'comprobantes rechazados', 'es-UY')} (BE), solo en el lago: no ${count === 1 ? 'es' : 'son'} una diferencia`,
  smallTickets: (count) =>
    `${counted(count, 'e-Ticket', 'e-Tickets', 'es-UY')} por debajo del límite, solo en el lago: no ${count === 1 ? 'es' : 'son'} una diferencia`,
  unknownTickets: (count) =>
    `${counted(count, 'e-Ticket', 'e-Tickets', 'es-UY')} solo en el lago que ${count === 1 ? 'puede' : 'pueden'} estar por debajo del límite: lo dice su detalle`,
  outside: (count) => `${counted(count, 'fila', 'filas', 'es-UY')} de otros días sin comparar`,
  unreadDays: (count, ranges) =>
    `el lago no leyó ${counted(count, 'día entero', 'días enteros', 'es-UY')} de este período: ${ranges}`,
  damagedAudit: 'una parte de la auditoría no se puede leer, y no se sabe qué días leyó el lago',
  damagedRates:
    'las cotizaciones del lago no se pueden leer, y no se usó ninguna: con ellas puede cambiar qué e-Tickets están por debajo del límite',
  readAgain: 'Para leerlos:',
  nothingMatches: (otherDirection) => `nada coincide: ¿es la lista de otro RUT, o de ${otherDirection}?`,
  otherDays: (from, to) => `nada coincide: la lista es de ${from} a ${to}, no de estos días`,
  strangers: (count, rut) =>
    `${counted(count, 'fila', 'filas', 'es-UY')} de otra empresa, como ${rut}: ¿es la lista de otro RUT?`,
  titleSays: (direction) => `la lista dice que es de ${direction}`,
  titleDays: (from, to) => `la lista dice que es de ${from} a ${to}`,
  rowsAlone:
    'la lista no dice su período: se tomó de la primera a la última fecha de sus filas; --mes AAAA-MM compara un mes entero',
  withoutCurrency: (count) =>
    `la lista no dice la moneda de ${counted(count, 'comprobante', 'comprobantes', 'es-UY')}, que no se comparó`,
  withoutDetail: (count) =>
    `el neto, el IVA o la moneda de ${counted(count, 'comprobante', 'comprobantes', 'es-UY')} no se compararon: ningún detalle del lago los dice`,
  withoutNet: (count) =>
    `el neto de ${counted(count, 'comprobante', 'comprobantes', 'es-UY')} no se comparó: con el IVA no es el total, como en exportaciones y otros impuestos`,
  tooMuch: 'Difiere más de lo que tiene la lista de un mes. Mire si es de esta empresa, y de estos días.',
};

function number(count: number, locale: string): string {
  return count.toLocaleString(locale);
}

function counted(count: number, singular: string, plural: string, locale: string): string {
  return `${number(count, locale)} ${count === 1 ? singular : plural}`;
}
