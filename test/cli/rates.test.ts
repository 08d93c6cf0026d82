import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { writeWithParquetjsLite } from '../../lib/lake/parquet/parquetjs-lite.ts';
import { type ParquetWriter, type Row, rowsOf } from '../../lib/lake/parquet/writer.ts';
import { COTIZACIONES, type Column } from '../../lib/lake/tables.ts';
import { addDays, type Day, daysBetween } from '../../lib/time/days.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { endedBy, signed, withFooter, withPageSize } from '../support/lake/parquet-footer.ts';
import { runMain } from '../support/program/run-main.ts';
import { madeWorkbook } from '../support/verify/made-workbook.ts';

const ALL = 'SELECT fecha, moneda, valor, fuente FROM cotizaciones ORDER BY ALL';

function newLake(): string {
  const lake = join(newFolder(), 'lake');
  mkdirSync(lake);
  return lake;
}

function fileOf(content: string | Uint8Array, name = 'bcu.csv'): string {
  const file = join(newFolder(), name);
  writeFileSync(file, content);
  return file;
}

async function stored(lake: string): Promise<string[]> {
  const { code, stdout } = await runMain('query', ALL, '--lake', lake, '--format', 'json');
  // An empty lake has nothing to ask.
  if (code !== 0) return [];
  const rows: Record<string, string>[] = JSON.parse(stdout.replace(/("valor":)([\d.]+)/g, '$1"$2"'));
  return rows.map(({ fecha, moneda, valor, fuente }) => `${fecha} ${moneda} ${valor} ${fuente}`);
}

/** A column of dates with a dollar that moves a little. */
function dollarsOn(days: readonly string[], heading = 'Date,USD'): string {
  return `${heading}\n${days.map((day, index) => `${day},${40 + index / 100}`).join('\n')}\n`;
}

const TEXT = 'x'.repeat(1000);
const VALUES = { moneda: 'USD', valor: 40_100_000n, fuente: TEXT };
const CLAIMED = 60_000_000n;
/** Lists of lists, each of which claims 33 million elements. */
const LISTS = Buffer.concat([Buffer.from([0x19]), Buffer.alloc(40, Buffer.from('f9c093de0f', 'hex'))]);

/** A day's object of rates with this in each of its rows. */
async function objectOf(
  given: { rowCount?: number; values?: Row; columns?: readonly Column[]; writer?: ParquetWriter } = {},
): Promise<Buffer> {
  const {
    rowCount = 2,
    values = VALUES,
    columns = COTIZACIONES.columns,
    writer = writeWithParquetjsLite,
  } = given;
  const rows = rowsOf(columns, new Array<Row>(rowCount).fill(values));
  return await buffer(writer({ columns, rows, metadata: {} }));
}

const [MONEDA, VALOR, FUENTE] = COTIZACIONES.columns as [Column, Column, Column];
const optional = ({ name, type, meaning }: Column): Column => ({ name, type, meaning });

const BANK = `Cotizaciones y arbitrajes
Fecha;Moneda;Compra;Venta;Arbitraje
16/10/2026;DLS. USA BILLETE;40,125;40,125;1
16/10/2026;DLS. USA CABLE;40,130;40,130;1
16/10/2026;UNIDAD INDEXADA;6,4611;6,4611;
16/10/2026;UNIDAD REAJUSTAB;1.812,34;1.812,34;
16/10/2026;PESO DE MARTE;1,000;1,000;
19/10/2026;DLS. USA BILLETE;39,980;39,980;1
19/10/2026;EURO;46,2;46,2;1
20/10/2026;EURO;-;-;
Fuente: banco
`;

/** In Uruguay still the 20th. */
const NOW_MS = Date.parse('2026-11-21T02:30:00Z');
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS }));

