import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExactJson } from '../../lib/text/exact-json.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { rewritten } from '../support/api/faults.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain } from '../support/program/run-main.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const RUT = '219999830019';
const DAY = '2026-11-19';
const AMOUNT = '123456789012345.67';

let sandbox: Sandbox;
let first: SandboxReceipt;
beforeAll(async () => {
  sandbox = await startSandbox({
    now: '2026-11-20T23:00:00',
    receiptsPerDay: 300,
    // An amount of 17 digits, and a field that the contract does not name.
    behaviour: {
      intercept: rewritten((body) =>
        body.replace(/"totales":\{"total":[\d.]+/, `"canal":{"n":1.50},"totales":{"total":${AMOUNT}`),
      ),
    },
  });
  const [receipt] = sandbox.truth(RUT, 'emitidos', DAY);
  if (receipt === undefined) throw new Error('there is no receipt');
  first = receipt;
});
afterAll(() => sandbox.close());

function list(...words: string[]) {
  return runMain('list', ...words, '--rut', RUT, '--api', sandbox.url);
}

function show(direction: string, id: unknown, ...words: string[]) {
  return runMain('show', direction, String(id), ...words, '--rut', RUT, '--api', sandbox.url);
}

describe('list', () => {
  it('shows 100 receipts, and says that there are more', async () => {
    const { code, stdout, stderr } = await list('emitidos', '--date', DAY);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'There are more than 100: --limit N shows more of them.\n',
    });
    expect(stdout).toMatch(/^ *id {2}tipo_comprobante {2}serie /);
    expect(stdout).toMatch(/\n\(100 rows\)\n$/);
  });

  it.each([
    [
      ['--filter', 'EstadoDgi=XX'],
      'Nobody has seen the status "XX" (EstadoDgi); seen are AE, BE, CE, FE, NE.',
    ],
    [
      ['--filter', 'EstadoDgi=be'],
      'Nobody has seen the status "be" (EstadoDgi); seen are AE, BE, CE, FE, NE. Did you mean BE?',
    ],
  ])('warns of a status that nobody has seen, and asks for it: %j', async (words, warning) => {
    const asked = await list('emitidos', '--date', DAY, '--limit', '1', ...words);
    expect(asked).toMatchObject({ code: 0, stderr: `Warning: ${warning}\n` });
    const known = await list('emitidos', '--date', DAY, '--limit', '100', '--filter', 'EstadoDgi=BE');
    expect(known.stderr).toBe('');
  });

  it.each([[], ['--legacy']])(
    'has every digit of ids and amounts as JSON, as the API wrote them: %j',
    async (...legacy) => {
      const { code, stdout } = await list('emitidos', '--date', DAY, '--limit', '2', '--json', ...legacy);
      expect(code).toBe(0);
      expect(stdout).toContain(`"totales":{"total":${AMOUNT},`);
      const document = parseExactJson(stdout);
      expect(document).toMatchObject({
        rut: RUT,
        direction: 'emitidos',
        list: legacy.length === 0 ? 'v2' : 'legacy',
        hasMore: true,
        items: [{ tipo_comprobante: first.tipo_comprobante, numero: first.numero, canal: { n: 1.5 } }, {}],
      });
      expect(stdout).toContain(`\n{"id":${first.id},"tipo_comprobante":`);
    },
  );

  it('has them in CSV and in a workbook, with what no column takes in otros', async () => {
    const { stdout } = await list('emitidos', '--date', DAY, '--limit', '1', '--csv');
    const [head, row] = stdout.split('\r\n');
    expect(head).toMatch(/^id,tipo_comprobante,serie,numero,.*,estado_dgi_codigo,(.*,)?otros$/);
    expect(row).toMatch(new RegExp(`^${first.id},.*,${AMOUNT},.*,"\\{""canal"":\\{""n"":1.5\\}\\}"\n$`));
    const file = join(newFolder(), 'list.xlsx');
    expect((await list('emitidos', '--date', DAY, '--limit', '1', '--out', file)).code).toBe(0);
    const [sheet] = readWorkbook(readFileSync(file));
    expect(sheet?.cells.get('A2')).toMatchObject({ type: 's', value: String(first.id) });
    expect([...(sheet?.cells.values() ?? [])].find(({ value }) => value === AMOUNT)).toMatchObject({
      isFilled: true,
    });
  });

  it.each([
    [['list', 'emitidos'], /Whose receipts\? Add --rut RUT; known: 219999830019, /],
    [['list', 'emitidos', '--json', '--csv'], /Give only one of --json, --csv and --format F\./],
    [['list', 'emitidos', '--format', 'parquet'], /Allowed choices are table, csv, json, xlsx\./],
    [['list', 'emitidos', '--out', 'x.parquet'], /Parquet is for query/],
    [['list', 'emitidos', '--date', DAY, '--month', '2026-11'], /either --date D, or --month YYYY-MM/],
    [['show', 'emitidos', '9223372036854775808'], /"9223372036854775808" is not an id/],
  ])('%j is told what to type, with exit code 2', async (words, message) => {
    const { code, stdout, stderr } = await runMain(...words, '--api', sandbox.url);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('show', () => {
  it('shows one receipt whole, value by value', async () => {
    const { code, stdout } = await show('emitidos', first.id, '--csv');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\r\n');
    expect(lines.slice(0, 3)).toEqual([
      'campo,valor',
      `id,${first.id}`,
      `tipo_comprobante,${first.tipo_comprobante}`,
    ]);
    expect(lines).toContain(`emisor.ruc,${RUT}`);
    expect(lines.some((line) => line.startsWith('items[1].'))).toBe(true);
  });

  it('has it as JSON, number by number', async () => {
    const { stdout } = await show('emitidos', first.id, '--json');
    expect(stdout.trimEnd()).toBe(sandbox.detail(first));
  });

  it('of an id that the company does not have, or not in this direction, fails with 1 and says so', async () => {
    for (const [direction, id] of [
      ['emitidos', 7],
      ['recibidos', first.id],
    ] as const) {
      const { code, stdout, stderr } = await show(direction, id);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /status 404 \(asked once\)\. The company has no receipt with this id, or not in this direction\.\n$/,
      );
    }
  });
});

describe('list and show fail like every command', () => {
  it.each([
    ['list', 'recibidos'],
    ['list', 'recibidos', '--legacy'],
    ['show', 'recibidos', '7'],
  ])('%j with a token that is refused: exit code 1, and no token anywhere', async (...words) => {
    const [company] = sandboxCompanies(1);
    const token = 'not-a-token-that-works-anywhere';
    const file = writeCompanies(newFolder(), [{ ...company, token }]);
    const { code, stdout, stderr } = await runMain(...words, '--companies', file, '--api', sandbox.url);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the API refused the token (status 401)');
    expect(stderr).not.toContain(token);
  });

  it('refuse a received receipt of another company', async () => {
    const other = await startSandbox({
      now: '2026-11-20T23:00:00',
      behaviour: {
        intercept: rewritten((body) => body.replace(`"nro_doc":"${RUT}"`, '"nro_doc":"214844360018"')),
      },
    });
    try {
      const words = ['list', 'recibidos', '--rut', RUT, '--date', DAY, '--api', other.url];
      const { code, stdout, stderr } = await runMain(...words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('has another company as its recipient');
      const [{ id } = { id: 0 }] = other.truth(RUT, 'recibidos', DAY);
      for (const format of ['--json', '--csv']) {
        const shown = await runMain(
          'show',
          'recibidos',
          String(id),
          format,
          '--rut',
          RUT,
          '--api',
          other.url,
        );
        expect(shown).toMatchObject({ code: 1, stdout: '' });
        expect(shown.stderr).toContain('has another company as its recipient');
      }
    } finally {
      await other.close();
    }
  });
});
