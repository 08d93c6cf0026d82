import { inBoth } from '../text/language.ts';
import { printableName } from '../text/printable-name.ts';
import { counted, type Several } from '../text/spanish.ts';
import { plural } from '../text/terminal.ts';
import { shortened } from '../text/text-table.ts';
import type { Direction } from '../units/unit.ts';

type Gap = 'gone' | 'never' | 'early' | 'failed';

const ENGLISH_GAPS: Readonly<Record<Gap, string>> = {
  gone: 'exported with receipts that are not in the tables',
  never: 'never exported',
  early: 'last read before their end, and may have more receipts',
  failed: 'not exported, because their export failed',
};

const SPANISH_GAPS: Readonly<Record<Gap, Several>> = {
  gone: [
    'se exportó con comprobantes que no están en las tablas',
    'se exportaron con comprobantes que no están en las tablas',
  ],
  never: ['no se exportó nunca', 'no se exportaron nunca'],
  early: [
    'se leyó por última vez antes de terminar, y puede tener más comprobantes',
    'se leyeron por última vez antes de terminar, y pueden tener más comprobantes',
  ],
  failed: ['no se exportó, porque su exportación falló', 'no se exportaron, porque su exportación falló'],
};

/** What the answer to a question says besides its rows. */
export const SAY = inBoth(
  {
    gap: (reason: Gap, days: number, direction: Direction) =>
      `${plural(days, 'day')} of ${direction} in this period ${days === 1 ? 'was' : 'were'} ${ENGLISH_GAPS[reason]}`,
    ofCompanies: (companies: number, allCompanies: number) => ` (${companies} of ${allCompanies} companies)`,
    noDetails: (receipts: number) => `${plural(receipts, 'receipt has', 'receipts have')} no details`,
    tooManyDays: () =>
      'Which days are lacking was not looked at: there are too many companies and days. Ask for fewer (--rut, --month).',
    and: () => ', and ',
    toReadThem: (command: string) => `. To read them:\n  ${command}`,
    nothingYet: (table: string, direction?: string) =>
      `Nothing in ${table} yet${direction === undefined ? '' : `: export --details ${direction} reads it`}.`,
  },
  {
    gap: (reason: Gap, days: number, direction: Direction) =>
      `${counted(days, ['día', 'días'])} de ${direction} de este período ${SPANISH_GAPS[reason][days === 1 ? 0 : 1]}`,
    ofCompanies: (companies: number, allCompanies: number) => ` (${companies} de ${allCompanies} empresas)`,
    noDetails: (receipts: number) =>
      `${counted(receipts, ['comprobante no tiene', 'comprobantes no tienen'])} su detalle leído`,
    tooManyDays: () =>
      'No se miró qué días faltan: son demasiadas empresas y demasiados días. Pregunte por menos (--rut, --mes).',
    and: () => ', y ',
    toReadThem: (command: string) => `. Para leerlos:\n  ${command}`,
    nothingYet: (table: string, direction?: string) =>
      `Todavía no hay nada en ${table}${direction === undefined ? '' : `: lo lee exportar --details ${direction}`}.`,
  },
);

const MOST_DOCUMENTS = 5;

/** Documents may be any text. */
function documentsText(
  documents: readonly string[],
  none: string,
  more: (count: number) => string = String,
): string {
  const told = documents.map((document) => printableName(document) || none);
  return shortened(told, MOST_DOCUMENTS, more).join(', ');
}

