import { strToU8, zipSync } from 'fflate';

export interface MadeSheet {
  name: string;
  state?: 'visible' | 'hidden' | 'veryHidden';
  /** Rows of cells as XML, such as `<c t="s"><v>0</v></c>`; a text or a number where it needs none. */
  rows: readonly (readonly (string | number | null)[])[];
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A style that shows a date, one that shows an amount with a currency, and a general one. */
const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd\\-mm\\-yyyy;@"/>
<numFmt numFmtId="165" formatCode="[$$-380A]\\ #,##0.00;[Red]&quot;d&quot;#,##0.00"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
<cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`;

/** A workbook as spreadsheet programs write it, cell by cell. */
export function madeWorkbook(
  sheets: readonly MadeSheet[],
  {
    strings = [],
    is1904 = false,
    more = {},
  }: { strings?: readonly string[]; is1904?: boolean; more?: Record<string, string> } = {},
): Uint8Array {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const files: Record<string, string> = {
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr date1904="${is1904}"/><sheets>${sheets
      .map(
        ({ name, state }, index) =>
          `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"${state === undefined ? '' : ` state="${state}"`}/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}">${sheets
      .map((_, index) => relation(`s${index}`, 'worksheet', `worksheets/sheet${index + 1}.xml`))
      .join(
        '',
      )}${relation('x1', 'styles', 'styles.xml')}${relation('x2', 'sharedStrings', '/xl/sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': STYLES,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...more,
  };
  for (const [index, { rows }] of sheets.entries()) {
    files[`xl/worksheets/sheet${index + 1}.xml`] ??= `<worksheet xmlns="${MAIN}"><sheetData>${rows
      .map(
        (cells, row) =>
          `<row r="${row + 1}">${cells.map((cell, place) => cellXml(cell, `${String.fromCharCode(65 + place)}${row + 1}`)).join('')}</row>`,
      )
      .join('')}</sheetData></worksheet>`;
  }
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
}

function cellXml(cell: string | number | null, reference: string): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (cell.startsWith('<c')) return cell.replace('<c', `<c r="${reference}"`);
  const escaped = cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<c r="${reference}" t="inlineStr"><is><t>${escaped}</t></is></c>`;
}
