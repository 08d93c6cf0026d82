import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { madeOldWorkbook } from '../../support/verify/made-old-workbook.ts';
import { type MadeSheet, madeWorkbook } from '../../support/verify/made-workbook.ts';

const HEADING = 'Fecha;Tipo CFE;Serie;Número;RUT Emisor;Moneda;Monto Total\n';
const ROW = '15/10/2026;111;A;1;214844360018;UYU;1,50\n';
const LARGE = 45 * 2 ** 20;

function filled(text: string, bytes = LARGE): string {
  return text.repeat(Math.floor(bytes / Buffer.byteLength(text)));
}

/** Lists as a person may be made to open them. None is larger than the 50 MB that are read. */
const LISTS: Readonly<Record<string, () => string | Buffer>> = {
  'one line': () => filled('a'),
  'too many rows': () => HEADING + ROW.repeat(150_001),
  'as many rows as may be': () => HEADING + ROW.repeat(149_990),
  'a quotation mark that is never closed': () => `${HEADING}"${filled('x;')}`,
  'quotation marks': () => HEADING + filled('"'),
  separators: () => HEADING + filled(';'),
  'rows of separators': () => HEADING + filled(`${';'.repeat(999_000)}\n`),
  'long cells': () => HEADING + filled(`${'x'.repeat(32_000)};${'y'.repeat(32_000)}\n`),
  'headings alone': () =>
    `${'Fecha;Tipo;Serie;Numero;Total;'.repeat(90)}\n`.repeat(30) + filled(ROW, 5 * 2 ** 20),
  'unknown currencies': () => 'Fecha;Nombre;Moneda;x\n'.repeat(30) + '13/10/2026;a b;c d;1\n'.repeat(149_000),
  zeros: () => HEADING + filled('\0'),
  'UTF-16': () => Buffer.from(`\u{feff}${HEADING}${ROW.repeat(149_000)}`, 'utf16le'),
  'ends of lines': () => HEADING + filled('\r', 2 * 2 ** 20),
  'text marks': () => HEADING + filled('="'),
  blanks: () => HEADING + filled(' '),
  'dates without an end': () => HEADING + `${'1/'.repeat(29)};111;A;1;214844360018;UYU;1\n`.repeat(149_000),
  'digits without an end': () =>
    HEADING + `${'9'.repeat(300)};${'1.'.repeat(100)};A;1;2;UYU;${'1,'.repeat(80)}\n`.repeat(60_000),
  signs: () =>
    HEADING +
    `15/10/2026;111;A;1;214844360018;${'$'.repeat(100)};${'('.repeat(50)}1${')'.repeat(50)}\n`.repeat(
      149_000,
    ),
  accents: () =>
    HEADING + `${'e\u0301'.repeat(60)};111;A;1;214844360018;${'\u0301'.repeat(100)};1\n`.repeat(100_000),
  'a rate’s heading of 32,000 characters': () =>
    `Fecha;Moneda;Valor ${'x'.repeat(32_000)}\n${'13/10/2026;USD;40,5\n'.repeat(149_000)}`,
  noise: () =>
    Buffer.concat([
      Buffer.from(HEADING),
      Buffer.from(
        Array.from({ length: 2 ** 23 }, (_, index) => 32 + ((Math.imul(index, 40_503) >>> 7) % 90)),
      ),
    ]),
};

const LIST: MadeSheet = { name: 'CFE', rows: [HEADING.trim().split(';')] };

/** A workbook with this in place of what its first sheet has after its heading. */
function withXml(change: (sheet: string) => string, strings: readonly string[] = []): Uint8Array {
  const files = unzipSync(madeWorkbook([LIST], { strings }));
  const path = 'xl/worksheets/sheet1.xml';
  return zipSync({ ...files, [path]: strToU8(change(Buffer.from(files[path] ?? []).toString())) });
}

const SHARED = '<c t="s"><v>0</v></c>';

function inline(text: string): string {
  return `<c t="inlineStr"><is><t>${text}</t></is></c>`;
}

/** One character of it stands for eighteen where texts are compared. */
function ofOneText(rows: number, cells: number, characters = 32_767): Uint8Array {
  return withXml(
    (xml) => xml.replace('</sheetData>', `${`<row>${SHARED.repeat(cells)}</row>`.repeat(rows)}</sheetData>`),
    [`<t>${'\ufdfa'.repeat(characters)}</t>`],
  );
}

function attributes(count: number): string {
  return Array.from({ length: count }, (_, at) => `a${at}=""`).join(' ');
}

