import type { Day, DayRange } from '../../time/days.ts';
import { isValidRut } from '../../units/rut.ts';
import type { Direction } from '../../units/unit.ts';
import { amountOf, currencySignsIn, type DecimalMark, decimalMarkOf } from './amounts.ts';
import { currencyOf } from './currency-names.ts';
import { type DateOrder, dateOf, dateOrderOf } from './dates.ts';
import { checkHeading, type Heading, headingOf, type ListField } from './heading.ts';
import { digitsOf, issuerOf, numberOf, seriesAndNumberOf, seriesOf, typeOf } from './identities.ts';
import { ABSENT, type Reading, read, unreadable, valueIn } from './reading.ts';
import { isBlank, type ListTable, type TableCell, type TableRow, textOf, wordsOf } from './table.ts';
import { directionAbove, periodAbove } from './title.ts';

/** A receipt of the authority's list, as far as its row can be read. Amounts are in hundredths, without sign. */
export interface OfficialReceipt {
  /** Its row in the file, counted from 1. */
  row: number;
  type: Reading<number>;
  series: Reading<string>;
  number: Reading<number>;
  /** Digits only. */
  issuer: Reading<string>;
  recipient: Reading<string>;
  day: Reading<Day>;
  currency: Reading<string>;
  /** The whole, or what is taxed alone where `columns` has `gravado` in place of `neto`. */
  net: Reading<bigint>;
  vat: Reading<bigint>;
  total: Reading<bigint>;
}

/** The list that a person downloads from the tax authority's site. */
export interface OfficialList {
  /** The sheet that it was taken from; null of a text. */
  sheet: string | null;
  receipts: readonly OfficialReceipt[];
  /** The heading of the column, or columns, that each field was taken from. */
  columns: ReadonlyMap<string, string>;
  /** Which list its title says that it is. */
  direction: Direction | undefined;
  /** The dates that it says to be of, above its heading. */
  days: DayRange | undefined;
  /** Rows that are neither a receipt nor blank, a total or a note at the end. */
  strange: readonly { row: number; text: string }[];
}

/** The receipts below a heading. Throws UnreadableTableError. */
export function officialList(table: ListTable, heading: Heading): OfficialList {
  checkHeading(heading);
  const above = table.rows.filter(({ row }) => row < heading.row);
  const below = table.rows.filter(({ row }) => row > heading.row);
  const forms = formsOf(below, heading);
  const receipts: OfficialReceipt[] = [];
  const strange = receiptsIn(above, heading).map((row) => ({ row: row.row, text: rowText(row) }));
  const lastReceipt = below.findLast((row) => saidOfReceipt(row, heading) >= LEAST_SAID)?.row ?? 0;
  const mayHaveCents = centsBeside(below, heading, forms);
  for (const row of below) {
    const said = saidOfReceipt(row, heading);
    if (isHeadingAgain(row, heading)) continue;
    // More cells than the heading has: an amount or a name was torn, and its cells are not below their headings.
    const isTorn = table.isDelimited && row.cells.length > heading.cells.length;
    const isOther = isTorn || (said === 0 && headingOf(row) !== undefined);
    if (!isOther && isNote(row, said, heading, row.row > lastReceipt)) continue;
    if (isOther || said < LEAST_SAID || mayHaveCents(row)) strange.push({ row: row.row, text: rowText(row) });
    else receipts.push(receiptOf(row, heading, forms));
  }
  return {
    sheet: table.sheet,
    receipts,
    columns: columnsOf(heading, forms.parts),
    direction: directionAbove(above),
    days: periodAbove(above),
    strange,
  };
}

/** A title, and what was asked for, may say as much as two of them. */
const LEAST_SAID_ABOVE = 3;

/** The receipts above the heading, by it or by another one: a list was sorted with its heading, or has more than one. */
function receiptsIn(above: readonly TableRow[], heading: Heading): readonly TableRow[] {
  const headings = [heading, ...above.flatMap((row) => headingOf(row) ?? [])];
  return above.filter((row) => headings.some((known) => saidOfReceipt(row, known) >= LEAST_SAID_ABOVE));
}

