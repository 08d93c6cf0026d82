import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readListFile } from '../../../lib/verify/official/list-file.ts';
import { readList } from '../../../lib/verify/official/read-list.ts';
import { valueIn } from '../../../lib/verify/official/reading.ts';
import { UnreadableTableError } from '../../../lib/verify/official/table.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { madeOldWorkbook } from '../../support/verify/made-old-workbook.ts';
import { type MadeSheet, madeWorkbook } from '../../support/verify/made-workbook.ts';

const HEADING = ['Fecha', 'Tipo CFE', 'Serie', 'Número', 'RUT Emisor', 'Moneda', 'Monto Total'];
const ROW = ['15/10/2026', 111, 'A', 5001, '214844360018', 'UYU', 1234.56];
const LIST: MadeSheet = { name: 'CFE', rows: [['CFE Recibidos'], HEADING, ROW] };
const NOTES: MadeSheet = { name: 'Notas', rows: [['Para Ana'], ['Total', 5]] };
const OLD: MadeSheet = { name: 'Setiembre', rows: [HEADING, ROW.with(3, 1)] };

async function listOf(bytes: Uint8Array, sheet?: string) {
  const { receipts, sheet: chosen } = await readList({ bytes, sheet });
  return { chosen, receipts };
}

async function firstOf(row: MadeSheet['rows'][number], more?: Parameters<typeof madeWorkbook>[1]) {
  const { receipts } = await listOf(madeWorkbook([{ name: 'CFE', rows: [HEADING, row] }], more));
  return receipts[0];
}

describe('of several sheets', () => {
  it.each([
    [[NOTES, LIST], undefined],
    [[{ ...OLD, state: 'hidden' }, LIST], undefined],
    [[{ ...OLD, state: 'veryHidden' }, NOTES, LIST], undefined],
    [[OLD, LIST], 'CFE'],
  ] as const)('the one visible list is taken, or the one that was asked for (%#)', async (sheets, asked) => {
    const { chosen, receipts } = await listOf(madeWorkbook(sheets), asked);
    expect({ chosen, numbers: receipts.map(({ number }) => valueIn(number)) }).toEqual({
      chosen: 'CFE',
      numbers: [5001],
    });
  });

  it.each([
    [
      [OLD, LIST],
      undefined,
      '2 of its sheets may be the list, so that --sheet NAME must say which: "Setiembre", "CFE"',
    ],
    [[{ ...LIST, state: 'hidden' }, NOTES], undefined, 'only a hidden sheet looks like a list'],
    [[LIST], 'Otra', 'it has no sheet "Otra"; it has "CFE"'],
    [[NOTES], undefined, 'none of its first 30 rows is a heading'],
  ] as const)('none is chosen in silence (%#)', async (sheets, asked, message) => {
    await expect(listOf(madeWorkbook(sheets), asked)).rejects.toThrow(message);
  });
});

