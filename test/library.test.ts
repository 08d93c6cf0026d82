import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as library from '../lib/index.ts';
import * as cdk from '../lib/stack/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { startHttpServer } from './support/api/http-server.ts';
import { runMain } from './support/program/run-main.ts';
import { endOf } from './support/program/run-program.ts';

const DAY = '2026-11-19';
const FILTERS = { FechaDesde: DAY, FechaHasta: DAY };

const COMPANY = { rut: '219999830019', token: 'a-token' };

/** The address of a service that has receipts with these ids. */
async function serviceWithIds(ids: readonly string[]): Promise<string> {
  const server = await startHttpServer(({ path, query }) => {
    if (!path.endsWith('/emitidos')) return { body: `{"id":${path.split('/').at(-1)},"whole":true}` };
    const [pageNumber, size] = [Number(query.get('pageNumber')), Number(query.get('pageSize'))];
    const items = ids.slice((pageNumber - 1) * size, pageNumber * size).map((id) => `{"id":${id}}`);
    return { body: `{"page_number":${pageNumber},"page_size":${items.length},"items":[${items}]}` };
  });
  return server.address.href;
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;
type Loose = Record<'list' | 'first' | 'detail' | 'legacyList', Method>;

/** As plain JavaScript sees it: with any arguments. */
function loose(of: library.ReceiptsApi): Loose {
  const method =
    (name: keyof Loose): Method =>
    (...given) =>
      Reflect.apply(of[name], of, given);
  return {
    list: method('list'),
    first: method('first'),
    detail: method('detail'),
    legacyList: method('legacyList'),
  };
}

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

  it('names and reads receipts whose ids are past 2^53', async () => {
    const ids = ['9007199254740993', '9223372036854775807', '7'];
    const large = new library.ReceiptsApi({ ...COMPANY, address: await serviceWithIds(ids) });
    onTestFinished(() => large.close());
    const { items } = await large.list('emitidos', FILTERS);
    expect(items.map(({ id }) => `${id}`)).toEqual(ids);
    const whole = await Promise.all(items.map(({ id }) => large.detail('emitidos', id)));
    expect(whole.map(library.exactJson)).toEqual(ids.map((id) => `{"id":${id},"whole":true}`));
  });

  it('is used as docs/library.md shows, also where ids are past 2^53', async () => {
    const ids = ['9007199254740993', '8'];
    const document = await readFile('docs/library.md', 'utf8');
    const sample = /```ts\n(import \{ exactJson.*?)\nconst lake/s.exec(document)?.[1] ?? '';
    const code = `const myToken = async () => 'a-token';\n${sample}`
      .replace("'cfe-lake'", `'${new URL('../lib/index.ts', import.meta.url)}'`)
      .replace('https://…', await serviceWithIds(ids));
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code]);
    expect(await endOf(child)).toEqual({
      code: 0,
      stderr: '',
      stdout: `${ids.map((id) => `${id}: {"id":${id},"whole":true}\n`).join('')}true\n`,
    });
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

  it.each<[string, (given: Loose) => unknown, string]>([
    ['no direction', ({ list }) => list(), "The direction must be 'recibidos' or 'emitidos'"],
    ['another one', ({ list }) => list('issued', {}), "The direction must be 'recibidos' or 'emitidos'"],
    ['no filters', ({ list }) => list('emitidos'), 'The filters must be an object'],
    ['a day as filters', ({ first }) => first('emitidos', DAY, 5), 'The filters must be an object'],
    ['a list as filters', ({ list }) => list('emitidos', []), 'The filters must be an object'],
    ['null as filters', ({ legacyList }) => legacyList('emitidos', null), 'The filters must be an object'],
    ['no limit', ({ first }) => first('emitidos', {}), 'The limit must be an integer from 1 on'],
    ['half a row', ({ first }) => first('emitidos', {}, 0.5), 'The limit must be an integer from 1 on'],
    ['no id', ({ detail }) => detail('emitidos'), 'The id must be an integer of up to 64 bits'],
    ['a word as id', ({ detail }) => detail('emitidos', 'A-7'), 'The id must be an integer of up to 64 bits'],
    ['a receipt as id', ({ detail }) => detail('emitidos', { id: 7 }), 'The id must be an integer'],
    ['a rounded id', ({ detail }) => detail('emitidos', 2 ** 53), 'The id must be an integer'],
    ['no signal', ({ list }) => list('emitidos', {}, 'stop'), 'The signal must be an AbortSignal'],
  ])('says what a wrong argument must be: %s', async (_what, call, expected) => {
    const error: unknown = await Promise.resolve(call(loose(api))).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(library.CfeLakeError);
    expect(error).toMatchObject({ name: 'WrongArgumentError', message: expect.stringContaining(expected) });
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'The options must be an object'],
    ['no address', { ...COMPANY }, 'The address must be text'],
    [
      'a number as RUT',
      { ...COMPANY, address: 'https://a.example', rut: 219999830019 },
      'The rut must be text',
    ],
    ['no token', { address: 'https://a.example', rut: COMPANY.rut }, 'The token must be text'],
    ['an empty token', { ...COMPANY, address: 'https://a.example', token: '' }, 'The token must be text'],
    [
      'none at once',
      { ...COMPANY, address: 'https://a.example', requestsAtOnce: 0 },
      'requestsAtOnce must be an integer',
    ],
    [
      'no time',
      { ...COMPANY, address: 'https://a.example', requestTimeoutMs: '1s' },
      'requestTimeoutMs must be an integer',
    ],
  ])('says what a wrong option must be: %s', (_what, options, expected) => {
    const make = () => Reflect.construct(library.ReceiptsApi, [options]);
    expect(make).toThrow(expect.objectContaining({ name: 'WrongArgumentError' }));
    expect(make).toThrow(expected);
  });

  it('says what the function of a token must give', async () => {
    const address = await serviceWithIds(['7']);
    const api = Reflect.construct(library.ReceiptsApi, [
      { ...COMPANY, address, token: async () => undefined },
    ]);
    onTestFinished(() => api.close());
    await expect(api.first('emitidos', {}, 1)).rejects.toThrow('The token must be text');
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

  it('says what a wrong argument must be', async () => {
    expect(() => Reflect.construct(library.LakeReader, [])).toThrow('The address must be text');
    const lake = new library.LakeReader(folder);
    const query = (...given: readonly unknown[]) => Reflect.apply(lake.query, lake, given);
    await expect(query()).rejects.toThrow('The question must be text');
    await expect(query('SELECT 1', DAY)).rejects.toThrow('The days must be an object');
    await expect(query('SELECT 1', null)).rejects.toMatchObject({ name: 'WrongArgumentError' });
  });

  it('says where there is no lake', async () => {
    await expect(
      new library.LakeReader(join(folder, 'none')).query('SELECT 1 FROM recibidos'),
    ).rejects.toThrow(/There is no lake/);
  });
});
