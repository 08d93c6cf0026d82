import { readFile } from 'node:fs/promises';
import { RECEIPT_TYPES } from '../lake/receipt-types.ts';
import { WrongInputError } from '../system/errors.ts';
import { type Day, type DayRange, isDay } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';

/** What a column of the authority's list holds. */
export type OfficialField =
  | 'fecha'
  | 'tipo'
  | 'serie'
  | 'numero'
  | 'emisor'
  | 'receptor'
  | 'moneda'
  | 'neto'
  | 'iva'
  | 'total';

/** A receipt of the authority's list. Amounts are in hundredths, without sign; null where the list does not say. */
export interface OfficialReceipt {
  /** Its row in the file, counted from 1. */
  row: number;
  type: number;
  series: string;
  number: number;
  /** Digits only; null where the list has no issuer. */
  issuer: string | null;
  day: Day | null;
  currency: string | null;
  net: bigint | null;
  vat: bigint | null;
  total: bigint | null;
}

/** The list that a person downloads from the tax authority's site. */
export interface OfficialList {
  receipts: readonly OfficialReceipt[];
  /** The heading of the column that each field was taken from. */
  columns: ReadonlyMap<OfficialField, string>;
  /** Which list its title says that it is. */
  direction: Direction | undefined;
  /** The dates that it says to be of, above its heading. */
  days: DayRange | undefined;
  /** Rows that are no receipt, and why. */
  unread: readonly { row: number; reason: string }[];
}

/** Words of headings, without accents and signs. The first field that fits a heading takes it. */
const HEADINGS: readonly (readonly [OfficialField, RegExp])[] = [
  ['emisor', /\b(rut|ruc|documento)\b.*\bemisor|\bemisor\b.*\b(rut|ruc|documento)\b|^rut$|^ruc$/],
  ['receptor', /\b(rut|ruc|documento)\b.*\breceptor|\breceptor\b.*\b(rut|ruc|documento)\b/],
  ['fecha', /^fecha\b(?!.*\b(firma|recepcion|vencimiento|hasta|desde)\b)/],
  ['tipo', /^tipo\b(?!.*\b(cambio|documento|moneda)\b)|^cfe$/],
  ['serie', /^serie\b/],
  ['numero', /^(numero|nro|no|n)\b(?!.*\b(cae|documento)\b)/],
  ['moneda', /\bmoneda\b/],
  ['neto', /\bneto\b/],
  ['iva', /\biva\b/],
  ['total', /\btotal\b/],
];
const NEEDED = ['tipo', 'serie', 'numero'] as const;

/** Finds the heading and reads the receipts below it. Throws UnreadableListError. */
export function officialList(file: string, rows: readonly (readonly FileCell[])[]): OfficialList {
  const headingRow = rows.slice(0, HEADING_WITHIN).findIndex((row) => {
    const fields = columnsOf(row);
    return NEEDED.every((field) => fields.has(field));
  });
  const heading = rows[headingRow];
  if (heading === undefined) {
    throw new UnreadableListError(
      file,
      `none of its first ${HEADING_WITHIN} rows is a heading with the type, the series and the number (Tipo, Serie, Número)`,
    );
  }
  const places = columnsOf(heading);
  const above = rows.slice(0, headingRow).flat();
  const receipts: OfficialReceipt[] = [];
  const unread: { row: number; reason: string }[] = [];
  for (const [index, cells] of rows.entries()) {
    if (index <= headingRow || cells.every((cell) => plain(cell) === '')) continue;
    const receipt = receiptOf(index + 1, (field) => cells[places.get(field) ?? -1] ?? null);
    if (typeof receipt !== 'string') receipts.push(receipt);
    // A row of totals below the list has no number.
    else if (plain(cells[places.get('numero') ?? -1] ?? null) !== '')
      unread.push({ row: index + 1, reason: receipt });
  }
  return {
    receipts,
    columns: new Map([...places].map(([field, place]) => [field, String(heading[place])])),
    direction: directionOf(above),
    days: daysOf(above),
    unread,
  };
}