describe('a cell', () => {
  it.each([
    ['a date', '<c s="1"><v>46310</v></c>', false],
    ['a date and its time', '<c s="2"><v>46310.4375</v></c>', false],
    ['a date that counts from 1904', '<c s="1"><v>44848</v></c>', true],
    ['a number alone', '<c s="0"><v>46310</v></c>', false],
    ['an ISO date', '<c t="d"><v>2026-10-15T00:00:00</v></c>', false],
    ['the text of a formula', '<c t="str"><f>TEXT(A1)</f><v>15/10/2026</v></c>', false],
  ])('that is %s is a day', async (_, cell, is1904) => {
    const found = await firstOf(ROW.with(0, cell), { is1904 });
    expect(found?.day).toEqual({ state: 'read', value: '2026-10-15' });
  });

  it('with a currency in its format is an amount, and one that shows a date is none', async () => {
    expect((await firstOf(ROW.with(6, '<c s="3"><v>1234.5599999999999</v></c>')))?.total).toEqual({
      state: 'read',
      value: 123_456n,
    });
    expect((await firstOf(ROW.with(6, '<c s="1"><v>46310</v></c>')))?.total.state).toBe('unreadable');
  });

  it.each([
    ['a fault of a formula', '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', 'unreadable'],
    ['a formula that was never computed', '<c><f>SUM(A1:A9)</f></c>', 'unreadable'],
    ['a truth', '<c t="b"><v>1</v></c>', 'unreadable'],
    ['empty', '<c s="3"/>', 'absent'],
  ])('that is %s is %s', async (_, cell, state) => {
    expect((await firstOf(ROW.with(6, cell)))?.total.state).toBe(state);
  });

  it('has a shared text, in parts, without how it is pronounced', async () => {
    const strings = [
      '<t>no</t>',
      '<r><t>1.234</t></r><r><rPr><b/></rPr><t>,56</t></r><rPh sb="0" eb="1"><t>9</t></rPh>',
      '<t xml:space="preserve"> A_x000D_</t>',
    ];
    const found = await firstOf(ROW.with(6, '<c t="s"><v>1</v></c>').with(2, '<c t="s"><v>2</v></c>'), {
      strings,
    });
    expect(
      [found?.total, found?.series].map((reading) => reading?.state === 'read' && String(reading.value)),
    ).toEqual(['123456', 'A']);
  });

  it('with a RUT as a number lost its zero, or in scientific form its digits', async () => {
    expect((await firstOf(ROW.with(4, 10_000_020_015)))?.issuer.state).toBe('read');
    expect((await firstOf(ROW.with(4, '<c><v>2.14844360018E+11</v></c>')))?.issuer).toEqual({
      state: 'read',
      value: '214844360018',
    });
    expect((await firstOf(ROW.with(4, '2,14844E+11')))?.issuer.state).toBe('unreadable');
  });
});

