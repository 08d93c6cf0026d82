import { crc32 } from 'node:zlib';
import sax, { type QualifiedTag, type Tag } from 'sax';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { messageOf } from '../../system/errors.ts';
import { addDays, type Day } from '../../time/days.ts';
import { UNREADABLE } from './phrases.ts';
import {
  boundedRow,
  characterCount,
  checkRowCount,
  checkSheetCount,
  isBlank,
  type ListTable,
  longCell,
  MOST_CELL_CHARACTERS,
  MOST_COLUMNS,
  type TableCell,
  type TableRow,
  UnreadableTableError,
  wideRow,
} from './table.ts';

/** All that a workbook unpacks to. */
const MOST_UNPACKED_BYTES = 200 * 2 ** 20;
const MOST_FILES = 10_000;
/** The bound of a whole workbook: 150,000 rows of eleven cells have 3.5 million. */
const MOST_ELEMENTS = 5_000_000;
const MOST_DEPTH = 100;
/** The bounds of one element, and of the whole workbook; a cell has three. */
const MOST_ATTRIBUTES = 1000;
const MOST_ATTRIBUTES_IN_ALL = 10_000_000;

/** The sheets of an .xlsx workbook with anything in them. Throws UnreadableTableError. */
export async function workbookTables(bytes: Uint8Array): Promise<ListTable[]> {
  try {
    const parts = await openParts(bytes);
    const book = await readBook(parts);
    const strings = await readStrings(parts, book.stringsPath);
    const dateStyles = await readDateStyles(parts, book.stylesPath);
    const count = characterCount();
    const tables: ListTable[] = [];
    for (const { name, path, isHidden } of book.sheets) {
      const rows = await readSheet(parts, path, { strings, dateStyles, is1904: book.is1904, count });
      if (rows.length > 0) tables.push({ sheet: name, isHidden, isDelimited: false, rows });
    }
    return tables;
  } catch (error) {
    if (error instanceof UnreadableTableError) throw error;
    // Of the zip or of the XML in it: cut, damaged, or no workbook.
    throw new UnreadableTableError(UNREADABLE.damaged(messageOf(error).split('\n')[0] ?? ''));
  }
}

/** The files of the zip, and how many elements and attributes were read of them. */
interface Parts {
  zip: ZipFile;
  entries: ReadonlyMap<string, Entry>;
  elements: number;
  attributes: number;
}

async function openParts(bytes: Uint8Array): Promise<Parts> {
  const zip = await yauzl.fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const entries = new Map<string, Entry>();
  let unpackedBytes = 0;
  for await (const entry of zip.eachEntry()) {
    unpackedBytes += entry.uncompressedSize;
    if (unpackedBytes > MOST_UNPACKED_BYTES) throw new UnreadableTableError(UNREADABLE.larger('200 MB'));
    if (entries.size >= MOST_FILES) throw new UnreadableTableError('it holds too many files for a workbook');
    if (entry.isEncrypted()) throw new UnreadableTableError(UNREADABLE.password());
    if (entries.has(entry.fileName)) throw twice(entry.fileName);
    entries.set(entry.fileName, entry);
  }
  return { zip, entries, elements: 0, attributes: 0 };
}

/** Whoever names a part many times has it read as often. */
function twice(part: string): UnreadableTableError {
  return new UnreadableTableError(UNREADABLE.damaged(`2 × ${part}`));
}

type Attributes = Readonly<Record<string, string>>;

interface Handlers {
  /** The element's name without its prefix. */
  open?: (name: string, attributes: Attributes) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
  /** Whether what is read now may hold elements of another kind than the file's own. */
  mayHoldOthers?: () => boolean;
}

/** What tables are made of: if it stands in another kind of element, a spreadsheet may show it or not. */
const READ_ELEMENTS: ReadonlySet<string> = new Set(['sheets', 'sheet', 'sheetData', 'si']);

/**
 * Reads the elements of one XML file of the zip that are of its root's kind (prefix and namespace), to its proven end: its
 * size and its check sum are as the zip says. What is of another kind is passed over with all that is in it.
 */