describe('cfe-lake rates', () => {
  it('reads a row a day and currency, with decimal commas, and says what it left out', async () => {
    const lake = newLake();
    const file = fileOf(BANK);
    const { code, stdout } = await runMain('rates', file, '--lake', lake);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/5 rates of EUR, USD, UYI, UYR.*: 5 new, 0 changed/),
    });
    expect(stdout).toMatch(/1 row of DLS. USA CABLE/);
    expect(stdout).toMatch(/1 row of PESO DE MARTE/);
    expect(await stored(lake)).toEqual([
      '2026-10-16 USD 40.125000 bcu.csv: Compra',
      '2026-10-16 UYI 6.461100 bcu.csv: Compra',
      '2026-10-16 UYR 1812.340000 bcu.csv: Compra',
      '2026-10-19 EUR 46.200000 bcu.csv: Compra',
      '2026-10-19 USD 39.980000 bcu.csv: Compra',
    ]);
    const object = join(lake, 'cotizaciones/fecha=2026-10-19/dia.parquet');
    const bytes = readFileSync(object);
    const again = await runMain('rates', file, '--lake', lake, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ added: 0, changed: [], unchanged: 5 });
    expect(readFileSync(object).equals(bytes)).toBe(true);
    const corrected = fileOf(BANK.replace('39,980', '39,990'));
    const change = await runMain('rates', corrected, '--lake', lake, '--json');
    expect(JSON.parse(change.stdout).changed).toEqual(['2026-10-19 USD 39.98 → 39.99']);
  });

  it('reads a column a currency, of a workbook, and a title that says which', async () => {
    const lake = newLake();
    const rows = [
      ['Día', 'Dólar', 'UI'],
      ['2026-10-16', 40.1, 6.4611],
      ['2026-10-19', null, 6.462],
    ];
    const wide = fileOf(madeWorkbook([{ name: 'Hoja1', rows }]), 'copia.xlsx');
    expect((await runMain('rates', wide, '--lake', lake)).code).toBe(0);
    const titled = fileOf('Unidad Reajustable\n\nFecha,Valor\n2026-10-01,"1.812,34"\n', 'ur.csv');
    expect((await runMain('rates', titled, '--lake', lake)).code).toBe(0);
    expect((await stored(lake)).map((row) => row.split(' ').slice(0, 3).join(' '))).toEqual([
      '2026-10-01 UYR 1812.340000',
      '2026-10-16 USD 40.100000',
      '2026-10-16 UYI 6.461100',
      '2026-10-19 UYI 6.462000',
    ]);
  });

  it.each<[string, (string | number)[][]]>([
    [
      'two torn rates',
      [
        ['Fecha', 'Moneda', 'Compra', 'Venta'],
        ['2026-10-12', 'USD', 40, 99, 41, 99],
      ],
    ],
    [
      'a torn rate before a note',
      [
        ['Fecha', 'UI', 'Fuente'],
        ['2026-10-12', 6, 45, 'INE'],
        ['2026-10-13', 6, 46, 47],
      ],
    ],
  ])('refuses a workbook that was made of %s', async (_what, rows) => {
    const file = fileOf(madeWorkbook([{ name: 'Hoja1', rows }]), 'copia.xlsx');
    const { code, stderr } = await runMain('rates', file, '--lake', newLake());
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('has more cells than the') });
    expect(stderr).toContain('with semicolons');
    expect(stderr).not.toContain('save it as .xlsx');
  });

  const HALVES = [
    ['its own blank selling rate', 'Fecha,Moneda,Compra,Venta', ['USD,40,95', 'USD,41,05', 'EUR,46.1,46.1']],
    ['the UI', 'Fecha,Moneda,Valor,Nota', ['UI,6,4912']],
    ['a blank rate against the dollar', 'Fecha,Moneda,Venta,Arb. Act', ['USD,40,95', 'UR,1803,']],
    [
      'a blank selling rate, but on a holiday',
      'Fecha,Moneda,Compra,Venta',
      ['USD,40,95', 'USD,S/C,', 'USD,41,05'],
    ],
    ['a blank selling rate, but once', 'Fecha,Moneda,Compra,Venta', ['USD,40,95', 'USD,40.9,', 'USD,41,05']],
    ['the next currency', 'Fecha,Dólar,Euro', ['40,125', '40,126']],
    ['the UR', 'Fecha,UI,UR', ['6,4473']],
    ['a code', 'Fecha,Moneda,Valor,Código', ['USD,40,125', 'USD,40,208']],
    ['one beside a currency that has decimals', 'Fecha,Moneda,Compra,Venta', ['UI,6.49,6.49', 'USD,40,95']],
  ] as const;

  it.each(HALVES)('refuses a rate that a comma parted into %s', async (_what, heading, rows) => {
    const table = [heading, ...rows.map((row, index) => `${15 + index}/10/2026,${row}`)];
    const workbook = madeWorkbook([
      {
        name: 'Hoja1',
        rows: table.map((line) =>
          line.split(',').map((cell) => (/^[\d.]+$/.test(cell) ? Number(cell) : cell === '' ? null : cell)),
        ),
      },
    ]);
    for (const file of [fileOf(table.join('\n')), fileOf(workbook, 'copia.xlsx')]) {
      const lake = newLake();
      const { code, stderr } = await runMain('rates', file, '--lake', lake);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('a decimal comma has parted it'),
      });
      expect(stderr).not.toContain('save it as .xlsx');
    }
  });

  it.each([
    ['a dearer selling rate', 'Fecha,Moneda,Compra,Venta', 'USD,40,42'],
    ['one of another currency that has decimals', 'Fecha,Euro,Dólar', '47,40.1'],
    ['one of another currency, if its decimals are written', 'Fecha,Euro,Dólar', '"47,00","40,00"'],
    ['a code, if its decimals are written', 'Fecha,Moneda,Valor,Usuario', 'USD,"40,00",3'],
    ['a code, if its zeros are written', 'Fecha,Moneda,Valor,Usuario', 'USD,"40,00000",3'],
    ['the code of its currency', 'Fecha,Moneda,Valor,Código', 'UR,1803,9900'],
    ['a number of units', 'Fecha,Moneda,Valor,Unidades', 'JPY,27,100'],
    [
      'a code, where another rate has decimals',
      'Fecha,Moneda,Valor,Código',
      'USD,40,2225\n20/10/2026,USD,40.1,2225',
    ],
  ])('takes a whole rate beside %s', async (_what, heading, row) => {
    const file = fileOf(`${heading}\n19/10/2026,${row}\n`);
    expect((await runMain('rates', file, '--lake', newLake())).code).toBe(0);
  });

  it.each(['U$S Compra', 'Cotización U$S', 'Valor (U$S)'])(
    'takes the dollar by its sign, %s',
    async (name) => {
      const lake = newLake();
      const file = fileOf(`Fecha;${name};U$S Venta\n16/10/2026;40,1;40,9\n`);
      expect((await runMain('rates', file, '--lake', lake)).code).toBe(0);
      expect(await stored(lake)).toEqual([`2026-10-16 USD 40.100000 bcu.csv: ${name}`]);
    },
  );

  it('leaves out rates that another column says are not of bank notes', async () => {
    const rows = ['USD;Cable;40,1;Banco', 'EUR;Billete;46,1;Mesa de arbitrajes'];
    const file = fileOf(
      `Fecha;Moneda;Tipo;Compra;Fuente\n${rows.map((row) => `16/10/2026;${row}\n`).join('')}`,
    );
    const { stdout } = await runMain('rates', file, '--lake', newLake());
    expect(stdout).toMatch(/1 rate of EUR/);
    expect(stdout).toMatch(/1 row of USD Cable/);
  });

  it('leaves out a rate of which two columns name two currencies', async () => {
    const rows = [
      'Dólar;CAD;;29,1',
      'Dólar;USD;;40,1',
      'Euro;EUR;$;46,1',
      'Real;32;;7,2',
      'Peso Argentino;$;;0,03',
      'Real;BRL;USD;5,38',
    ];
    const file = fileOf(
      `Fecha;Nombre;Moneda;Divisa;Compra\n${rows.map((row) => `16/10/2026;${row}\n`).join('')}`,
    );
    const lake = newLake();
    const { stdout } = await runMain('rates', file, '--lake', lake);
    expect(stdout).toMatch(/1 row of Dólar CAD/);
    expect(stdout).toMatch(/1 row of Real USD/);
    expect((await stored(lake)).map((row) => row.split(' ').slice(1, 3))).toEqual([
      ['ARS', '0.030000'],
      ['BRL', '7.200000'],
      ['EUR', '46.100000'],
      ['USD', '40.100000'],
    ]);
  });

  it('tells a rate above the heading, with which the table was sorted', async () => {
    const file = fileOf('16/10/2026;EUR;46,1;46,9\nFecha;Moneda;Compra;Venta\n16/10/2026;USD;40,1;40,9\n');
    const { stdout } = await runMain('rates', file, '--lake', newLake(), '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      added: 1,
      unread: [{ row: 1, column: 'Compra', text: '46,1' }],
    });
  });

  it('reads a workbook with notes beside its rates', async () => {
    const rows = [
      ['Fecha', 'USD'],
      ['2026-10-16', 40.1, 'feriado'],
      ['2026-10-19', 40.2],
    ];
    const file = fileOf(madeWorkbook([{ name: 'Hoja1', rows }]), 'copia.xlsx');
    expect((await runMain('rates', file, '--lake', newLake())).code).toBe(0);
  });

  it('refuses a jump of over 20 % within the file and beside the lake, unless told', async () => {
    const lake = newLake();
    await runMain('rates', fileOf(BANK), '--lake', lake);
    const before = await stored(lake);
    const jump = fileOf('Fecha;Dólar\n20/10/2026;4,010\n21/10/2026;40,200\n');
    const refused = await runMain('rates', jump, '--lake', lake);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-jumps') });
    expect(refused.stderr).toMatch(/USD 39.98 on 2026-10-19, 4.01 on 2026-10-20/);
    expect(await stored(lake)).toEqual(before);
    expect((await runMain('rates', jump, '--lake', lake, '--allow-jumps')).code).toBe(0);
    expect((await stored(lake)).length).toBe(before.length + 2);
  });

  it.each([
    [
      'two rates of one day',
      'Fecha;Dólar\n16/10/2026;40,1\n16/10/2026;40,2\n',
      /USD has two rates on 2026-10-16/,
    ],
    ['no currency', 'Fecha;Valor\n16/10/2026;40,1\n', /Fecha, Moneda, Valor/],
    [
      'rates against the dollar, as its title says',
      'Arbitrajes (unidades por dólar)\nFecha;Real;Yuan\n05/10/2026;5,40;7,21\n',
      /what has the title Arbitraje is against the dollar/,
    ],
    [
      'them below another title, in columns of a buyer and a seller',
      'Cotizaciones del mes;\nArbitraje\nFecha;Moneda;Compra;Venta\n05/10/2026;REAL BILLETE;5,40;5,50\n',
      /what has the title Arbitraje is against the dollar/,
    ],
    [
      'them in a column',
      'Fecha;Moneda;Arbitrajes compra\n05/10/2026;EUR;1,12\n',
      /no table of exchange rates/,
    ],
    [
      'decimal commas without quotes',
      'Fecha,Moneda,Compra,Venta\n2026-10-13,USD,40,97,42,10\n',
      /row 2 has more cells than the 4 headings/,
    ],
    [
      'them where the last column is blank',
      'Fecha,Moneda,Compra,Venta\n2026-10-13,USD,40,10,\n',
      /row 2 has more cells than the 4/,
    ],
    [
      'them before another column',
      'Fecha,Dolar Compra,Dolar Venta,Euro Compra,Euro Venta\n12/10/2026,40,42,46,48\n13/10/2026,40,95,42,05,46,55,48,10\n',
      /row 3 has more cells than the 5 headings/,
    ],
    [
      'them before a note',
      'Fecha,Moneda,Valor,Fuente\n13/10/2026,USD,40,10,BCU\n',
      /row 2 has more cells than the 4 headings/,
    ],
    ['two columns alike', 'Fecha;Dólar;USD\n16/10/2026;40,1;40,2\n', /"Dólar", "USD"/],
    ['no number', 'Fecha;Dólar\n16/10/2026;cuarenta\n', /row 2 .*"cuarenta"/],
    ['a wrong year', 'Fecha;Dólar\n16/10/2126;40,1\n', /2126/],
    [
      'a rate of tomorrow',
      'Fecha;Dólar;Euro\n20/11/2026;40,1;46\n21/11/2026;40,1;46\n',
      /after today, 2026-11-20: row 3 has "2026-11-21" as "Fecha" of USD, EUR\..*2026-09-01/,
    ],
    [
      'a rate of tomorrow in a row of its own',
      'Moneda;Valor;Día\nUSD;40,1;20/11/2026\nUSD;40,1;21/11/2026\n',
      /: row 3 has "2026-11-21" as "Día" of USD\./,
    ],
    [
      'a UR of the next month',
      'Fecha;UR\n30/11/2026;1.803,10\n01/12/2026;1.804,10\n',
      /: row 3 has "2026-12-01" as "Fecha" of UYR\./,
    ],
    [
      'a UI of over a month to come',
      'Fecha;UI\n21/12/2026;6,5\n22/12/2026;6,5\n',
      /: row 3 has "2026-12-22" as "Fecha" of UYI/,
    ],
    [
      'a month’s first days with the month first',
      dollarsOn(Array.from({ length: 11 }, (_, index) => `9/${index + 1}/2026`)),
      /"Date" has the day or the month first, and "9\/1\/2026" to "9\/11\/2026".*2026-09-01/,
    ],
    [
      'days of two months with the month first',
      dollarsOn(['12/10/25', '12/11/25', '01/05/26', '01/06/26']),
      /"12\/10\/25"/,
    ],
    [
      'them of one currency of several',
      'Fecha;Moneda;Valor\n9/1/2026;USD;40\n9/2/2026;USD;40\n9/3/2026;USD;40\n2026-09-04;EUR;46\n1/1/2026;UR;1.803,10\n',
      /"9\/1\/2026"/,
    ],
    [
      'a sign that may part thousands or decimals',
      'Fecha;CLP\n16/10/2026;9.123\n',
      /row 2 has "9.123" as CLP, in which the sign may part/,
    ],
    ['units beside two rates', 'Fecha;Unidades;JPY;CLP\n16/10/2026;100;27;4\n', /"Unidades" beside 2 rates/],
    [
      'a second row of its heading',
      'Fecha;Dólar;;Euro\n;Venta;Compra;Venta\n16/10/2026;42,50;40,10;49,9\n',
      /row 2 says "Venta" below "Dólar"/,
    ],
    [
      'a heading over two columns of numbers',
      'Fecha;Dólar;;Euro\n16/10/2026;42,50;40,10;49,9\n',
      /row 1 has no name for numbers beside "Dólar"/,
    ],
    [
      'a heading that is blank over the last numbers',
      'Fecha;Dólar\n16/10/2026;42,50;40,10\n',
      /no name for numbers beside "Dólar"/,
    ],
    [
      'a second table below',
      'Fecha;Dólar\n16/10/2026;40,10\n\nFecha;Euro\n17/10/2026;46,10\n',
      /row 4 says "Euro" below "Dólar"/,
    ],
    [
      'a second table of an unknown currency',
      'Fecha;Dólar\n16/10/2026;40,10\nFecha;Corona\n17/10/2026;4,1\n',
      /row 3 says "Corona"/,
    ],
    [
      'two tables side by side',
      'Fecha;USD;;Fecha;EUR\n01/10/2026;40,1;;15/10/2026;47,1\n',
      /row 1 has two columns that may be its fecha: "Fecha", "Fecha"/,
    ],
    [
      'the days of which a spreadsheet took for months',
      'Fecha;Dólar\n2026-01-10;40,1\n2026-02-10;40,2\n13/10/2026;40,3\n',
      /took their days for months/,
    ],
    [
      'a list of receipts',
      'Fecha;Tipo;Serie;Numero;Total\n16/10/2026;111;A;1;5\n',
      /no table of exchange rates/,
    ],
  ])('refuses %s, and writes nothing', async (_, text, said) => {
    const lake = newLake();
    const { code, stderr } = await runMain('rates', fileOf(text), '--lake', lake);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(said) });
    expect(await stored(lake)).toEqual([]);
  });

  it.each<[string, string, readonly string[], RegExp]>([
    [
      'the bank’s names, and none that only has a known word in it',
      `Fecha;Moneda;Venta
13/10/2026;DLS. USA BILLETE;40,12
13/10/2026;DLS. USA CABLE;40,15
13/10/2026;DLS. USA FDO BCU;40,16
13/10/2026;DLS.PROMED.FONDO;40,17
13/10/2026;DOLAR CANADIENSE;29,1
13/10/2026;DOLAR HONG KONG;5,16
13/10/2026;PESO ARG.BILLETE;0,027
13/10/2026;REAL BILLETE;7,42
13/10/2026;UNIDAD PREVISIONAL;1,9`,
      ['ARS 0.027000', 'BRL 7.420000', 'CAD 29.100000', 'USD 40.120000'],
      /USA CABLE(?=[\s\S]*FDO BCU)(?=[\s\S]*PROMED.FONDO)(?=[\s\S]*HONG KONG)(?=[\s\S]*PREVISIONAL)/,
    ],
    [
      'of the names that nobody knows the first twenty',
      `Fecha;Moneda;Venta\n13/10/2026;USD;40,12\n${Array.from({ length: 25 }, (_, index) => `13/10/2026;X${index};1`).join('\n')}`,
      ['USD 40.120000'],
      /X19(?![\s\S]*X20)[\s\S]*Left out, too: 5 more/,
    ],
    [
      'units, which divide',
      'Fecha;Moneda;Unidades;Valor\n13/10/2026;USD;1;40,12\n13/10/2026;JPY;100;27,45\n13/10/2026;CLP;1.000;42,7',
      ['CLP 0.042700', 'JPY 0.274500', 'USD 40.120000'],
      /3 new/,
    ],
    [
      'no rate for units that are no number above 0, nor one below 0 wherever its sign stands',
      `Fecha;Moneda;Unidades;Valor
${['-1', '(1)', 'U$S -1', '－1', '1-', '0', 'x', ''].map((units) => `13/10/2026;USD;${units};40,12`).join('\n')}
${['-6,4', '$ -6,4', '6,4-', '(6,4)'].map((value) => `13/10/2026;UI;1;${value}`).join('\n')}
13/10/2026;EUR;1;46,55`,
      ['EUR 46.550000'],
      /row 2 has "40,12 for -1 units" as "Valor".*and 7 more/,
    ],
    [
      'pages that repeat the heading, and notes between blank columns',
      'Fecha;Dólar;;Nota\n13/10/2026;40,12;;x\nFecha;Dólar;;Nota\n14/10/2026;s/c;;\nFecha de consulta: hoy;;;\n',
      ['USD 40.120000'],
      /1 new/,
    ],
    [
      'a column that nobody knows, by its name',
      'Fecha;Moneda;Valor;Factor;Arbitraje;Nota\n13/10/2026;USD;40,12;100;1;x',
      ['USD 40.120000'],
      /Left out: the column "Factor"(?![\s\S]*(?:Arbitraje|Nota))/,
    ],
    [
      'a column that is not of bank notes, by its name',
      'Fecha;Dólar compra;Dólar venta;Dólar cable compra\n13/10/2026;40,12;40,5;40,15',
      ['USD 40.120000'],
      /Left out: the column "Dólar cable compra"(?![\s\S]*venta)/,
    ],
    [
      'one decimal mark for the whole file',
      'Fecha;UI;UR\n01/10/2026;6,4208;1.803',
      ['UYI 6.420800', 'UYR 1803.000000'],
      /2 new/,
    ],
    ['the decimal mark that the dollar leaves', 'Fecha;USD\n01/10/2026;38.412', ['USD 38.412000'], /1 new/],
    [
      'a UI of days to come, as it is published, and a rate of today',
      'Fecha;UI;USD\n20/11/2026;6,51;40,12\n05/12/2026;6,52;',
      ['USD 40.120000', 'UYI 6.510000', 'UYI 6.520000'],
      /3 new/,
    ],
    [
      'a UR of this month, dated at its end',
      'Fecha;UR;USD\n31/10/2026;1.802,10;\n20/11/2026;;40,12\n30/11/2026;1.803,10;',
      ['UYR 1802.100000', 'USD 40.120000', 'UYR 1803.100000'],
      /3 new/,
    ],
    [
      'dates of a month with the day first, where no number tells',
      dollarsOn(['07/10/2026', '08/10/2026', '09/10/2026']),
      ['USD 40.000000', 'USD 40.010000', 'USD 40.020000'],
      /2026-10-07 to 2026-10-09/,
    ],
    [
      'a day of each month, where another date tells the order',
      `${dollarsOn(['05/08/2026', '05/09/2026', '05/10/2026'])}13/10/2026,40.1\n`,
      ['USD 40.000000', 'USD 40.010000', 'USD 40.020000', 'USD 40.100000'],
      /2026-08-05 to 2026-10-13/,
    ],
    [
      'the first day of each month of two currencies that have two dates each',
      'Fecha;Moneda;Valor\n1/8/2026;USD;40,00\n1/9/2026;USD;40,10\n1/10/2026;EUR;46,00\n1/11/2026;EUR;46,10',
      ['USD 40.000000', 'USD 40.100000', 'EUR 46.000000', 'EUR 46.100000'],
      /2026-08-01 to 2026-11-01/,
    ],
    [
      'the UR, which has one a month',
      'Fecha;UR\n01/08/2026;1.801,50\n01/09/2026;1.802,50\n01/10/2026;1.803,50',
      ['UYR 1801.500000', 'UYR 1802.500000', 'UYR 1803.500000'],
      /2026-08-01 to 2026-10-01/,
    ],
    [
      'a rate that it has several times as one',
      'Fecha;USD\n01/10/2026;40,10\n01/10/2026;40,10\n01/10/2026;40,10',
      ['USD 40.100000'],
      /^1 rate of USD, .*: 1 new, 0 changed, 0 as they were/m,
    ],
    ['thousands that the UR leaves', 'Fecha;UR\n01/10/2026;1.803', ['UYR 1803.000000'], /1 new/],
    [
      'all but what can’t be read',
      'Fecha;USD;PYG;EUR\n13/10/2026;40,12;0,00544321087;46,55\n14/10/2026;-40,2;n/d;46,6\nxx;1;;\n15/10/2026;40,25;0,0054445;',
      ['EUR 46.550000', 'PYG 0.005443', 'USD 40.120000', 'EUR 46.600000', 'PYG 0.005444', 'USD 40.250000'],
      /row 3 has "-40,2" as "USD"; row 3 has "n\/d" as "PYG"; row 4 has "xx" as "Fecha"[\s\S]*Without a rate: 1 cell[\s\S]*Rounded to six decimals: 2 rates/,
    ],
  ])('reads %s', async (_, text, rates, said) => {
    const lake = newLake();
    const { code, stdout } = await runMain('rates', fileOf(text), '--lake', lake);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(said) });
    expect((await stored(lake)).map((row) => row.split(' ').slice(1, 3).join(' '))).toEqual(rates);
  });

  it.each([
    [
      'a rate for 100 units as one',
      'Fecha;JPY\n13/10/2026;27,45\n',
      /row 2, "JPY" has JPY 27.45 on 2026-10-13, and 0.09\S* to 1.98/,
    ],
    [
      'a UR whose thousands were lost',
      'Fecha;UR;UI\n13/10/2026;1.803;6.42\n',
      /UYR 1.803 on 2026-10-13, and 250.00 to 6000.00/,
    ],
    ['an Argentine peso of other years', 'Fecha;ARS\n13/10/2026;2,7\n', /ARS 2.70 .*, and 0.003 to 1.50/],
    [
      'one far from all neighbours',
      'Fecha;USD\n13/01/2026;40,1\n13/10/2026;401,1\n',
      /USD 401.10 on 2026-10-13/,
    ],
  ])('refuses %s, unless told', async (_, text, said) => {
    const lake = newLake();
    const refused = await runMain('rates', fileOf(text), '--lake', lake);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(said) });
    expect(refused.stderr).toContain('--allow-jumps');
    expect(await stored(lake)).toEqual([]);
    expect((await runMain('rates', fileOf(text), '--lake', lake, '--allow-jumps')).code).toBe(0);
  });

  it.each<[name: string, object: () => Promise<Uint8Array>, said: RegExp]>([
    ['1,001 rates', () => objectOf({ rowCount: 1_001 }), /more than 1000 rows/],
    [
      'one text of many megabytes',
      () => objectOf({ rowCount: 1, values: { ...VALUES, fuente: 'x'.repeat(80_000_000) } }),
      /rates would take 77 MB/,
    ],
    [
      'texts of which its footer says less',
      async () =>
        withFooter(
          await objectOf({ rowCount: 1, values: { ...VALUES, fuente: 'x'.repeat(80_000_000) } }),
          ({ row_groups }) => {
            for (const { meta_data } of row_groups.flatMap(({ columns }) => columns))
              if (meta_data !== undefined) meta_data.total_uncompressed_size = 1n;
          },
        ),
      /rates would take 77 MB/,
    ],
    [
      'texts of which its pages say less',
      async () => signed(await objectOf().then((file) => withPageSize(file, 2 * (TEXT.length + 4), 100))),
      /its pages cannot be decoded/,
    ],
    [
      'the same pages many times',
      async () =>
        withFooter(await objectOf(), ({ row_groups }) => {
          for (const group of row_groups) group.columns = new Array(60).fill(group.columns).flat();
        }),
      /its footer cannot be parsed/,
    ],
    [
      'rows that no page has',
      async () =>
        withFooter(await objectOf(), ({ row_groups: [group] }) => {
          Object.assign(group ?? {}, { columns: [], num_rows: CLAIMED });
        }),
      /more than 1000 rows/,
    ],
    [
      'rows, and as many below zero',
      async () =>
        withFooter(await objectOf(), ({ row_groups }) => {
          const [group] = row_groups;
          if (group !== undefined)
            row_groups.unshift({ ...group, num_rows: -CLAIMED }, { ...group, num_rows: CLAIMED });
        }),
      /more than 1000 rows/,
    ],
    [
      'rows in a thousand groups',
      async () =>
        withFooter(await objectOf(), ({ row_groups }) => {
          row_groups.push(...new Array(1_000).fill({ columns: [], num_rows: 0n, total_byte_size: 0n }));
        }),
      /3 columns in 1001 row groups/,
    ],
    [
      'any number of texts in a row',
      async () =>
        withFooter(await objectOf(), ({ schema }) =>
          Object.assign(schema[3] ?? {}, { repetition_type: 'REPEATED' }),
        ),
      /a row may have no value, or many/,
    ],
    [
      'a footer of lists that claim more than there is',
      async () => endedBy(await objectOf(), LISTS),
      /one of its lists has more elements than bytes/,
    ],
    ['dictionaries', () => objectOf({ writer: writeWithHyparquet }), /a page is not of plain values/],
    [
      'no rate',
      () => objectOf({ columns: [MONEDA, optional(VALOR), FUENTE], values: { ...VALUES, valor: null } }),
      /a row may have no value, or many/,
    ],
    [
      'a rate that is a text',
      () =>
        objectOf({
          columns: [MONEDA, { ...VALOR, type: 'string' }, FUENTE],
          values: { ...VALUES, valor: 'x' },
        }),
      /its column valor is UTF8, not decimal/,
    ],
    ['a rate twice', () => objectOf(), /two rates of one currency/],
    ['a rate of zero', () => objectOf({ values: { ...VALUES, valor: 0n } }), /one of its rows is no rate/],
    [
      'a rate below zero',
      () => objectOf({ values: { ...VALUES, valor: -40_100_000n } }),
      /one of its rows is no rate/,
    ],
    ['no sources', () => objectOf({ columns: [MONEDA, VALOR] }), /one of its rows is no rate/],
  ])('a day’s object of %s is refused by name, by rates and by questions', async (_, object, said) => {
    const lake = newLake();
    const folder = join(lake, 'cotizaciones/fecha=2026-10-15');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'dia.parquet'), await object());
    for (const words of [
      ['rates', fileOf(BANK)],
      ['query', ALL],
    ]) {
      const { code, stderr } = await runMain(...words, '--lake', lake);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(said) });
      expect(stderr).toMatch(/2026-10-15.dia.parquet.*is damaged/);
    }
  });

  it('more days of rates than a question can hold are refused', async () => {
    const lake = newLake();
    const values = Array.from({ length: 900 }, (_, index) => ({ ...VALUES, moneda: `C${index}` }));
    const { columns } = COTIZACIONES;
    const day = await buffer(
      writeWithParquetjsLite({ columns, rows: rowsOf(columns, values), metadata: {} }),
    );
    for (const date of daysBetween('2026-01-01', '2026-10-31')) {
      const folder = join(lake, `cotizaciones/fecha=${date}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'dia.parquet'), day);
    }
    const { code, stderr } = await runMain('query', ALL, '--lake', lake);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('too many rates') });
  });

  it('has in the lake what any file says, to the last decimal', async () => {
    const rate = fc.integer({ min: 40_000_000, max: 47_000_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(rate, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(';', '\t', '|'),
        async (rates, separator) => {
          const rows = rates.map((value, index) => {
            const day: Day = addDays('2026-02-27', index);
            const text = String(value);
            return {
              day,
              text: `${text.slice(0, 2)},${text.slice(2)}`,
              exact: `${text.slice(0, 2)}.${text.slice(2)}`,
            };
          });
          const lines = [`Fecha${separator}USD`, ...rows.map(({ day, text }) => `${day}${separator}${text}`)];
          const lake = newLake();
          expect((await runMain('rates', fileOf(lines.join('\n')), '--lake', lake)).code).toBe(0);
          expect((await stored(lake)).map((row) => row.split(' ').slice(0, 3).join(' '))).toEqual(
            rows.map(({ day, exact }) => `${day} USD ${exact}`),
          );
        },
      ),
      { numRuns: 10 },
    );
  });
});