describe('a workbook that is', () => {
  const whole = madeWorkbook([LIST]);
  const sheet = 'xl/worksheets/sheet1.xml';
  const altered = (change: (xml: string) => string) => {
    const files = unzipSync(whole);
    return zipSync({ ...files, [sheet]: Buffer.from(change(strFromU8(files[sheet] ?? new Uint8Array()))) });
  };

  it.each<[string, Uint8Array, string]>([
    ['cut', whole.subarray(0, whole.length - 30), 'cut or damaged'],
    ['cut inside its sheet', altered((xml) => xml.slice(0, -40)), 'cut or damaged'],
    [
      'without a sheet',
      zipSync({ ...Object.fromEntries(Object.entries(unzipSync(whole)).filter(([path]) => path !== sheet)) }),
      '0 × xl/',
    ],
    [
      'of texts that it does not have',
      altered((xml) => xml.replace(/<c r="A1".*?<\/c>/, '<c r="A1" t="s"><v>7</v></c>')),
      '<v>',
    ],
    ...['1', '2', 'abc', '0', '', '2.5', '-3', '1e2', '99999999'].map((row): [string, Uint8Array, string] => [
      `with a third row numbered "${row}"`,
      altered((xml) => xml.replace('<row r="3">', `<row r="${row}">`).replace(/ r="[A-Z]3"/g, '')),
      `cut or damaged (<row r="${row}">)`,
    ]),
    ['with a row in a row', altered((xml) => xml.replace('</row>', '<row></row></row>')), '<row r="">'],
    ['with a cell twice', altered((xml) => xml.replace('r="G3"', 'r="F3"')), '<c r="F3">'],
    ['with a cell of another row', altered((xml) => xml.replace('r="G3"', 'r="G2"')), '<c r="G2">'],
    ['with a cell outside of its rows', altered((xml) => xml.replace('</row>', '</row><c/>')), '<c r="">'],
    ['with two values in a cell', altered((xml) => xml.replace('<v>', '<v>1</v><v>')), '2 × <v>'],
    [
      'with a row of another kind',
      altered((xml) =>
        xml.replace('<row r="3">', '<z:row r="3">').replace(/<\/row>(?!.*<\/row>)/, '</z:row>'),
      ),
      '<z:row r="3">',
    ],
    [
      'with a row of another namespace',
      altered((xml) => xml.replace('<row r="3">', '<row r="3" xmlns="urn:z">')),
      '<row r="3">',
    ],
    ['with a choice among its rows', altered((xml) => xml.replace('<row', '<mc:Choice/><row')), '<mc:Choice'],
    ['with a choice of cells', altered((xml) => `<w><z:o>${xml}</z:o></w>`), '<sheetData'],
    ['with an element in a value', altered((xml) => xml.replace('</v>', '<b/></v>')), '<b r="">'],
    [
      'with an element of another kind in a shared text',
      madeWorkbook([LIST], { strings: ['<t>4</t><z:t>4.90</z:t>'] }),
      '<z:t r="">',
    ],
    [
      'of one endless cell',
      altered((xml) => xml.replace('CFE Recibidos', 'rut '.repeat(100_000))),
      'more than 32,767 characters',
    ],
    [
      'of an entity that grows',
      altered((xml) => `<!DOCTYPE x [<!ENTITY a "aaaa">]>${xml.replace('CFE Recibidos', '&a;')}`),
      'cut or damaged',
    ],
  ])('%s is refused', async (_, bytes, message) => {
    await expect(listOf(bytes)).rejects.toThrow(message);
  });

  it('of more than 1,000 sheets, of one part many times, or of more than 5,000,000 elements is refused', async () => {
    const empty = (count: number) =>
      Array.from({ length: count }, (_, index): MadeSheet => ({ name: `H${index}`, rows: [] }));
    await expect(listOf(madeWorkbook(empty(1001)))).rejects.toThrow('more than 1,000 sheets');
    const files = unzipSync(madeWorkbook([LIST, ...empty(1)]));
    const book = strFromU8(files['xl/workbook.xml'] ?? new Uint8Array()).replace('"s1"', '"s0"');
    const again = zipSync({ ...files, 'xl/workbook.xml': Buffer.from(book) });
    await expect(listOf(again)).rejects.toThrow('2 × xl/worksheets/sheet1.xml');
    const cells = '<c/>'.repeat(2_500_000);
    const large = unzipSync(madeWorkbook([LIST, ...empty(2)]));
    for (const part of ['xl/worksheets/sheet2.xml', 'xl/worksheets/sheet3.xml'])
      large[part] = Buffer.from(`<worksheet>${cells}</worksheet>`);
    await expect(listOf(zipSync(large))).rejects.toThrow('too large');
  });

  it.each<[string, Uint8Array, string]>([
    [
      'of a text of 32,767 characters in 3,120 cells',
      madeWorkbook([LIST, { name: 'H', rows: Array(120).fill(Array(26).fill('<c t="s"><v>0</v></c>')) }], {
        strings: [`<t>${'\ufdfa'.repeat(32_767)}</t>`],
      }),
      'its cells have more than 100,000,000 characters',
    ],
    [
      'of a cell beyond its 500th column',
      altered((xml) => xml.replace('</row>', '<c r="SG1"><v>1</v></c></row>')),
      'its row 1 has more than 500 cells',
    ],
    [
      'of an element with 1,001 attributes',
      altered((xml) =>
        xml.replace('<row', `<row ${Array.from({ length: 1001 }, (_, at) => `a${at}=""`).join(' ')}`),
      ),
      'too large',
    ],
    [
      'of an attribute of 32,768 characters',
      altered((xml) => xml.replace('<row', `<row a="${'x'.repeat(32_768)}"`)),
      'too large',
    ],
  ])('%s is refused', async (_, bytes, message) => {
    await expect(listOf(bytes)).rejects.toThrow(message);
  });

  it('without numbers of rows and cells, or with rows of a drawing, is read as with them', async () => {
    const counted = altered((xml) =>
      xml
        .replace(/ r="[A-Z]*\d"/g, '')
        .replace('</sheetData>', '</sheetData><controls><from><row>0</row><v>7</v></from></controls>')
        .replace('</controls>', '</controls><extLst><ext><x14:f>A1</x14:f></ext></extLst>'),
    );
    expect(await listOf(counted)).toEqual(await listOf(whole));
  });

  it('of blank cells far to the right is read as without them', async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, at) => `<row><c r="ZZZ${at + 4}" t="str"><v> </v></c></row>`,
    );
    const wide = altered((xml) => xml.replace('</sheetData>', `${rows.join('')}</sheetData>`));
    expect(await listOf(wide)).toEqual(await listOf(whole));
  });

  it('of cells with as many digits as they may have, and a letter, is read at once', async () => {
    const cell = `<c t="n"><v>${'1'.repeat(32_766)}x</v></c>`;
    const rows = Array(20).fill(`<row>${cell}</row>`).join('');
    const long = altered((xml) => xml.replace('</sheetData>', `${rows}</sheetData>`));
    expect(await listOf(long)).toEqual(await listOf(whole));
  });

  it('not read by the deadline is refused by name', async () => {
    const file = join(newFolder(), 'lista.xlsx');
    writeFileSync(file, whole);
    const options = { sheet: undefined, signal: new AbortController().signal };
    await expect(readListFile(file, { ...options, deadline: AbortSignal.abort() })).rejects.toThrow(
      'lista.xlsx is no list of receipts that this program can read: reading it takes more than 20 seconds.',
    );
    const stopped = { ...options, signal: AbortSignal.abort(new Error('stopped')) };
    await expect(readListFile(file, { ...stopped, deadline: AbortSignal.abort() })).rejects.toThrow(
      'stopped',
    );
  });

  it('larger than 200 MB when it is unpacked is refused before it is', async () => {
    const bytes = zipSync({ ...unzipSync(whole), 'xl/blank.xml': new Uint8Array(9) });
    const at = Buffer.from(bytes).lastIndexOf('xl/blank.xml');
    // Its size as the zip's directory states it, 22 bytes before its name.
    new DataView(bytes.buffer).setUint32(at - 22, 201 * 2 ** 20, true);
    await expect(listOf(bytes)).rejects.toThrow('more than 200 MB');
  });

  it('damaged in any byte is refused, or read as it was', async () => {
    const { receipts } = await listOf(whole);
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = whole.slice();
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      const read = await listOf(bytes).catch(() => undefined);
      if (read !== undefined) expect(read.receipts).toEqual(receipts);
    }
  });
});