async function readXml(
  parts: Parts,
  path: string,
  { open, text, close, mayHoldOthers = () => true }: Handlers,
): Promise<void> {
  const entry = parts.entries.get(path);
  if (entry === undefined) throw new UnreadableTableError(UNREADABLE.damaged(`0 × ${path}`));
  const xml = sax.parser(true);
  xml.onerror = (error) => {
    throw error;
  };
  let [depth, attributes] = [0, 0];
  let root: { prefix: string; namespace: string | undefined } | undefined;
  /** Where the element of another kind is that is passed over. */
  let otherDepth = Number.POSITIVE_INFINITY;
  const check = (isWithin: boolean) => {
    if (!isWithin) throw new UnreadableTableError(`as a workbook it is too large (${path})`);
  };
  xml.onattribute = ({ value }) => {
    attributes += 1;
    parts.attributes += 1;
    check(parts.attributes <= MOST_ATTRIBUTES_IN_ALL && attributes <= MOST_ATTRIBUTES);
    check(value.length <= MOST_CELL_CHARACTERS);
  };
  xml.onopentag = (tag: Tag | QualifiedTag) => {
    parts.elements += 1;
    depth += 1;
    attributes = 0;
    check(parts.elements <= MOST_ELEMENTS && depth <= MOST_DEPTH);
    // Qualified only where namespaces are asked for.
    const { attributes: named } = tag as Tag;
    const [prefix, name] = partsOf(tag.name);
    const namespace = named[prefix === '' ? 'xmlns' : `xmlns:${prefix}`];
    root ??= { prefix, namespace };
    const isOther = prefix !== root.prefix || (namespace ?? root.namespace) !== root.namespace;
    if ((isOther && !mayHoldOthers()) || (depth > otherDepth && READ_ELEMENTS.has(name)))
      throw damaged(tag.name, named);
    if (isOther) otherDepth = Math.min(otherDepth, depth);
    if (depth < otherDepth) open?.(name, named);
  };
  xml.onclosetag = (name) => {
    if (depth < otherDepth) close?.(partsOf(name)[1]);
    if (depth === otherDepth) otherDepth = Number.POSITIVE_INFINITY;
    depth -= 1;
  };
  if (text !== undefined)
    xml.ontext = xml.oncdata = (part) => {
      if (depth < otherDepth) text(part);
    };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let checksum = 0;
  for await (const chunk of await parts.zip.openReadStreamPromise(entry)) {
    checksum = crc32(chunk, checksum);
    xml.write(decoder.decode(chunk, { stream: true }));
  }
  xml.write(decoder.decode()).close();
  if (checksum !== entry.crc32) throw new UnreadableTableError(UNREADABLE.damaged(path));
}

function partsOf(name: string): [prefix: string, name: string] {
  const colon = name.indexOf(':');
  return [name.slice(0, Math.max(0, colon)), name.slice(colon + 1)];
}

interface Book {
  sheets: readonly { name: string; path: string; isHidden: boolean }[];
  stringsPath: string | undefined;
  stylesPath: string | undefined;
  is1904: boolean;
}

async function readBook(parts: Parts): Promise<Book> {
  const [root] = (await relationsOf(parts, '')).filter(({ kind }) => kind === 'officeDocument');
  const path = root?.path ?? 'xl/workbook.xml';
  if (/\.bin$/.test(path)) throw new UnreadableTableError(UNREADABLE.binaryWorkbook());
  const relations = await relationsOf(parts, path);
  const named: { name: string; relation: string; isHidden: boolean }[] = [];
  let is1904 = false;
  await readXml(parts, path, {
    open: (element, attributes) => {
      if (element === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '');
      if (element !== 'sheet') return;
      const relation = Object.entries(attributes).find(([name]) => /:id$/.test(name))?.[1] ?? '';
      named.push({
        name: attributes.name ?? '',
        relation,
        isHidden: (attributes.state ?? 'visible') !== 'visible',
      });
    },
  });
  checkSheetCount(named.length);
  const byId = new Map(relations.map((relation) => [relation.id, relation]));
  const seen = new Set<string>();
  const sheets = named.flatMap(({ name, relation, isHidden }) => {
    const target = byId.get(relation);
    if (target === undefined) throw new UnreadableTableError(UNREADABLE.damaged(`0 × ${name}`));
    if (seen.has(target.path)) throw twice(target.path);
    seen.add(target.path);
    // Charts and macros have sheets of their own, which hold no cells.
    return target.kind === 'worksheet' ? [{ name, path: target.path, isHidden }] : [];
  });
  const pathOf = (kind: string) => relations.find((relation) => relation.kind === kind)?.path;
  return { sheets, stringsPath: pathOf('sharedStrings'), stylesPath: pathOf('styles'), is1904 };
}

