import { findMissingUnits } from '../audit/history.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { LakeDatabase } from '../query/lake-database.ts';
import { type Narrowing, RATE_DAYS } from '../query/named-queries.ts';
import { openTables } from '../query/open-lake.ts';
import type { AskedDatabase } from '../query/question.ts';
import { counted, type Several } from '../text/spanish.ts';
import { addDays, type Day, dayRanges, daysBetween } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import type { Direction } from '../units/unit.ts';
import { type ListDays, lakeReceipts, receiptsSql } from './lake-receipts.ts';
import { valueIn } from './official/reading.ts';
import type { OfficialList } from './official/receipts.ts';
import { type ComparedField, type Reconciliation, reconcileLists } from './reconcile-list.ts';
import type { ReconcileTexts } from './reconcile-texts.ts';

export interface ReconcileQuestion extends ListDays {
  rut: Rut;
  /** Whether neither the user nor the list's title says the days. */
  areDaysOfRows: boolean;
}

/** A list compared with the lake. */
export interface Comparison extends Reconciliation, ReconcileQuestion {
  list: OfficialList;
  lakeCount: number;
  /** Days that do not count as read. */
  unreadDays: readonly Day[];
  /** Why parts of the audit could not be read. */
  damaged: readonly string[];
  /** Why the lake's rates could not be read: it was then compared without any. */
  damagedRates: readonly string[];
  /** Rows of another company than the one that was asked for. */
  strangers: readonly string[];
  /** The first rows and cells that could not be read, and how many there are. */
  unread: readonly UnreadPart[];
  unreadCount: number;
}

export type UnreadPart = { row: number; text: string; field?: ComparedField };

/** Compares with the lake as it is now. */
export async function compareWithLake(
  store: LakeStore,
  list: OfficialList,
  question: ReconcileQuestion,
  ui: Narrowing['ui'],
  signal: AbortSignal,
): Promise<Comparison> {
  const { rut, direction, days } = question;
  const { database, damagedRates } = await openWithRates(store, question, ui, signal);
  try {
    const range = daysBetween(days.from, days.to);
    const { missing, damaged } = await findMissingUnits(store, [rut], [direction], range);
    return await compareWith(database, list, question, ui, {
      unreadDays: missing.map(({ day }) => day),
      damaged,
      damagedRates,
    });
  } finally {
    database.close();
  }
}

/** With the rates of the days before, unless one of their objects is damaged: part of them would give other amounts. */
async function openWithRates(
  store: LakeStore,
  question: ReconcileQuestion,
  ui: Narrowing['ui'],
  signal: AbortSignal,
): Promise<{ database: LakeDatabase; damagedRates: readonly string[] }> {
  const days = { from: addDays(question.days.from, -RATE_DAYS) };
  const open = (sql: string) => openTables(store, [sql], days, { signal });
  try {
    return { database: await open(receiptsSql(question, ui)), damagedRates: [] };
  } catch (error) {
    // DuckDB reads all other tables, and says otherwise what is damaged.
    if (!(error instanceof DamagedObjectError)) throw error;
    return { database: await open(receiptsSql(question, ui, false)), damagedRates: [error.message] };
  }
}

/** Compares with a database of the question's days. */
export async function compareWith(
  database: AskedDatabase,
  list: OfficialList,
  question: ReconcileQuestion,
  ui: Narrowing['ui'],
  audit: Pick<Comparison, 'unreadDays' | 'damaged' | 'damagedRates'>,
): Promise<Comparison> {
  const { direction, days } = question;
  const lake = await lakeReceipts(database, question, ui, audit.damagedRates.length === 0);
  return {
    ...question,
    ...reconcileLists({ ...list, days }, lake, direction),
    ...audit,
    list,
    lakeCount: lake.length,
    strangers: strangersIn(list, question),
    ...unreadIn(list, direction),
  };
}

/** Whether every row was read, every receipt of both sides compared and equal, and every day read after its end. */
export function isAllEqual(comparison: Comparison): boolean {
  const { list, equal, differences } = comparison;
  return equal === list.receipts.length && differences.length === 0 && lacksOf(comparison).length === 0;
}

const STRANGERS: Several = ['fila de otra empresa', 'filas de otra empresa'];
const OUTSIDE: Several = ['fila de otros días', 'filas de otros días'];
const UNREAD: Several = ['fila o celda sin leer', 'filas o celdas sin leer'];
const UNKNOWN_TICKETS: Several = [
  'e-Ticket solo acá que puede estar por debajo del límite',
  'e-Tickets solo acá que pueden estar por debajo del límite',
];
const UNREAD_DAYS: Several = ['día que no se leyó entero', 'días que no se leyeron enteros'];

/** What besides differences keeps a list from being equal, in Spanish; a client may read it, so it names no other RUT. */
export function lacksOf(comparison: Comparison): string[] {
  const { strangers, outside, unreadCount, unknownTickets, damaged, damagedRates, unreadDays } = comparison;
  const lacks = [
    strangers.length > 0 && counted(strangers.length, STRANGERS),
    outside.length > 0 && counted(outside.length, OUTSIDE),
    unreadCount > 0 && counted(unreadCount, UNREAD),
    unknownTickets > 0 && counted(unknownTickets, UNKNOWN_TICKETS),
    damaged.length > 0 && 'no se sabe qué días se leyeron',
    damagedRates.length > 0 && 'no se pudieron leer las cotizaciones',
    unreadDays.length > 0 &&
      `${counted(unreadDays.length, UNREAD_DAYS)}: ${dayRanges(unreadDays).join(', ')}`,
  ];
  return lacks.filter((lack) => lack !== false);
}

