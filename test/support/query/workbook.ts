import { strFromU8, unzipSync } from 'fflate';
import { Parser } from 'saxen';

/** A cell of the file, read without the library that wrote it. */
export interface ReadCell {
  /** `s`, `inlineStr`, `b`, `e`, or `n` if the file names no type. */
  type: string;
  /** The text of a text cell, else the value in the file. */
  value: string;
  format: string;
  isFormula: boolean;
  isFilled: boolean;
  /** Of its text, if it has any. */
  indent: string | undefined;
}

export interface ReadSheet {
  name: string;
  /** By address: `B2`. */
  cells: ReadonlyMap<string, ReadCell>;
  frozenRows: string | undefined;
  /** Print settings. */
  paper: Record<string, string> | undefined;
  filter: string | undefined;
  /** What is printed on each page: a reference to rows of a sheet. */
  printTitles: string | undefined;
  /** What is printed at all. */
  printArea: string | undefined;
  /** Points, of each row that has any. */
  heights: readonly number[];
  widths: readonly number[];
}

/** The built-in formats that occur here (ECMA-376, 18.8.30). */
const BUILT_IN: Readonly<Record<string, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  49: '@',
};

export function readWorkbook(bytes: Uint8Array): ReadSheet[] {
  const files = unzipSync(bytes);
  const xml = (path: string) => elements(strFromU8(files[path] ?? new Uint8Array()));
  const formats = new Map(
    xml('xl/styles.xml').flatMap(({ name, attributes: { numFmtId = '', formatCode = '' } }) =>
      name === 'numFmt' ? [[numFmtId, formatCode]] : [],
    ),
  );
  const styles = xml('xl/styles.xml').filter(
    ({ name, parents }) => name === 'xf' && parents.includes('cellXfs'),
  );
  const indents = new Map<number, string | undefined>();
  let place = -1;
  for (const { name, attributes, parents } of xml('xl/styles.xml')) {
    if (!parents.includes('cellXfs')) continue;
    if (name === 'xf') place += 1;
    if (name === 'alignment') indents.set(place, attributes.indent);
  }
  const shared = xml('xl/sharedStrings.xml').filter(({ name }) => name === 'si');
  const names = xml('xl/workbook.xml').filter(({ name }) => name === 'sheet');
  const defined = xml('xl/workbook.xml').filter(({ name }) => name === 'definedName');
  return names.map(({ attributes }, index) => {
    const parts = xml(`xl/worksheets/sheet${index + 1}.xml`);
    const cells = parts.flatMap((part) => {
      if (part.name !== 'c') return [];
      const { r: address = '', t: type = 'n', s: style = '0' } = part.attributes;
      const raw = part.texts.join('');
      const value = type === 's' ? (shared[Number(raw)]?.texts.join('') ?? '') : raw;
      const { numFmtId = '0', fillId = '0' } = styles[Number(style)]?.attributes ?? {};
      const cell: ReadCell = {
        type,
        value: type === 'n' ? value : unescaped(value),
        format: formats.get(numFmtId) ?? BUILT_IN[numFmtId] ?? numFmtId,
        isFormula: part.children.includes('f'),
        isFilled: fillId !== '0',
        indent: indents.get(Number(style)),
      };
      return [[address, cell] as const];
    });
    const first = (name: string) => parts.find((part) => part.name === name)?.attributes;
    const definedName = (wanted: string) =>
      defined
        .find(({ attributes: { name, localSheetId } }) => name === wanted && localSheetId === String(index))
        ?.texts.join('');
    return {
      name: attributes.name ?? '',
      cells: new Map(cells),
      frozenRows: first('pane')?.state === 'frozen' ? first('pane')?.ySplit : undefined,
      paper: first('pageSetup'),
      filter: first('autoFilter')?.ref,
      printTitles: definedName('_xlnm.Print_Titles'),
      printArea: definedName('_xlnm.Print_Area'),
      heights: parts.flatMap(({ name, attributes: { ht } }) =>
        name === 'row' && ht !== undefined ? [Number(ht)] : [],
      ),
      widths: parts.filter(({ name }) => name === 'col').map(({ attributes: { width } }) => Number(width)),
    };
  });
}

interface Element {
  name: string;
  attributes: Record<string, string>;
  parents: readonly string[];
  /** Names of all elements inside, at any depth. */
  children: string[];
  /** All texts inside, at any depth. */
  texts: string[];
}

/** All elements of a document, in the order of their start tags. */
function elements(xml: string): Element[] {
  const all: Element[] = [];
  const open: Element[] = [];
  const parser = new Parser();
  parser.on('error', (error: Error) => {
    throw error;
  });
  parser.on('openTag', (name: string, attributesOf: () => Record<string, string>, decode: Decode) => {
    const attributes = Object.fromEntries(
      Object.entries(attributesOf()).map(([key, value]) => [key, decode(value)]),
    );
    const element = { name, attributes, parents: open.map((parent) => parent.name), children: [], texts: [] };
    for (const { children } of open) children.push(name);
    open.push(element);
    all.push(element);
  });
  parser.on('text', (text: string, decode: Decode) => {
    for (const { texts } of open) texts.push(decode(text));
  });
  parser.on('closeTag', () => {
    open.pop();
  });
  parser.parse(xml);
  return all;
}

type Decode = (text: string) => string;

/** `_x000D_` stands for a character (ECMA-376, 22.4.2.4). */
function unescaped(text: string): string {
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