describe('an .xls workbook', () => {
  const OLD_LIST = [HEADING, ROW.map(String)];
  /** Where the record of a cell, of the name of its sheet or of its last end begins. */
  const recordAt = (bytes: Buffer, text: string) => {
    if (text === 'end') return bytes.lastIndexOf(Buffer.from([0x0a, 0, 0, 0]));
    return text === 'CFE' ? bytes.indexOf(text) - 12 : bytes.lastIndexOf(Buffer.from(text, 'utf16le')) - 13;
  };
  const numbersIn = async (bytes: Uint8Array, sheet?: string) =>
    (await listOf(bytes, sheet)).receipts.map(({ number }) => valueIn(number));

  it('is read, and a hidden sheet of it only when it is asked for', async () => {
    const bytes = madeOldWorkbook([
      { name: 'Vieja', isHidden: true, rows: [HEADING, ROW.with(3, '1').map(String)] },
      { name: 'CFE', rows: OLD_LIST },
    ]);
    expect(await numbersIn(bytes)).toEqual([5001]);
    expect(await numbersIn(bytes, 'Vieja')).toEqual([1]);
    const hidden = madeOldWorkbook([{ name: 'CFE', isHidden: true, rows: OLD_LIST }]);
    await expect(listOf(hidden)).rejects.toThrow('only a hidden sheet looks like a list');
  });

  it('of too many sheets, of one sheet many times, or cut is refused', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ name: `H${index}`, rows: [] }));
    await expect(listOf(madeOldWorkbook(many))).rejects.toThrow('more than 1,000 sheets');
    const twice = [
      { name: 'A', rows: OLD_LIST },
      { name: 'B', rows: [], isFirstAgain: true },
    ];
    await expect(listOf(madeOldWorkbook(twice))).rejects.toThrow('names a part twice');
    const whole = madeOldWorkbook([{ name: 'CFE', rows: OLD_LIST }]);
    for (let length = 8; length < 2048; length += 97)
      await expect(listOf(whole.subarray(0, length))).rejects.toThrow(/\.xls/);
  });

  it('whose small sectors follow themselves is refused', async () => {
    const bytes = madeOldWorkbook([{ name: 'CFE', rows: [] }]);
    const [folderAt, zeros] = [2 * 512, 9];
    bytes.writeUInt32LE(0xffffffff, 0x38);
    bytes.writeUInt32LE(zeros, 0x3c);
    bytes.writeUInt32LE(1, 0x40);
    bytes.writeUInt32LE(2, folderAt + 116);
    bytes.writeUInt32LE(0, folderAt + 128 + 116);
    bytes.writeUInt32LE(0xfffffffe, folderAt + 128 + 120);
    await expect(listOf(bytes)).rejects.toThrow('names a part twice');
  });

  it('with zeros from any of its bytes on is refused, or read whole', async () => {
    const whole = madeOldWorkbook([{ name: 'CFE', rows: [...OLD_LIST, ROW.with(3, 5002).map(String)] }]);
    for (let at = 512; at < whole.length; at += 29) {
      const bytes = Buffer.from(whole).fill(0, at);
      const numbers = await numbersIn(bytes).catch((error: unknown) => error);
      if (!(numbers instanceof UnreadableTableError)) expect(numbers).toEqual([5001, 5002]);
    }
  });

  it.each<[string, Record<string, number>, string]>([
    ['an end among its cells', { '5001': 0x0a }, 'a record outside of its sheets'],
    ['no end', { end: 0x201 }, 'a sheet without its end'],
    ['a chart before its cells', { '15/10/2026': 0x809, '111': 0x0a }, 'it has a chart among its cells'],
    ['a text with formats of its own', { '5001': 0xd6 }, "a text that can't be read"],
    ['a shared text that is not there', { '5001': 0xfd }, "a text that can't be read"],
    ['the text of no formula', { '5001': 0x207 }, "a text that can't be read"],
    ['a password', { CFE: 0x2f }, 'it is protected by a password'],
  ])('with %s is refused', async (_, kinds, message) => {
    const bytes = madeOldWorkbook([{ name: 'CFE', rows: OLD_LIST }]);
    for (const [text, kind] of Object.entries(kinds)) bytes.writeUInt16LE(kind, recordAt(bytes, text));
    await expect(listOf(bytes)).rejects.toThrow(message);
  });

  it('or a newer one, with a password around it, is told as such', async () => {
    const bytes = madeOldWorkbook([{ name: 'CFE', rows: OLD_LIST }]);
    const at = bytes.indexOf(Buffer.from('Workbook', 'utf16le'));
    bytes.write('EncryptedPackage', at, 'utf16le');
    bytes.writeUInt16LE(2 * 'EncryptedPackage'.length + 2, at + 64);
    await expect(listOf(bytes)).rejects.toThrow('it is protected by a password');
  });

  it('damaged in any byte ends', async () => {
    const whole = madeOldWorkbook([{ name: 'CFE', rows: OLD_LIST }]);
    for (let at = 8; at < whole.length; at += 11) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      await listOf(bytes).catch((error: unknown) => expect(error).toBeInstanceOf(UnreadableTableError));
    }
  });
});
