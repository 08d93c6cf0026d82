import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, wordsOf } from '../support/program/run-main.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, RUT } from '../support/query/made-receipts.ts';

/** Whatever receipts hold: what a close has written, it reads. */

const OTHER = '219999830019';
const DAY = '2026-10-05';
const VAT = '{"moneda":"UYU","mnt_neto_iva_tasa_basica":100,"mnt_iva_tasa_basica":22}';
const sound = { ...issued(DAY, 'B1', { totales_total: '122.00' }), rut: OTHER };
const ofSound = { ...detail(sound, { totales: VAT }), rut: OTHER };

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') }));

/** Closes October of a lake with one more sound company. */
async function closer(rows: Readonly<Record<string, readonly MadeRow[]>>) {
  const [out, folder] = [newFolder(), newFolder()];
  const { emitidos = [], emitidos_detalle = [], ...others } = rows;
  const lists = { emitidos: [...emitidos, sound], emitidos_detalle: [...emitidos_detalle, ofSound] };
  await madeLakeFolder({ ...others, ...lists }, folder);
  const close = (accepted: string) => {
    const words = wordsOf(`close --month 2026-10 --rut ${RUT} --rut ${OTHER} --accept ${accepted}`);
    return runMain(...words, '--out', out, '--lake', folder);
  };
  const asked = (...words: string[]) => runMain('query', ...words, '--close', out, '--month', '2026-10');
  return { out, close, asked };
}

it('a currency that a receipt calls “todas” is a row beside the totals, and lacks a rate', async () => {
  const odd = issued(DAY, 'A1', { totales_total: '122.00' });
  const { close, asked } = await closer({
    emitidos: [odd],
    emitidos_detalle: [detail(odd, { totales: VAT.replace('UYU', 'todas') })],
  });
  const refused = await close('days');
  expect(refused.stdout).toMatch(new RegExp(`^${RUT}: refused\\. rates: 1 comprobante sin tipo`, 'm'));
  expect((await close('days,rates')).stdout).toMatch(new RegExp(`^${RUT}: closed`, 'm'));
  const { code, stdout } = await asked('--named', 'posicion-iva', '--rut', RUT, '--format', 'csv');
  expect({ code, moneda: stdout.split('\r\n').map((line) => line.split(',')[3]) }).toEqual({
    code: 0,
    moneda: ['moneda', '"""todas"""', 'todas', 'todas'],
  });
  const again = await close('days,rates');
  expect(again.stdout).toMatch(new RegExp(`^${RUT}: nothing differs`, 'm'));
});

it('is not kept where its reader would refuse it: the company fails by name, and no other', async () => {
  // Most of 64 MB are of one text, which compresses.
  const receipts = Array.from({ length: 34 }, (_, at) => issued(DAY, `A${at}`, { totales_total: '122.00' }));
  const items = JSON.stringify([{ nombre: 'x'.repeat(2 * 2 ** 20) }]);
  const { out, close, asked } = await closer({
    emitidos: receipts,
    emitidos_detalle: receipts.map((receipt) => detail(receipt, { totales: VAT, items })),
  });
  vi.stubEnv('TMPDIR', newFolder());
  const { code, stdout } = await close('days,gaps');
  expect(code).toBe(1);
  expect(stdout).toMatch(
    new RegExp(
      `^${RUT}: failed\\. The close was not kept, because nothing could ask it later: emitidos_detalle\\.parquet has texts of 68\\.\\d MB, .*query --named`,
      'm',
    ),
  );
  expect(stdout).toMatch(new RegExp(`^${OTHER}: closed`, 'm'));
  expect(readdirSync(join(out, RUT))).toEqual([]);
  expect(readdirSync(process.env.TMPDIR ?? '')).toEqual([]);
  expect((await asked('--named', 'libro-iva-ventas')).code).toBe(0);
});

it('has a name that is no longer than names are', async () => {
  const named = { ...sound, rut: RUT };
  const empresa = `Almacén ${'Ñ'.repeat(150_000)}`;
  const read = {
    rut: RUT,
    estado: 'exportado',
    filas: 1,
    direccion: 'emitidos',
    fecha: DAY,
    fecha_corrida: '2026-11-10',
    corrida: 'night',
    inicio: '2026-11-10T02:00:00',
    fin: '2026-11-10T02:00:00',
    empresa,
  };
  const { out, close, asked } = await closer({
    emitidos: [named],
    emitidos_detalle: [{ ...ofSound, rut: RUT }],
    exportaciones: [read],
  });
  const { stdout } = await close('days');
  expect(stdout.slice(0, 300)).toMatch(new RegExp(`^${RUT} Almacén Ñ+…: closed`, 'm'));
  const index = join(out, RUT, '2026-10', 'cierre.json');
  expect(existsSync(index)).toBe(true);
  const { name } = JSON.parse(readFileSync(index, 'utf8'));
  expect(name).toHaveLength(200);
  expect(empresa.startsWith(name.slice(0, -1))).toBe(true);
  expect((await asked('--named', 'libro-iva-ventas', '--rut', RUT)).code).toBe(0);
});
