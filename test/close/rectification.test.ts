import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { centsText } from '../support/query/exact-sums.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, GONE, issued, RUT, received } from '../support/query/made-receipts.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') }));
afterAll(() => void vi.useRealTimers());

/** A receipt as its line in a book should be; `vat` in cents, the total is net and VAT. */
interface Line {
  row: MadeRow;
  book: 'libro-iva-ventas' | 'libro-iva-compras';
  vat: bigint;
  total: bigint;
  /** Thousandths of a peso. */
  rate: bigint;
}

function lineOf(row: MadeRow, book: Line['book'], net: number, rate = 1000): Line {
  const vat = BigInt(net * 22);
  const total = BigInt(net * 100) + vat;
  return { row: { ...row, totales_total: centsText(total) ?? '' }, book, vat, total, rate: BigInt(rate) };
}

function detailOf({ row, vat, rate }: Line): MadeRow {
  const totales = {
    moneda: row.moneda ?? (rate === 1000n ? 'UYU' : 'USD'),
    ...(rate !== 1000n && { tipo_cambio: Number(rate) / 1000 }),
    mnt_neto_iva_tasa_basica: Number(vat) / 22,
    mnt_iva_tasa_basica: Number(vat) / 100,
  };
  return detail(row, { totales: JSON.stringify(totales) });
}

async function lakeOf(lines: readonly Line[], folder: string): Promise<void> {
  const of = (book: Line['book']) => lines.filter((line) => line.book === book);
  const tables = { emitidos: of('libro-iva-ventas'), recibidos: of('libro-iva-compras') };
  await madeLakeFolder(
    {
      emitidos: tables.emitidos.map(({ row }) => row),
      emitidos_detalle: tables.emitidos.map(detailOf),
      recibidos: tables.recibidos.map(({ row }) => row),
      recibidos_detalle: tables.recibidos.map(detailOf),
    },
    folder,
  );
}

const sold = (day: string, number: string, net: number, rate?: number) =>
  lineOf(issued(day, number, { tipo_comprobante: 111 }), 'libro-iva-ventas', net, rate);
const bought = (day: string, number: string, net: number) =>
  lineOf(received(day, number), 'libro-iva-compras', net);
const withRow = (line: Line, rest: MadeRow): Line => ({ ...line, row: { ...line.row, ...rest } });

const same = sold('2026-10-02', 'A1', 1_000);
const rejected = sold('2026-10-05', 'A2', 250);
const dollars = sold('2026-10-31', 'A3', 40, 40_125);
const vanished = bought('2026-10-07', 'B1', 90);
const kept = bought('2026-10-08', 'B2', 10);
const restated = bought('2026-10-09', 'B3', 55);
const DECLARED = [same, rejected, dollars, vanished, kept, restated];

const late = [
  bought('2026-10-07', 'C1', 500),
  bought('2026-10-30', 'C2', 7),
  sold('2026-10-31', 'C3', 3, 41_000),
];
const changed = lineOf(restated.row, 'libro-iva-compras', 60);
const NOW = [
  ...[same, dollars, kept, changed, ...late],
  withRow(rejected, { estado_dgi_codigo: 'BE' }),
  withRow(vanished, GONE),
];

const counts = ({ row }: Line) => row.estado_dgi_codigo !== 'BE' && row.visto_por_ultima_vez === undefined;
const pesos = (amount: bigint, rate: bigint) => (amount * rate + 500n) / 1000n;

/** By plain code: what was declared and is not stated so any more. */
function expectedRows(): Record<string, string | null>[] {
  const before = new Map(DECLARED.map((line) => [line.row.id, line]));
  const after = new Map(NOW.filter(counts).map((line) => [line.row.id, line]));
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  return ids.flatMap((id) => {
    const [declared, now] = [before.get(id), after.get(id)];
    if (declared?.total === now?.total) return [];
    const amounts = (of: (line: Line) => bigint, name: string) => ({
      [`${name}_declarado`]: centsText(declared === undefined ? null : of(declared)),
      [`${name}_actual`]: centsText(now === undefined ? null : of(now)),
      [`${name}_diferencia`]: centsText(
        (now === undefined ? 0n : of(now)) - (declared === undefined ? 0n : of(declared)),
      ),
    });
    return [
      {
        id: String(id),
        cambio: declared === undefined ? 'aparecio' : now === undefined ? 'ya no cuenta' : 'cambio',
        ...amounts(({ total }) => total, 'total'),
        ...amounts(({ vat }) => vat, 'iva'),
        ...amounts(({ total, rate }) => pesos(total, rate), 'total_pesos'),
        ...amounts(({ vat, rate }) => pesos(vat, rate), 'iva_pesos'),
      },
    ];
  });
}