/** What is said of form 2181's file. */
const formEn = {
  inNoLine: (receipts: number, counterparts: number) =>
    `${plural(receipts, 'receipt')} of ${plural(counterparts, 'counterpart')} are in no line`,
  noRoom: (lines: number, documents: readonly string[]) =>
    `${lines === 1 ? '1 line that does not fit' : `${lines} lines that do not fit`} the file, to be declared by hand, of ${documentsText(documents, 'no document', (count) => `and ${count} more`)}`,
  noField: (name: string, width: number, value: string, document: string) =>
    `The field “${name}” of the file holds ${width} characters, and no ${printableName(value)} (counterpart ${documentsText([document], 'without document')}).`,
  byHand: () =>
    'Declare that counterpart by hand, in the tax authority’s own program, or pass --force to leave such lines out of the file.',
  incomplete: (leftOut: string) => `The declaration would be incomplete: ${leftOut}.`,
  whichOrForce: () =>
    'Ask without --format to see which (linea is empty), read their details (export --details emitidos --details recibidos), or pass --force to leave them out.',
  forced: (leftOut: string) => `Left out, because of --force: ${leftOut}.`,
  notAccepted: (receipts: number) =>
    `leaves out ${plural(receipts, 'issued receipt')} that the tax authority did not accept (observed or unanswered)`,
  says: (what: string) => `Form 2181 ${what}.`,
  withTickets: (lines: number) => `Amounts of e-Tickets (de_e_tickets) are in ${plural(lines, 'line')}.`,
  neverLoaded: () =>
    'This file was never loaded into the tax authority’s own program: load it there once, and compare, before you rely on it. docs/formulario-2181.md says where its form comes from.',
};
const formEs: typeof formEn = {
  inNoLine: (receipts, counterparts) =>
    `${counted(receipts, ['comprobante', 'comprobantes'])} de ${counted(counterparts, ['contraparte', 'contrapartes'])} sin línea`,
  noRoom: (lines, documents) =>
    `${lines === 1 ? '1 línea que no entra en el archivo y se declara' : `${lines} líneas que no entran en el archivo y se declaran`} a mano, de ${documentsText(documents, 'sin documento', (count) => `y ${count} más`)}`,
  noField: (name, width, value, document) =>
    `El campo «${name}» del archivo lleva ${width} caracteres, y no ${printableName(value)} (contraparte ${documentsText([document], 'sin documento')}).`,
  byHand: () =>
    'Declare esa contraparte a mano, en el programa de la DGI, o dé --force para dejar esas líneas fuera del archivo.',
  incomplete: (leftOut) => `La declaración quedaría incompleta: ${leftOut}.`,
  whichOrForce: () =>
    'Pregunte sin --format para ver cuáles (con linea vacía), lea su detalle (exportar --details emitidos --details recibidos), o dé --force para dejarlos afuera.',
  forced: (leftOut) => `Afuera, por --force: ${leftOut}.`,
  notAccepted: (receipts) =>
    `no lleva ${counted(receipts, ['comprobante emitido', 'comprobantes emitidos'])} que la DGI no aceptó (${receipts === 1 ? 'observado' : 'observados'} o sin respuesta)`,
  says: (what) => `El 2181 ${what}.`,
  withTickets: (lines) =>
    `Hay importes de e-Tickets (de_e_tickets) en ${counted(lines, ['línea', 'líneas'])}.`,
  neverLoaded: () =>
    'Este archivo nunca se cargó en el programa de la DGI: cárguelo una vez ahí, y compare, antes de confiar en él. docs/formulario-2181.md dice de dónde sale su forma.',
};
export const FORM = inBoth(formEn, formEs);

/** Why a question is not answered. */
const refusedEn = {
  statements: (count: number) => `These are ${count} statements; run one at a time.`,
  noStatement: () => 'There is no statement in this SQL.',
  changesNothing: (what?: string) =>
    `query changes nothing: give it a SELECT (or DESCRIBE, SUMMARIZE, EXPLAIN)${what === undefined ? '' : `, not ${what}`}.`,
  tables: (names: string) => `The lake's tables: ${names}.`,
  byDuckDb: (reason: string) => reason,
  tooLarge: (rowCount: number) =>
    `The answer does not fit into memory: it was ended after ${plural(rowCount, 'row')}.`,
  brokenOff: () =>
    'DuckDB broke off in the middle of the answer, mostly for want of memory: ask for less at a time, as for fewer days.',
};
const refusedEs: typeof refusedEn = {
  statements: (count) => `Son ${count} consultas; haga una por vez.`,
  noStatement: () => 'No hay ninguna consulta en este SQL.',
  changesNothing: (what) =>
    `consultar no cambia nada: lleva un SELECT (o DESCRIBE, SUMMARIZE, EXPLAIN)${what === undefined ? '' : `, y no ${what}`}.`,
  tables: (names) => `Tablas del lago: ${names}.`,
  byDuckDb: (reason) => `DuckDB dice: ${reason}`,
  tooLarge: (rowCount) =>
    `La respuesta no cabe en la memoria: se cortó después de ${counted(rowCount, ['fila', 'filas'])}.`,
  brokenOff: () =>
    'DuckDB se detuvo en medio de la respuesta, casi siempre por falta de memoria: pregunte por menos a la vez, como por menos días.',
};
export const REFUSED = inBoth(refusedEn, refusedEs);