/**
 * Tells of a row whether a comma may have torn the cents from its total: no total of the list shows any, and beside it are
 * digits, which no heading is above, or which a row parted by commas has one cell more for than the heading.
 */
function centsBeside(
  rows: readonly TableRow[],
  heading: Heading,
  { markOf }: Forms,
): (row: TableRow) => boolean {
  const beside = (heading.places.get('total') ?? -1) + 1;
  const isField = [...heading.places.values()].includes(beside);
  const hasCents = (row: TableRow) => {
    const cell = cellOf(row, heading, 'total');
    const isShown = typeof cell === 'string' && /[.,]\d{1,2}\D*$/.test(cell);
    return isShown || (valueIn(amountOf(cell, markOf('total'))) ?? 0n) % 100n !== 0n;
  };
  if (isField || rows.some(hasCents)) return () => false;
  const hasCellMore = ({ cellCount = 0 }: TableRow) => cellCount > heading.cellCount;
  return (row) =>
    (beside >= heading.cells.length || hasCellMore(row)) &&
    /^(?!0+$)\d{1,2}$/.test(textOf(row.cells[beside]));
}

const TAXED_PARTS = ['netoBasica', 'netoMinima'] as const;
const VAT_PARTS = ['ivaBasica', 'ivaMinima'] as const;
const AMOUNT_FIELDS: readonly ListField[] = [
  'total',
  'neto',
  'netoGravado',
  'netoNoGravado',
  ...TAXED_PARTS,
  'iva',
  ...VAT_PARTS,
];

/** The columns of amounts that may be parted by rates, and what a net is the sum of: all, or what is taxed alone. */
interface AmountParts {
  net: { of: 'neto' | 'gravado'; parts: readonly ListField[] };
  vat: readonly ListField[];
}

function partsOf({ places }: Heading, isNetTaxedAlone: boolean): AmountParts {
  const whole = (field: ListField, parts: readonly ListField[]) =>
    places.has(field) ? [field] : parts.filter((part) => places.has(part));
  const vat = whole('iva', VAT_PARTS);
  if (places.has('neto') && !isNetTaxedAlone) return { net: { of: 'neto', parts: ['neto'] }, vat };
  const taxed = places.has('neto') ? (['neto'] as const) : whole('netoGravado', TAXED_PARTS);
  // What is exempt says nothing of the rest.
  const isWhole = taxed.length > 0 && places.has('netoNoGravado');
  return {
    net: isWhole ? { of: 'neto', parts: [...taxed, 'netoNoGravado'] } : { of: 'gravado', parts: taxed },
    vat,
  };
}

function columnsOf(heading: Heading, { net, vat }: AmountParts): Map<string, string> {
  const columns = new Map<string, string>();
  for (const field of [
    'fecha',
    'tipo',
    'serieNumero',
    'serie',
    'numero',
    'emisor',
    'receptor',
    'moneda',
  ] as const) {
    const name = heading.names.get(field);
    if (name !== undefined) columns.set(field, name);
  }
  for (const [amount, parts] of [[net.of, net.parts] as const, ['iva', vat] as const]) {
    const names = parts.map((part) => heading.names.get(part) ?? '');
    if (names.length > 0) columns.set(amount, names.join(' + '));
  }
  columns.set('total', heading.names.get('total') ?? '');
  return columns;
}

/** How a list writes what one cell leaves open. */
interface Forms {
  order: DateOrder | undefined;
  markOf: (field: ListField) => DecimalMark | undefined;
  parts: AmountParts;
}