function strangersIn({ receipts, columns }: OfficialList, { rut, direction }: ReconcileQuestion): string[] {
  // A column "RUT" alone, of issued receipts, is of their recipients.
  const isIssuer = /emisor|proveedor|vendedor/i.test(columns.get('emisor') ?? '');
  if (direction === 'emitidos' && !isIssuer) return [];
  return receipts.flatMap(({ issuer, recipient }) => {
    const company = valueIn(direction === 'emitidos' ? issuer : recipient);
    return company === null || company === rut ? [] : [company];
  });
}

/** A list that was made to have none that can be read has a million cells. */
const MOST_UNREAD = 1000;

function unreadIn({ receipts, strange }: OfficialList, direction: Direction) {
  const cells: UnreadPart[] = [];
  let unreadCount = strange.length;
  for (const receipt of receipts) {
    const { row } = receipt;
    const readings = [
      ...(direction === 'emitidos' ? [] : ([['emisor', receipt.issuer, true]] as const)),
      ...([
        ['tipo', receipt.type, true],
        ['serie', receipt.series, true],
        ['numero', receipt.number, true],
        ['fecha', receipt.day, false],
        ['moneda', receipt.currency, false],
        ['neto', receipt.net, false],
        ['iva', receipt.vat, false],
        ['total', receipt.total, false],
      ] as const),
    ];
    for (const [field, reading, isKeyField] of readings) {
      if (reading.state === 'read' || (reading.state === 'absent' && !isKeyField)) continue;
      unreadCount += 1;
      const text = reading.state === 'unreadable' ? reading.text : '';
      if (cells.length < MOST_UNREAD) cells.push({ row, field, text });
    }
  }
  const parts: UnreadPart[] = [...cells, ...strange.slice(0, MOST_UNREAD)];
  return { unread: parts.sort((a, b) => a.row - b.row).slice(0, MOST_UNREAD), unreadCount };
}

/** How many rows are told in words. */
const MOST_ROWS_TOLD = 20;

export function countsOf({ list, lakeCount, equal, differences }: Comparison) {
  const notCompared = differences.filter(({ kind }) => kind === 'not compared').length;
  return {
    listCount: list.receipts.length,
    lakeCount,
    equal,
    differences: differences.length - notCompared,
    notCompared,
  };
}

/** What a person must know of the answer besides its counts, each in a sentence without its full stop. */
export function notesOf(comparison: Comparison, texts: ReconcileTexts): string[] {
  const { list, direction, days, found, outside, strangers, unread, unreadCount, unreadDays, damaged } =
    comparison;
  const said = list.days;
  const otherDirection: Direction = direction === 'recibidos' ? 'emitidos' : 'recibidos';
  const areDaysOthers = outside.length > 0 && outside.length === list.receipts.length;
  const dates = outside.flatMap(({ day }) => valueIn(day) ?? []).sort();
  const notes: (string | false)[] = [
    areDaysOthers
      ? texts.otherDays(dates[0] ?? '', dates.at(-1) ?? '')
      : list.receipts.length > 0 && found === 0 && texts.nothingMatches(otherDirection),
    strangers[0] !== undefined && texts.strangers(strangers.length, strangers[0]),
    list.direction !== undefined && list.direction !== direction && texts.titleSays(list.direction),
    said !== undefined &&
      (said.from !== days.from || said.to !== days.to) &&
      texts.titleDays(said.from, said.to),
    comparison.areDaysOfRows && texts.rowsAlone,
    unreadDays.length > 0 && texts.unreadDays(unreadDays.length, dayRanges(unreadDays).join(', ')),
    damaged.length > 0 && texts.damagedAudit,
    comparison.damagedRates.length > 0 && texts.damagedRates,
    outside.length > 0 && !areDaysOthers && texts.outside(outside.length),
    comparison.rejectedHere > 0 && texts.rejectedHere(comparison.rejectedHere),
    comparison.smallTickets > 0 && texts.smallTickets(comparison.smallTickets),
    comparison.unknownTickets > 0 && texts.unknownTickets(comparison.unknownTickets),
    comparison.withoutDetail > 0 && texts.withoutDetail(comparison.withoutDetail),
    comparison.withoutNet > 0 && texts.withoutNet(comparison.withoutNet),
    comparison.withoutCurrency > 0 && texts.withoutCurrency(comparison.withoutCurrency),
    ...unread.slice(0, MOST_ROWS_TOLD).map((part) => unreadText(part, texts)),
    unreadCount > MOST_ROWS_TOLD && texts.moreRows(unreadCount - MOST_ROWS_TOLD),
  ];
  return notes.filter((note) => note !== false);
}

export function unreadText({ row, field, text }: UnreadPart, texts: ReconcileTexts): string {
  return field === undefined ? texts.strangeRow(row, text) : texts.unreadCell(row, field, text);
}
