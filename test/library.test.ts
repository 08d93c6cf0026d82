import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as library from '../lib/index.ts';
import { type Sandbox, startSandbox } from '../lib/sandbox/sandbox.ts';
import * as cdk from '../lib/stack/index.ts';
import { runMain } from './support/program/run-main.ts';

const DAY = '2026-11-19';
const FILTERS = { FechaDesde: DAY, FechaHasta: DAY };

let sandbox: Sandbox;
let api: library.ReceiptsApi;
beforeAll(async () => {
  sandbox = await startSandbox({
    receiptsPerDay: 40,
    behaviour: { lateArrivals: false, statusFlips: false },
  });
  const [company] = sandbox.companies.filter(({ rut }) => rut === '219999830019');
  if (company === undefined) throw new Error('The sandbox has no such company');
  api = new library.ReceiptsApi({ address: sandbox.url, rut: company.rut, token: company.token });
});
afterAll(async () => {
  await api.close();
  await sandbox.close();
});

it('the package exports this, and nothing else', () => {
  expect(Object.keys(library).sort()).toEqual([
    'ApiError',
    'CfeLakeError',
    'ExactNumber',
    'HttpStatusError',
    'InvalidFilterError',
    'LakeReader',
    'NoAnswerError',
    'ReceiptsApi',
    'UnauthorizedError',
    'exactJson',
    'parseExactJson',
  ]);
  expect(Object.keys(cdk)).toEqual(['CfeLake']);
});

describe('ReceiptsApi', () => {
  it('reads a list to its end, and proves it', async () => {
    const { items, isProved } = await api.list('emitidos', FILTERS);
    expect(isProved).toBe(true);
    expect(items.length).toBeGreaterThan(0);
    expect(await api.legacyList('emitidos', FILTERS)).toHaveLength(items.length);
  });

  it('accepts the filters of a list, and refuses others', async () => {
    const all = await api.list('emitidos', FILTERS);
    const some = await api.list('emitidos', { ...FILTERS, TipoComprobante: [101] });
    expect(some.items.length).toBeLessThan(all.items.length);
    expect(some.items.every(({ tipo_comprobante }) => tipo_comprobante === 101)).toBe(true);
    await expect(api.list('recibidos', { ...FILTERS, FechaDesde: 'yesterday' })).rejects.toThrow(
      library.InvalidFilterError,
    );
  });

  it('looks at the first rows, and says whether there are more', async () => {
    const { items, hasMore } = await api.first('recibidos', FILTERS, 2);
    expect({ count: items.length, hasMore }).toEqual({ count: 2, hasMore: true });
  });

  it('reads a receipt whole', async () => {
    const { items } = await api.first('emitidos', FILTERS, 1);
    const id = String(items[0]?.id);
    expect(await api.detail('emitidos', id)).toMatchObject({ id: items[0]?.id });
    await expect(api.detail('emitidos', 1n)).rejects.toMatchObject({ name: 'HttpStatusError', status: 404 });
  });

  it('asks once more with a new token, and then says that it was refused', async () => {
    const tokens = ['an-old-token', 'no-better-token'];
    const given: string[] = [];
    const options = { address: sandbox.url, rut: '219999830019' };
    const refused = new library.ReceiptsApi({
      ...options,
      token: async () => {
        const token = tokens[given.length] ?? 'none-any-more';
        given.push(token);
        return token;
      },
    });
    const error: unknown = await refused.first('emitidos', FILTERS, 1).catch((reason: unknown) => reason);
    await refused.close();
    expect(error).toBeInstanceOf(library.UnauthorizedError);
    expect(String(error)).not.toMatch(/token-|-token/);
    expect(given).toEqual(tokens);
  });

  it('sends no token where anybody could read it', () => {
    const options = { address: 'http://api.example.invalid', rut: '219999830019', token: 'a-token' };
    expect(() => new library.ReceiptsApi(options)).toThrow(/https:\/\//);
  });
});

describe('LakeReader', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cfe-lake-library-'));
    const { code } = await runMain('export', '--date', DAY, '--lake', folder);
    expect(code).toBe(0);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('answers SQL, amounts to the cent', async () => {
    const lake = new library.LakeReader(folder);
    const sql = "SELECT sum(totales_total) AS total, count(*) AS n FROM recibidos WHERE moneda = 'UYU'";
    const { columns, rows, lagNote } = await lake.query(sql, { from: DAY, to: DAY });
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['total DECIMAL(38,2)', 'n BIGINT']);
    expect(rows[0]?.[0]).toMatch(/^-?\d+\.\d\d$/);
    expect(lagNote).toBeUndefined();
  });

  it('refuses a bound that is no day: as text it would leave days out in silence', async () => {
    const lake = new library.LakeReader(folder);
    const asked = lake.query('SELECT count(*) FROM recibidos', { from: '2026-11-5' });
    await expect(asked).rejects.toMatchObject({
      name: 'InvalidDayError',
      message: "from must be a calendar day, YYYY-MM-DD, not '2026-11-5'.",
    });
  });

  it('says where there is no lake', async () => {
    await expect(
      new library.LakeReader(join(folder, 'none')).query('SELECT 1 FROM recibidos'),
    ).rejects.toThrow(/There is no lake/);
  });
});