describe('what changed since a close that was kept', () => {
  let lake: string;
  let out: string;
  beforeAll(async () => {
    [lake, out] = [sharedFolder(), sharedFolder()];
    await lakeOf(DECLARED, lake);
    const words = ['--month', '2026-10', '--rut', RUT, '--out', out, '--lake', lake];
    const { code, stderr } = await runMain('close', ...words, '--accept', 'days');
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    await lakeOf(NOW, lake);
  });

  const asked = async (...more: string[]) => {
    const words = [
      '--named',
      'changes-since-close',
      '--month',
      '2026-10',
      '--lake',
      lake,
      '--format',
      'json',
    ];
    return await runMain('query', ...words, ...more);
  };

  it('is told receipt by receipt, three late ones and a change of status among them, and summed up', async () => {
    const { stdout, stderr } = await asked('--close', out, '--rut', RUT);
    const text = stdout.replace(/:(-?[\d.]+)/g, ':"$1"');
    const rows: Record<string, string | null>[] = JSON.parse(text);
    const receipts = rows.filter(({ id }) => id !== null);
    const expected = expectedRows();
    expect(expected.map(({ cambio }) => cambio).sort()).toEqual([
      ...['aparecio', 'aparecio', 'aparecio', 'cambio', 'ya no cuenta', 'ya no cuenta'],
    ]);
    const byId = (a: Record<string, string | null>, b: Record<string, string | null>) =>
      Number(a.id) - Number(b.id);
    expect(receipts.sort(byId)).toEqual(expected.sort(byId).map((row) => expect.objectContaining(row)));
    expect(stderr).not.toContain('is taken to be');
    const totals = rows.filter(({ id }) => id === null);
    const of = (lines: readonly Line[], book: Line['book'], isForeign: boolean) =>
      lines
        .filter((line) => counts(line) && line.book === book && (line.rate !== 1000n) === isForeign)
        .reduce((sum, { vat }) => sum + vat, 0n);
    const groups = [
      ['libro-iva-compras', 'UYU'],
      ['libro-iva-ventas', 'USD'],
      ['libro-iva-ventas', 'UYU'],
    ] as const;
    expect(
      totals.map((row) => [row.libro, row.moneda, row.iva_declarado, row.iva_actual, row.iva_diferencia]),
    ).toEqual(
      groups.map(([book, currency]) => {
        const [before, after] = [DECLARED, NOW].map((lines) => of(lines, book, currency === 'USD'));
        return [
          book,
          currency,
          ...[before, after, (after ?? 0n) - (before ?? 0n)].map((sum) => centsText(sum ?? 0n)),
        ];
      }),
    );
  });

  it('stands in the report, with the sums of a rectification', async () => {
    const words = ['report', '--rut', RUT, '--month', '2026-10', '--lake', lake, '--json'];
    const { stdout } = await runMain(...words, '--close', out);
    const { parts, changesSinceClose } = JSON.parse(stdout);
    expect(changesSinceClose).toBe(expectedRows().length);
    expect(parts.cambios.map((row: Record<string, string>) => row['IVA, diferencia']).sort()).toEqual(
      expectedRows()
        .map((row) => row.iva_diferencia)
        .sort(),
    );
    expect(parts.rectificacion).toHaveLength(3);
    const page = join(newFolder(), 'page.html');
    const html = ['--html', page];
    await runMain(...words.slice(0, -1), ...html, '--close', out);
    expect(readFileSync(page, 'utf8')).toContain('Rectificación');
    await runMain(...words.slice(0, -1), ...html);
    expect(readFileSync(page, 'utf8')).toContain('Como cierre se toma el 01/11/2026');
    expect(readFileSync(page, 'utf8')).not.toContain('Rectificación');
  });

  it('says which day it takes for a close where none was kept, and refuses one that was altered', async () => {
    expect((await asked()).stderr).toContain('The close is taken to be 2026-11-01');
    const none = await asked('--close', newFolder());
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no close of 2026-10')]);
    const file = join(out, RUT, '2026-10', 'recibidos.parquet');
    chmodSync(file, 0o600);
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('x')]));
    const altered = await asked('--close', out);
    expect([altered.code, altered.stderr]).toEqual([
      2,
      expect.stringContaining('is not as the close wrote it'),
    ]);
  });
});