/** Each column decides for itself; a column that does not tell is written as the list's other amounts. */
function formsOf(rows: readonly TableRow[], heading: Heading): Forms {
  const { places } = heading;
  const cellsOf = (field: ListField) => {
    const place = places.get(field);
    return place === undefined ? [] : rows.map(({ cells }) => cells[place]);
  };
  const fields = AMOUNT_FIELDS.filter((field) => places.has(field));
  const marks = new Map(fields.map((field) => [field, decimalMarkOf(cellsOf(field))]));
  const knownMarks = new Set([...marks.values()].filter((mark) => mark !== undefined));
  const [common] = knownMarks;
  const markOf: Forms['markOf'] = (field) => marks.get(field) ?? (knownMarks.size === 1 ? common : undefined);
  const parts = partsOf(heading, isNetTaxedAlone(rows, heading, markOf));
  return { order: dateOrderOf(cellsOf('fecha')), markOf, parts };
}

/** Whether "Neto" leaves out what has a column of its own as exempt: the total has both, and never the net and VAT alone. */
function isNetTaxedAlone(rows: readonly TableRow[], heading: Heading, markOf: Forms['markOf']): boolean {
  if (!heading.places.has('neto') || !heading.places.has('netoNoGravado')) return false;
  const { vat } = partsOf(heading, false);
  let [alone, whole] = [0, 0];
  for (const row of rows) {
    const amount = (field: ListField) => valueIn(amountOf(cellOf(row, heading, field), markOf(field)));
    const [total, net, exempt] = [amount('total'), amount('neto') ?? 0n, amount('netoNoGravado') ?? 0n];
    if (total === null || exempt <= MOST_ROUNDING) continue;
    const netAndVat = vat.reduce((sum, field) => sum + (amount(field) ?? 0n), net);
    if (isNear(netAndVat + exempt, total)) alone += 1;
    if (isNear(netAndVat, total)) whole += 1;
  }
  return alone > 0 && whole === 0;
}

const MOST_ROUNDING = 2n;

/** Each of some amounts may have been rounded. */
function isNear(one: bigint, other: bigint): boolean {
  return -MOST_ROUNDING <= one - other && one - other <= MOST_ROUNDING;
}

function receiptOf(row: TableRow, heading: Heading, { order, markOf, parts }: Forms): OfficialReceipt {
  const cell = (field: ListField) => cellOf(row, heading, field);
  const currency = currencyIn(row, heading);
  const amount = (field: ListField) => {
    const isOfOther =
      currency.state !== 'unreadable' &&
      currenciesSaid(cell(field)).some((said) => said !== valueIn(currency));
    return isOfOther ? unreadable(textOf(cell(field))) : amountOf(cell(field), markOf(field));
  };
  const sum = (fields: readonly ListField[]) => sumOf(fields.map(amount));
  const { net, vat } = parts;
  const seriesAndNumber = heading.places.has('serieNumero')
    ? seriesAndNumberOf(cell('serieNumero'))
    : { series: seriesOf(cell('serie')), number: numberOf(cell('numero')) };
  return {
    row: row.row,
    type: typeOf(cell('tipo')),
    ...seriesAndNumber,
    issuer: issuerOf(cell('emisor')),
    recipient: issuerOf(cell('receptor')),
    day: dateOf(cell('fecha'), order),
    currency,
    net: sum(net.parts),
    vat: sum(vat),
    total: amount('total'),
  };
}

/** The currency that a row states, else the one that the signs of its amounts say. */
function currencyIn(row: TableRow, heading: Heading): Reading<string> {
  const stated = currencyOf(cellOf(row, heading, 'moneda'));
  if (stated.state !== 'absent') return stated;
  const signed = new Set(AMOUNT_FIELDS.flatMap((field) => currenciesSaid(cellOf(row, heading, field))));
  const [currency] = signed;
  return currency !== undefined && signed.size === 1 ? read(currency) : stated;
}

function currenciesSaid(amount: TableCell | undefined): string[] {
  return currencySignsIn(amount).flatMap((sign) => valueIn(currencyOf(sign)) ?? []);
}

