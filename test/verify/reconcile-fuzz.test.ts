import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { unzipSync, zipSync } from 'fflate';
import { writeXlsx } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import { campaign } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runLine } from '../support/program/run-main.ts';
import { exportedLake } from '../support/query/exported-lake.ts';
import { detail, RUT, received, SUPPLIER } from '../support/query/made-receipts.ts';

const HEADING = [
  'Fecha',
  'Tipo CFE',
  'Serie',
  'Número',
  'RUT Emisor',
  'Razón social',
  'Moneda',
  'Monto Total',
];

/** Receipts whose total says their number, so that no row is taken for another's. */
const NUMBERS = Array.from({ length: 12 }, (_, index) => 5001 + index);
const totalOf = (number: number) => `${number - 5000}234.${String(number % 100).padStart(2, '0')}`;

/** How three programs save a table as a text. */
const HABITS: readonly { name: string; save: (rows: readonly (readonly string[])[]) => Uint8Array }[] = [
  {
    name: 'Excel in Uruguay',
    save: (rows) =>
      Buffer.from(
        rows.map((row) => row.map((cell) => quotedIf(/[;"\r\n]/, cell)).join(';')).join('\r\n'),
        'latin1',
      ),
  },
  {
    name: 'LibreOffice',
    save: (rows) =>
      Buffer.from(`${rows.map((row) => row.map((cell) => quotedIf(/[,"\n]/, cell)).join(',')).join('\n')}\n`),
  },
  {
    name: 'Excel as Unicode text',
    save: (rows) =>
      Buffer.from(
        `\ufeff${rows.map((row) => row.map((cell) => quotedIf(/["\t\r\n]/, cell)).join('\t')).join('\r\n')}`,
        'utf16le',
      ),
  },
];

function quotedIf(form: RegExp, cell: string): string {
  return form.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function shown(total: string, isLocal: boolean): string {
  const [whole = '', cents = ''] = total.split('.');
  const mark = isLocal ? ['.', ','] : [',', '.'];
  return `${Number(whole)
    .toLocaleString('en')
    .replaceAll(',', mark[0] ?? '')}${mark[1]}${cents}`;
}

function tableOf(isLocal: boolean): string[][] {
  const rows = NUMBERS.map((number) => [
    '15/10/2026',
    '111',
    'A',
    String(number),
    SUPPLIER,
    `Sol "${number}"; S.A., Suc.`,
    'UYU',
    shown(totalOf(number), isLocal),
  ]);
  return [
    ['CFE Recibidos'],
    ['Período: 01/10/2026 al 31/10/2026'],
    HEADING,
    ...rows,
    ['Generado 05/11/2026'],
  ];
}

async function workbookOf(): Promise<Uint8Array> {
  const rows = NUMBERS.map((number) => [
    '15/10/2026',
    111,
    'A',
    number,
    SUPPLIER,
    'Sol',
    'UYU',
    Number(totalOf(number)),
  ]);
  return await writeXlsx({ sheets: [{ name: 'CFE', rows: [['CFE Recibidos'], HEADING, ...rows] }] });
}

/** A file in which bytes were changed, lost or repeated. */
const fault = fc.oneof(
  fc.record({ kind: fc.constant('changed' as const), at: fc.nat(), byte: fc.nat(255) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('lost' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 90 }) }),
  fc.record({
    kind: fc.constant('inserted' as const),
    at: fc.nat(),
    text: fc.constantFrom('"', ';', '\n', ',', '\r\n', '-', '.', '0', '""', '\t', 'x'),
  }),
);

function damaged(
  bytes: Uint8Array,
  what: typeof fault extends fc.Arbitrary<infer T> ? T : never,
): Uint8Array {
  const at = what.at % bytes.length;
  if (what.kind === 'cut') return bytes.slice(0, at);
  if (what.kind === 'lost') return Buffer.concat([bytes.slice(0, at), bytes.slice(at + what.count)]);
  if (what.kind === 'inserted')
    return Buffer.concat([bytes.slice(0, at), Buffer.from(what.text), bytes.slice(at)]);
  const changed = bytes.slice();
  changed[at] = what.byte;
  return changed;
}

it('no damaged file is said to be equal to a lake that has another receipt more', async () => {
  const wholes = HABITS.map(({ save }, index) => ({ name: 'lista.csv', bytes: save(tableOf(index !== 1)) }));
  const workbook = await workbookOf();
  const files = [...wholes, { name: 'lista.xlsx', bytes: workbook }];
  const recibidos = NUMBERS.map((number) =>
    received('2026-10-15', `A${number}`, { totales_total: totalOf(number) }),
  );
  const lake = await exportedLake({ recibidos });
  const more = await exportedLake({
    recibidos: [...recibidos, received('2026-10-15', 'A1', { totales_total: '1' })],
  });
  const folder = newFolder();
  const run = async (name: string, bytes: Uint8Array, lakeFolder: string) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    const words = `--rut ${RUT} --direction recibidos --month 2026-10 --lake ${lakeFolder} --json`;
    const { code, stdout, stderr } = await runLine(`reconcile ${file} ${words}`);
    // Refusals are sentences; no fault of the program itself gets through.
    expect(stderr).not.toMatch(/Unexpected error/);
    return { code, found: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  for (const { name, bytes } of files) {
    expect(await run(name, bytes, lake)).toMatchObject({
      code: 0,
      found: { equal: NUMBERS.length, unread: [], notes: [] },
    });
  }
  const damage = fc.record({
    file: fc.constantFrom(...files),
    faults: fc.array(fault, { minLength: 1, maxLength: 3 }),
    isInside: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ file: { name, bytes }, faults, isInside }) => {
      const broken =
        isInside && name.endsWith('.xlsx') ? insideSheet(bytes, faults) : faults.reduce(damaged, bytes);
      const { code, found } = await run(name, broken, more);
      expect(code).not.toBe(0);
      // Whatever is said to be equal is: its total says its number, and no receipt counts twice.
      if (found !== undefined) expect(found.equal).toBeLessThanOrEqual(NUMBERS.length);
      const same = await run(name, broken, lake);
      if (same.code === 0)
        expect(same.found).toMatchObject({
          equal: NUMBERS.length,
          there: NUMBERS.length,
          here: NUMBERS.length,
        });
    }),
    campaign<fc.Parameters<unknown>>({
      quick: { numRuns: 8 },
      long: { interruptAfterTimeLimit: 60_000, numRuns: 100_000 },
    }),
  );
});

/** Saved again after its sheet was damaged: the zip is whole. */
function insideSheet(bytes: Uint8Array, faults: readonly Parameters<typeof damaged>[1][]): Uint8Array {
  const files = unzipSync(bytes);
  const path = Object.keys(files).find((part) => /worksheets\/.*\.xml$/.test(part)) ?? '';
  const sheet = files[path] ?? new Uint8Array();
  return zipSync({ ...files, [path]: new Uint8Array(faults.reduce(damaged, sheet)) });
}

const amount = fc.constantFrom(undefined, 0, 10, 22, 100, '?');
const RATES = ['basica', 'minima'] as const;
const stated = fc.record({
  mnt_no_gravado: amount,
  mnt_exportacion_y_asimilados: amount,
  mnt_neto_iva_tasa_basica: amount,
  mnt_iva_tasa_basica: amount,
  mnt_neto_iva_tasa_minima: amount,
  mnt_iva_tasa_minima: amount,
});
const compared = fc.record({
  stated: fc.option(stated, { nil: undefined }),
  isOlder: fc.boolean(),
  net: fc.constantFrom(0, 10, 100, 110),
  vat: fc.constantFrom(0, 22, 44),
  total: fc.constantFrom(100, 122, 132),
});
type Compared = typeof compared extends fc.Arbitrary<infer T> ? T : never;

/** Whether a row with the lake's total is equal, and what of it the notes tell, from what the detail states. */
function expectedOf({ stated, isOlder, net, vat, total }: Compared) {
  const entries = Object.entries(stated ?? {}).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return { isEqual: true, hasNoDetail: true, isOnlyNetLeftOut: false };
  const isIllegible = entries.some(([, value]) => value === '?');
  const numbers = new Map(entries.map(([name, value]) => [name, Number(value)]));
  const sumOf = (names: readonly string[]) => {
    const isUnknown = isIllegible || (isOlder && !names.some((name) => numbers.has(name)));
    return isUnknown ? undefined : names.reduce((sum, name) => sum + (numbers.get(name) ?? 0), 0);
  };
  const pairs = RATES.map((rate) => ({
    net: numbers.get(`mnt_neto_iva_tasa_${rate}`),
    vat: numbers.get(`mnt_iva_tasa_${rate}`),
  }));
  const lacksVat = pairs.some((pair) => pair.vat === undefined && (pair.net ?? 0) !== 0);
  const lacksNet = !lacksVat && pairs.some((pair) => (pair.net ?? 0) === 0 && (pair.vat ?? 0) !== 0);
  const all = [...numbers.values()].reduce((sum, value) => sum + value, 0);
  const isDoubtful = isIllegible || isOlder || lacksVat || lacksNet || all > total + 1;
  const ownVat = lacksVat ? undefined : sumOf(RATES.map((rate) => `mnt_iva_tasa_${rate}`));
  const netOfRates = RATES.map((rate) => `mnt_neto_iva_tasa_${rate}`);
  const netSum = lacksNet ? undefined : sumOf(['mnt_no_gravado', ...netOfRates]);
  const ownNet = netSum !== undefined && netSum + (ownVat ?? 0) === total ? netSum : undefined;
  const isNetLeftOut = ownNet === undefined && !isDoubtful;
  return {
    isEqual: vat === ownVat && (isNetLeftOut || net === ownNet),
    hasNoDetail: false,
    isOnlyNetLeftOut: isNetLeftOut && net !== 0,
  };
}

it('a row is equal only if its net and its VAT are what the detail states, where one was read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(compared, { minLength: 30, maxLength: 60 }), async (cases) => {
      const recibidos = cases.map(({ total }, index) =>
        received('2026-10-15', `A${index + 1}`, { totales_total: total.toFixed(2) }),
      );
      const recibidos_detalle = cases.flatMap(({ stated, isOlder }, index) => {
        const motivo: { motivo?: string } = isOlder ? { motivo: 'HTTP 500' } : {};
        const row = recibidos[index];
        return stated === undefined || row === undefined
          ? []
          : [detail(row, { totales: JSON.stringify(stated), ...motivo })];
      });
      const lake = await exportedLake({ recibidos, recibidos_detalle });
      const rows = cases.map(({ net, vat, total }, index) =>
        ['15/10/2026', 111, 'A', index + 1, SUPPLIER, 'UYU', net, vat, total].join(';'),
      );
      const heading = 'Fecha;Tipo CFE;Serie;Número;RUT Emisor;Moneda;Monto Neto;Monto IVA;Monto Total';
      const file = join(newFolder(), 'lista.csv');
      writeFileSync(file, ['CFE Recibidos', heading, ...rows].join('\n'));
      const words = `--rut ${RUT} --month 2026-10 --lake ${lake} --json`;
      const { stdout } = await runLine(`reconcile ${file} ${words}`);
      const found: { differences: { Número: string }[]; notes: string[] } = JSON.parse(stdout);
      const different = new Set(found.differences.map((difference) => Number(difference.Número)));
      const expected = cases.map(expectedOf);
      expect(cases.map((_, index) => !different.has(index + 1))).toEqual(
        expected.map(({ isEqual }) => isEqual),
      );
      const counted = (form: RegExp) => Number(form.exec(found.notes.join('\n'))?.[1] ?? 0);
      expect([
        counted(/^net amount, VAT or currency of (\d+) /m),
        counted(/^the net amount of (\d+) /m),
      ]).toEqual([
        expected.filter(({ hasNoDetail }) => hasNoDetail).length,
        expected.filter(({ isOnlyNetLeftOut }) => isOnlyNetLeftOut).length,
      ]);
    }),
    campaign<fc.Parameters<unknown>>({
      quick: { numRuns: 6 },
      long: { interruptAfterTimeLimit: 60_000, numRuns: 100_000 },
    }),
  );
});

it('random bytes are refused by name', async () => {
  const folder = newFolder();
  const lake = await exportedLake({});
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
      fc.constantFrom('', 'PK\u0003\u0004', '\u00d0\u00cf\u0011\u00e0', '\u00ff\u00fe'),
      async (bytes, magic) => {
        const file = join(folder, 'lista.csv');
        writeFileSync(file, Buffer.concat([Buffer.from(magic, 'latin1'), bytes]));
        const { code, stderr } = await runLine(`reconcile ${file} --rut ${RUT} --lake ${lake}`);
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: expect.stringContaining('is no list of receipts'),
        });
      },
    ),
    campaign<fc.Parameters<unknown>>({
      quick: { numRuns: 8 },
      long: { interruptAfterTimeLimit: 30_000, numRuns: 100_000 },
    }),
  );
});