function columnsOf(row: readonly FileCell[]): Map<OfficialField, number> {
  const places = new Map<OfficialField, number>();
  for (const [place, cell] of row.entries()) {
    const words = typeof cell === 'string' ? plain(cell) : '';
    const field = HEADINGS.find(([name, form]) => !places.has(name) && form.test(words))?.[0];
    if (field !== undefined) places.set(field, place);
  }
  return places;
}

/** Lower case, without accents and signs. */
function plain(cell: FileCell): string {
  const text = cell === null ? '' : cell instanceof Date ? cell.toISOString() : String(cell);
  const letters = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return letters.replace(/[^a-z0-9]+/g, ' ').trim();
}

function directionOf(above: readonly FileCell[]): Direction | undefined {
  const words = above.map(plain).join(' ');
  if (/\brecibidos?\b/.test(words)) return 'recibidos';
  return /\bemitidos?\b/.test(words) ? 'emitidos' : undefined;
}

function daysOf(above: readonly FileCell[]): DayRange | undefined {
  const days = above.flatMap((cell) => dayOf(cell) ?? []).sort();
  const [from] = days;
  const to = days.at(-1);
  return from === undefined || to === undefined || days.length < 2 ? undefined : { from, to };
}

/** The receipt of a row, or why there is none. */
function receiptOf(row: number, cell: (field: OfficialField) => FileCell): OfficialReceipt | string {
  const type = typeOf(cell('tipo'));
  if (type === undefined) return 'its type is unknown';
  const number = Number(digitsOf(cell('numero')));
  if (!Number.isSafeInteger(number) || number <= 0) return 'its number is no number';
  const cents = [cell('neto'), cell('iva'), cell('total')].map(centsOf);
  if (cents.includes(undefined)) return 'an amount is no decimal';
  const [net = null, vat = null, total = null] = cents;
  return {
    row,
    type,
    series: String(cell('serie') ?? '')
      .trim()
      .toUpperCase(),
    number,
    issuer: digitsOf(cell('emisor')) || null,
    day: dayOf(cell('fecha')) ?? null,
    currency: currencyOf(cell('moneda')),
    ...{ net, vat, total },
  };
}

const TYPES = new Map(RECEIPT_TYPES.map(({ code, name }) => [plain(name), code]));

/** By its code (111, `111 - e-Factura`) or by its name, with the words that people shorten. */
function typeOf(cell: FileCell): number | undefined {
  const words = plain(cell);
  const code = /^\d{3}\b/.exec(words)?.[0];
  if (code !== undefined) return Number(code);
  const name = words
    .replace(/\bnc\b/, 'nota de credito de')
    .replace(/\bnd\b/, 'nota de debito de')
    .replace(/\bde de\b/, 'de');
  const turned = /^(e .*?) (nota de (?:credito|debito))(?: de)?$/.exec(name);
  return TYPES.get(name) ?? (turned ? TYPES.get(`${turned[2]} de ${turned[1]}`) : undefined);
}

export function digitsOf(cell: FileCell): string {
  return cell === null ? '' : String(cell).replace(/\D/g, '');
}