/** Where the files are that a file names: `kind` is the last word of the relation's type. */
async function relationsOf(parts: Parts, path: string) {
  const slash = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, slash);
  const relations: { id: string; kind: string; path: string }[] = [];
  await readXml(parts, `${folder}_rels/${path.slice(slash)}.rels`, {
    open: (element, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode = '' }) => {
      if (element !== 'Relationship' || mode === 'External') return;
      const kind = type.slice(type.lastIndexOf('/') + 1);
      relations.push({
        id,
        kind,
        path: target.startsWith('/') ? target.slice(1) : resolved(folder + target),
      });
    },
  });
  return relations;
}

function resolved(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '.') kept.push(part);
  }
  return kept.join('/');
}

/** Texts that cells point at. Those of how a word is pronounced are no part of them. */
async function readStrings(parts: Parts, path: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (path === undefined) return strings;
  let current = '';
  let isText = false;
  let isPronunciation = false;
  let isInString = false;
  await readXml(parts, path, {
    mayHoldOthers: () => !isInString,
    open: (name, attributes) => {
      if (isText || (isInString && name === 'si')) throw damaged(name, attributes);
      if (name === 'si') [current, isInString] = ['', true];
      if (name === 'rPh') isPronunciation = true;
      isText = name === 't' && !isPronunciation;
    },
    text: (text) => {
      if (isText) current += text;
      if (current.length > MOST_CELL_CHARACTERS) throw longCell();
    },
    close: (name) => {
      isText = false;
      if (name === 'rPh') isPronunciation = false;
      if (name !== 'si') return;
      strings.push(unescaped(current));
      isInString = false;
    },
  });
  return strings;
}

/** `_x000D_` stands for a character that XML can't hold. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Numbers of Excel's own formats that show a date. */
const DATE_FORMATS: ReadonlySet<number> = new Set([
  14,
  15,
  16,
  17,
  22,
  ...Array.from({ length: 10 }, (_, index) => 27 + index),
  ...Array.from({ length: 9 }, (_, index) => 50 + index),
]);