function sumOf(parts: readonly Reading<bigint>[]): Reading<bigint> {
  const fault = parts.find(({ state }) => state === 'unreadable');
  if (fault !== undefined) return fault;
  const values = parts.flatMap((part) => (part.state === 'read' ? [part.value] : []));
  return values.length === 0 ? ABSENT : read(values.reduce((sum, value) => sum + value));
}

function cellOf({ cells }: TableRow, { places }: Heading, field: ListField): TableCell | undefined {
  const place = places.get(field);
  return place === undefined ? undefined : cells[place];
}

/** How much the row says of one receipt: of its key, its issuer and its date. */
function saidOfReceipt(row: TableRow, heading: Heading): number {
  const cell = (field: ListField) => cellOf(row, heading, field);
  const seriesAndNumber = seriesAndNumberOf(cell('serieNumero'));
  const said = [
    typeOf(cell('tipo')),
    seriesOf(cell('serie')),
    numberOf(cell('numero')),
    seriesAndNumber.series,
    seriesAndNumber.number,
    issuerOf(cell('emisor')),
    dateOf(cell('fecha'), 'day first'),
  ];
  return said.filter(({ state }) => state === 'read').length;
}

/** A row of a receipt says at least a part of its key and another, or its issuer or date. */
const LEAST_SAID = 2;

function isHeadingAgain(row: TableRow, { names, places }: Heading): boolean {
  return [...places].every(([field, place]) => textOf(row.cells[place]).trim() === names.get(field));
}

const TOTAL = /^(?:sub ?|gran )?(?:total|totales|suma|sumas)\b/;
const NOTE =
  /^(?:generad|impres|(?:exportado|descargado|emitid[oa] el|fechas?|paginas?|pag|cantidad(?:es)?|cant|registros?|comprobantes?|fin|usuarios?|notas?|fuentes?|dgi|consultas?|reportes?|listados?|documento generado|se muestran|mostrando|periodos?)\b)/;
/** A sentence has fewer digits than what a row says of a receipt. */
const FEW_DIGITS = 5;
/** Whether the row is a total or a note, such as `Generado 05/11/2026`, and says nothing of one receipt. */
function isNote(row: TableRow, said: number, heading: Heading, isAfterLast: boolean): boolean {
  if (said >= LEAST_SAID) return false;
  const filled = row.cells.filter((cell) => !isBlank(cell));
  const words = wordsOf(filled[0]);
  if (TOTAL.test(words) || NOTE.test(words)) return !isTornReceipt(filled);
  const digits = filled.reduce((sum, cell) => sum + (textOf(cell).match(/\d/g)?.length ?? 0), 0);
  if (said === 0 && filled.length === 1 && /[a-z]/.test(words) && digits < FEW_DIGITS) return true;
  if (!isAfterLast) return false;
  // Sums below the columns, without a word.
  const amounts = new Set(AMOUNT_FIELDS.flatMap((field) => heading.places.get(field) ?? []));
  return row.cells.every((cell, place) => isBlank(cell) || amounts.has(place));
}

/** Parts of a row that are looked at. */
const MOST_PARTS = 50;

/** Whether a name begins the row as a total does: it has a type and more of a receipt, in whichever cells, or in one. */
function isTornReceipt(filled: readonly TableCell[]): boolean {
  const parts = filled.flatMap((cell) => textOf(cell).split(/[;,\t|]/)).slice(0, MOST_PARTS);
  // A whole amount may be a spreadsheet's date.
  const isDate = (part: string) => !/^[\d.\s]*$/.test(part) && dateOf(part, 'day first').state === 'read';
  const isParty = (part: string) => isValidRut(digitsOf(part).padStart(12, '0'));
  return (
    parts.some((part) => typeOf(part).state === 'read') &&
    parts.some((part) => isDate(part) || isParty(part) || /^\s*[A-Z]{1,2}\s*$/.test(part))
  );
}

const MOST_SHOWN = 60;

function rowText({ cells }: TableRow): string {
  const text = cells
    .map((cell) => textOf(cell).slice(0, MOST_SHOWN))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