/** dd/mm/yyyy, yyyy-mm-dd or a spreadsheet's date. */
function dayOf(cell: FileCell): Day | undefined {
  if (cell instanceof Date) return dayOf(cell.toISOString());
  const text = typeof cell === 'string' ? cell.trim() : '';
  const [, day, month, year] = /\b(\d{1,2})[/-](\d{1,2})[/-](\d{4})\b/.exec(text) ?? [];
  const iso =
    year === undefined
      ? /\b\d{4}-\d\d-\d\d/.exec(text)?.[0]
      : `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  return iso !== undefined && isDay(iso) ? iso : undefined;
}

const CURRENCIES: Readonly<Record<string, string>> = {
  ...{ $: 'UYU', u$s: 'USD', us$: 'USD', '€': 'EUR' },
  ...{ pesos: 'UYU', 'pesos uruguayos': 'UYU', dolares: 'USD', 'dolares usa': 'USD', euros: 'EUR' },
};

function currencyOf(cell: FileCell): string | null {
  const text = String(cell ?? '').trim();
  if (text === '') return null;
  return CURRENCIES[text.toLowerCase()] ?? CURRENCIES[plain(text)] ?? text.toUpperCase();
}

/** Hundredths without sign; null for an empty cell, undefined for what is no amount. */
function centsOf(cell: FileCell): bigint | null | undefined {
  if (cell === null || cell === '') return null;
  // A spreadsheet's number has 15 digits: what follows them is the error of its binary form.
  const text = typeof cell === 'number' ? decimalText(cell) : String(cell).replace(/[\s$]/g, '');
  // 1.234,56 and 1,234.56 alike: the last sign before one or two digits separates them.
  const [, whole = '', fraction = ''] = /^-?([\d.,]*?)(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  const digits = whole.replace(/[.,]/g, '');
  if (!/\d/.test(digits + fraction)) return undefined;
  return BigInt(digits || '0') * 100n + BigInt(fraction.padEnd(2, '0'));
}

function decimalText(value: number): string {
  return Number(value.toPrecision(15)).toFixed(2);
}

/** A cell as the file has it; null where it is empty. */
export type FileCell = string | number | boolean | Date | null;

export class UnreadableListError extends WrongInputError {
  override name = 'UnreadableListError';
  constructor(file: string, reason: string, advice = 'Download it once more from the authority’s site.') {
    super(`${file} is no list of receipts that this program can read: ${reason}.`, { advice });
  }
}

/** More would not fit into memory; a month of a large shop has a tenth of it. */
const MOST_BYTES = 200 * 2 ** 20;

/** A heading stands within this many rows: a title and the dates come before it. */
export const HEADING_WITHIN = 30;

/** The rows of the first sheet with any, of an .xlsx, .xls or .csv file. Throws UnreadableListError and file errors. */
export async function readRows(file: string): Promise<FileCell[][]> {
  const bytes = await readFile(file);
  if (bytes.byteLength > MOST_BYTES) throw new UnreadableListError(file, 'it has more than 200 MB');
  const extension = /\.(xlsx|xls|csv)$/i.exec(file)?.[1]?.toLowerCase();
  try {
    if (extension === 'csv') return await csvRows(bytes);
    if (extension === 'xlsx' || extension === 'xls') return await sheetRows(bytes, extension);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown fault';
    throw new UnreadableListError(
      file,
      reason,
      'Save it as .xlsx in a spreadsheet program, and name that file.',
    );
  }
  throw new UnreadableListError(file, 'its name ends with none of .xlsx, .xls and .csv');
}

async function csvRows(bytes: Uint8Array): Promise<FileCell[][]> {
  const { parseCsv } = await import('hucre/csv');
  const text = textOf(bytes);
  const head = text.split('\n', HEADING_WITHIN).join('\n');
  // Decimal commas are more frequent than any separator: the one that makes the most columns separates.
  const columnsBy = (delimiter: string) =>
    Math.max(0, ...parseCsv(head, { delimiter, typeInference: false }).map(({ length }) => length));
  const [delimiter] = [';', ',', '\t', '|'].toSorted((a, b) => columnsBy(b) - columnsBy(a));
  return parseCsv(text, { delimiter, typeInference: false }).map((row) =>
    row.map((cell) => (typeof cell === 'string' ? cell : null)),
  );
}

/** UTF-8, or else what spreadsheet programs in Uruguay write. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

async function sheetRows(bytes: Uint8Array, kind: 'xlsx' | 'xls'): Promise<FileCell[][]> {
  const { readXls, readXlsx } = await import('hucre/xlsx');
  const { sheets } = await (kind === 'xls' ? readXls(bytes) : readXlsx(bytes));
  return sheets.find(({ rows }) => rows.length > 0)?.rows ?? [];
}