/** Whether each style of a cell shows a date. */
async function readDateStyles(parts: Parts, path: string | undefined): Promise<boolean[]> {
  const styles: boolean[] = [];
  if (path === undefined) return styles;
  const ownFormats = new Map<number, boolean>();
  let isInCellFormats = false;
  await readXml(parts, path, {
    open: (name, { numFmtId, formatCode = '' }) => {
      if (name === 'numFmt') ownFormats.set(Number(numFmtId), isDateFormat(formatCode));
      if (name === 'cellXfs') isInCellFormats = true;
      if (name === 'xf' && isInCellFormats) {
        styles.push(ownFormats.get(Number(numFmtId)) ?? DATE_FORMATS.has(Number(numFmtId)));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return styles;
}

/** Whether a format has a day or a year outside of its quoted texts, colours and currencies. */
function isDateFormat(code: string): boolean {
  const signs = code.slice(0, 500).replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*].|s\.0+/gi, '');
  return /[dy]/i.test(signs) && !/[#0]/.test(signs);
}

interface CellContext {
  strings: readonly string[];
  dateStyles: readonly boolean[];
  is1904: boolean;
  count: (cell: TableCell) => void;
}

/** What is within what: a row within a row would be read in place of it. */
const LEVELS = ['sheetData', 'row', 'c'];

async function readSheet(parts: Parts, path: string, context: CellContext): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  let rowNumber = 0;
  let cells: TableCell[] = [];
  let place = 0;
  let cell = { type: '', style: -1, text: '', hasFormula: false, values: 0 };
  let level = -1;
  let isText = false;
  let isPronunciation = false;
  await readXml(parts, path, {
    mayHoldOthers: () => level === -1,
    open: (name, attributes) => {
      if (isText) throw damaged(name, attributes);
      // Drawings have rows of their own, outside of the cells.
      if (LEVELS.includes(name) && (level >= 0 || name === 'sheetData')) {
        level += 1;
        if (LEVELS[level] !== name) throw damaged(name, attributes);
      }
      if (level === -1) return;
      if (name === 'row') {
        rowNumber = rowNumberOf(attributes, rowNumber);
        cells = [];
        place = 0;
      } else if (name === 'c') {
        const { t = 'n', s = '-1' } = attributes;
        place = placeOf(attributes, rowNumber, place);
        cell = { type: t, style: Number(s), text: '', hasFormula: false, values: 0 };
      } else if (name === 'f') cell.hasFormula = true;
      else if (name === 'v' || name === 'is') {
        cell.values += 1;
        if (cell.values > 1) throw new UnreadableTableError(UNREADABLE.damaged(`2 × <${name}>`));
      } else if (name === 'rPh') isPronunciation = true;
      isText = name === 'v' || (name === 't' && !isPronunciation);
    },
    text: (text) => {
      if (isText) cell.text += text;
      if (cell.text.length > MOST_CELL_CHARACTERS) throw longCell(rowNumber);
    },
    close: (name) => {
      isText = false;
      if (level === -1) return;
      if (LEVELS.includes(name)) level -= 1;
      if (name === 'rPh') isPronunciation = false;
      else if (name === 'c') {
        const value = cellOf(cell, context);
        context.count(value);
        // A blank cell far to the right is as good as none.
        if (!isBlank(value)) {
          if (place >= MOST_COLUMNS) throw wideRow(rowNumber);
          while (cells.length < place) cells.push('');
          cells[place] = value;
        }
        place += 1;
      } else if (name === 'row') {
        const row = boundedRow(rowNumber, cells);
        if (row !== undefined) rows.push(row);
        checkRowCount(rows.length);
      }
    },
  });
  return rows;
}

/** Rows and cells may have no number of their own, and then follow the one before. One that goes back is damaged. */
function rowNumberOf(attributes: Attributes, before: number): number {
  const { r = String(before + 1) } = attributes;
  if (!/^[1-9]\d{0,6}$/.test(r) || Number(r) <= before) throw damaged('row', attributes);
  return Number(r);
}

/** `C7` is at 2, in row 7. */
function placeOf(attributes: Attributes, row: number, next: number): number {
  if (attributes.r === undefined) return next;
  const [, letters = '', number] = /^([A-Z]{1,3})(\d+)$/.exec(attributes.r) ?? [];
  let place = 0;
  for (const letter of letters) place = place * 26 + letter.charCodeAt(0) - 64;
  place -= 1;
  if (number !== String(row) || place < next) throw damaged('c', attributes);
  return place;
}

function damaged(element: string, { r = '' }: Attributes): UnreadableTableError {
  return new UnreadableTableError(UNREADABLE.damaged(`<${element} r="${r}">`));
}

const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;

function cellOf(
  { type, style, text, hasFormula }: { type: string; style: number; text: string; hasFormula: boolean },
  { strings, dateStyles, is1904 }: CellContext,
): TableCell {
  // Whoever wrote it did not compute it.
  if (text === '') return hasFormula ? '=' : '';
  if (type === 's') {
    const string = strings[Number(text)];
    if (string === undefined) throw new UnreadableTableError(UNREADABLE.damaged(`<v>${text}</v>`));
    return string;
  }
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n') return type === 'inlineStr' || type === 'str' ? unescaped(text) : text;
  if (!NUMBER.test(text)) return text;
  const isDate = dateStyles[style] === true;
  return (isDate ? dayOf(Number(text), is1904) : undefined) ?? { number: text };
}

/** The day of a number that is shown as a date. */
function dayOf(serial: number, is1904: boolean): Day | undefined {
  // The first of January 1900 is 1, and Excel's year 1900 has a day too many.
  return serial >= 61 && serial < 2_958_466
    ? addDays(is1904 ? '1904-01-01' : '1899-12-30', Math.floor(serial))
    : undefined;
}