const WORKBOOKS: Readonly<Record<string, () => Uint8Array>> = {
  '50,000 sheets': () =>
    madeWorkbook(Array.from({ length: 50_000 }, (_, index) => ({ name: `H${index}`, rows: [] }))),
  '400,000 sheets of an .xls': () =>
    madeOldWorkbook(Array.from({ length: 400_000 }, () => ({ name: 'A', rows: [], isFirstAgain: true }))),
  'two million texts': () =>
    madeWorkbook([LIST], { strings: Array.from({ length: 2_000_000 }, () => '<t>a</t>') }),
  'one attribute of 190 MB': () =>
    withXml((xml) => xml.replace('<worksheet', `<worksheet x="${'a'.repeat(190e6)}"`)),
  'elements in elements': () =>
    withXml((xml) => xml.replace('</sheetData>', `${'<a>'.repeat(1e6)}${'</a>'.repeat(1e6)}</sheetData>`)),
  'two million merges': () =>
    withXml((xml) =>
      xml.replace('</sheetData>', `</sheetData>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(2e6)}`),
    ),
  'five million cells': () =>
    withXml((xml) =>
      xml.replace(
        '</sheetData>',
        `${`<row>${'<c><v>1</v></c>'.repeat(270)}</row>`.repeat(9_000)}</sheetData>`,
      ),
    ),
  'one text in 149,000 rows': () => ofOneText(149_000, 1),
  'one text in 400 cells of 6,000 rows': () => ofOneText(6_000, 400),
  'one text in as many rows as may be': () => ofOneText(149_000, 1, 660),
  'one text in as many cells as may be': () => ofOneText(3_040, 1),
  'one text for a currency': () =>
    withXml(
      (xml) =>
        `${xml.slice(0, xml.indexOf('<row'))}<row>${['Fecha', 'Moneda', 'Valor'].map(inline).join('')}</row>${`<row>${inline('2026-11-01')}${SHARED}${inline('40.5')}</row>`.repeat(149_000)}</sheetData></worksheet>`,
      [`<t>${'\ufdfa'.repeat(640)}</t>`],
    ),
  'numbers of 32,000 digits': () =>
    madeWorkbook([
      {
        name: 'A',
        rows: [
          ['Fecha', 'Moneda', 'Valor'],
          ...Array.from({ length: 3_000 }, () => [
            '2026-11-01',
            'USD',
            `<c><v>${'9'.repeat(32_000)}</v></c>`,
          ]),
        ],
      },
    ]),
  '900,000 rows with a blank cell far to the right': () =>
    withXml((xml) =>
      xml.replace(
        '</sheetData>',
        `${'<row><c r="ZZZ1" t="str"><v> </v></c></row>'.repeat(900_000)}</sheetData>`,
      ),
    ),
  'eight million attributes of one element': () =>
    withXml((xml) => xml.replace('</sheetData>', `<row ${attributes(8_000_000)}/></sheetData>`)),
  'more attributes than may be': () =>
    withXml((xml) =>
      xml.replace('</sheetData>', `${`<row ${attributes(1_000)}/>`.repeat(22_000)}</sheetData>`),
    ),
  '990 sheets like lists and rates': () =>
    madeWorkbook(
      Array.from({ length: 990 }, (_, sheet) => ({
        name: `H${sheet}`,
        rows: Array.from({ length: 30 }, () => [
          'Fecha',
          'Valor',
          ...Array.from({ length: 22 }, (_cell, at) => `Monto Total ${sheet} ${at}`),
        ]),
      })),
    ),
};

const READER = fileURLToPath(new URL('../../support/verify/read-in-process.ts', import.meta.url));

/** In a process of its own: its processor time, and the most memory that it had, in MB. */
async function spent(
  name: string,
  bytes: string | Uint8Array,
): Promise<{ seconds: number; megabytes: number }> {
  const file = join(newFolder(), name);
  writeFileSync(file, bytes);
  const { stdout } = await promisify(execFile)(process.execPath, [READER, file]);
  return JSON.parse(stdout);
}

it.each(Object.entries(LISTS))(
  'a list of %s ends within ten seconds',
  async (_, make) => {
    expect((await spent('lista.csv', make())).seconds).toBeLessThan(10);
  },
  300_000,
);

it.each(Object.entries(WORKBOOKS))(
  'a workbook of %s ends within twenty seconds and 512 MB',
  async (name, make) => {
    const { seconds, megabytes } = await spent(name.includes('.xls') ? 'lista.xls' : 'lista.xlsx', make());
    expect(seconds).toBeLessThan(20);
    expect(megabytes).toBeLessThan(512);
  },
  300_000,
);
