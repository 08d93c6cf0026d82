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
  return { close, asked };
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
