import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../lib/time/days.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
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

describe('cfe-lake rates', () => {
  it('reads a row a day and currency, with decimal commas, and says what it left out', async () => {
    const lake = newLake();
    const file = fileOf(BANK);
    const { code, stdout } = await runMain('rates', file, '--lake', lake);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/5 rates of EUR, USD, UYI, UYR.*: 5 new, 0 changed/),
    ]);
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

  it('refuses a jump of over 20 % within the file and beside the lake, unless told', async () => {
    const lake = newLake();
    await runMain('rates', fileOf(BANK), '--lake', lake);
    const before = await stored(lake);
    const jump = fileOf('Fecha;Dólar\n20/10/2026;4,010\n21/10/2026;40,200\n');
    const refused = await runMain('rates', jump, '--lake', lake);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--allow-jumps')]);
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
    ['two columns alike', 'Fecha;Dólar;USD\n16/10/2026;40,1;40,2\n', /"Dólar" and "USD"/],
    ['no number', 'Fecha;Dólar\n16/10/2026;cuarenta\n', /row 2 .*"cuarenta"/],
    ['a wrong year', 'Fecha;Dólar\n16/10/2126;40,1\n', /2126/],
    [
      'a list of receipts',
      'Fecha;Tipo;Serie;Numero;Total\n16/10/2026;111;A;1;5\n',
      /no table of exchange rates/,
    ],
  ])('refuses %s, and writes nothing', async (_, text, said) => {
    const lake = newLake();
    const { code, stderr } = await runMain('rates', fileOf(text), '--lake', lake);
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
    expect(await stored(lake)).toEqual([]);
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
