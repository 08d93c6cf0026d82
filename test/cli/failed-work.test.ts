import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { type Column, RECIBIDOS } from '../../lib/lake/tables.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { type Ended, runMain, wordsOf } from '../support/program/run-main.ts';

const RUT = '219999830019';
const DAY = '2026-11-19';
const TOKEN = 'a-token-that-nobody-may-see';

let folder: string;
let companies: string;
let sandbox: Sandbox;
const servers: Server[] = [];
beforeAll(async () => {
  skipWaits();
  folder = sharedFolder();
  companies = writeCompanies(folder, [{ rut: RUT, token: TOKEN, name: 'Uno' }]);
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 3 });
});
beforeEach(skipWaits);
afterAll(async () => {
  await sandbox.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** No waits between attempts. */
function skipWaits(): void {
  vi.spyOn(systemClock, 'sleep').mockResolvedValue();
}

function exportFrom(api: string, ...words: string[]) {
  const lake = join(folder, `lake-${Math.random().toString(36).slice(2)}`);
  const common = ['--date', DAY, '--companies', companies, '--lake', lake];
  return runMain('export', '--api', api, ...common, ...words);
}

const WEB_PAGE = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' };

/** A server's answer to every request. */
type Trouble = { status: number; headers?: Record<string, string>; body?: string };

/** Each API is asked six times, so all exports run at once, before the tests. */
const TROUBLES: [string, Trouble | undefined, RegExp][] = [
  ['nothing listens', undefined, /nothing listens at that address and port, ECONNREFUSED.* Check the API/],
  ['a web page', WEB_PAGE, /it is a web page, not JSON .* Check the API address/],
  ['401', { status: 401, body: '{}' }, /refused the token \(status 401\)\. Renew the token/],
  ['502', { status: 502, body: '<html>' }, /status 502.* when the API has recovered/],
];

/** The address of a server for the whole file. Without trouble, port 1, where nothing listens. */
async function troubledApi(trouble: Trouble | undefined): Promise<string> {
  if (trouble === undefined) return 'http://127.0.0.1:1';
  const server = createServer((_request, response) => {
    response.writeHead(trouble.status, trouble.headers).end(trouble.body);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('an API in trouble: both lists fail for one reason, told once, with exit code 1 and no token', () => {
  const ends = new Map<string, Ended>();
  beforeAll(async () => {
    await Promise.all(
      TROUBLES.map(async ([name, trouble]) => {
        ends.set(name, await exportFrom(await troubledApi(trouble)));
      }),
    );
  });

  it.each(TROUBLES)('%s', (name, _trouble, reason) => {
    const { code, stdout = '', stderr } = ends.get(name) ?? {};
    const [, failures = ''] = stdout.split('Failed: 2\n');
    const [first = '', second] = failures.split('\n');
    expect(first).toMatch(`  ${DAY} emitidos and recibidos of ${RUT}: `);
    expect(first).toMatch(reason);
    expect(second).toBe('');
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).not.toContain(TOKEN);
  });
});

it('tokens that have expired are named before the work begins', async () => {
  const claims = Buffer.from(JSON.stringify({ exp: 1_700_000_000 })).toString('base64url');
  const file = join(folder, 'expired.json');
  await writeFile(file, JSON.stringify({ [RUT]: `e30.${claims}.x` }), { mode: 0o600 });
  const lake = join(folder, 'expired');
  const { code, stderr } = await runMain(
    ...['export', '--api', sandbox.url, '--date', DAY, '--companies', file, '--lake', lake],
  );
  expect(stderr).toMatch(/^The token of 219999830019 expired at 2023-11-14T19:13:20 \(Uruguay\): renew it/);
  expect(stderr).not.toContain(claims);
  expect(code).toBe(1);
});

it('--json prints a document when units fail, and nothing on stdout when nothing could begin', async () => {
  const { code, stdout } = await exportFrom('http://127.0.0.1:1', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { fallido: 2 }, units: [{ error: /./ }, {}] });
  const wrong = await exportFrom('nowhere', '--json');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
});

describe('a file of the lake', () => {
  const NEWER: Column = { name: 'pais', type: 'string', meaning: 'A column of tomorrow' };

  it.each([
    ['of a newer version', [...RECIBIDOS.columns, NEWER], /does not know \(pais\).*Update this program/],
    ['of another program', [NEWER], /has no column id, so another program wrote it\. Restore a copy/],
    ['that is damaged', 'PAR1 and then nothing', /is damaged, or not a Parquet file: .* Restore a copy/],
  ] satisfies [string, readonly Column[] | string, RegExp][])(
    '%s is left as it is, and named',
    async (name, content, message) => {
      const lake = join(folder, name.replaceAll(' ', '-'));
      const words = wordsOf(`--api ${sandbox.url} --date ${DAY} --rut ${RUT} --direction recibidos`);
      words.push('--lake', lake);
      expect((await runMain('export', ...words)).code).toBe(0);
      const key = unitKey('recibidos', DAY, RUT);
      const path = join(lake, key);
      if (typeof content === 'string') await writeFile(path, content, { mode: 0o600 });
      else {
        const store = new FolderStore(lake);
        const row = { ...Object.fromEntries(content.map((column) => [column.name, null])), rut: RUT, id: 1n };
        const bytes = writeWithHyparquet({ columns: content, rows: rowsOf(content, [row]), metadata: {} });
        await store.replace(key, bytes, { metadata: {}, expected: await store.find(key) });
      }
      const before = await readFile(path);
      const { code, stdout } = await runMain('export', ...words);
      expect(stdout).toMatch(`Failed: 1\n  ${DAY} recibidos of ${RUT}: ${key} in ${lake} `);
      expect(stdout).toMatch(message);
      expect(code).toBe(1);
      expect(await readFile(path)).toEqual(before);
      expect((await runMain('verify', ...words)).stdout).toMatch(message);
    },
  );

  it('of the audit that is damaged is named by missing and coverage', async () => {
    const lake = join(folder, 'audit');
    const words = ['--api', sandbox.url, '--date', DAY, '--rut', RUT, '--lake', lake];
    expect((await runMain('export', ...words)).code).toBe(0);
    const store = new FolderStore(lake);
    for await (const key of store.list('exportaciones')) await writeFile(join(lake, key), 'half of');
    for (const words of [['missing', '--api', sandbox.url], ['coverage']]) {
      const { code, stderr } = await runMain(...words, '--lake', lake, '--from', DAY, '--to', DAY);
      expect(stderr).toMatch(
        /^cfe-lake: exportaciones\/.* is damaged, or not a Parquet file: .* Restore a copy.*\n$/,
      );
      expect(code).toBe(1);
    }
  });

  it('of recorded changes that are damaged is named by export', async () => {
    const lake = join(folder, 'changes');
    const words = ['export', '--api', sandbox.url, '--date', DAY, '--rut', RUT, '--lake', lake];
    const part = join(
      lake,
      `.open-runs/2026-11-19/20261119020000-00000001/cambios/${RUT}-emitidos-2026-11-18-${'0'.repeat(32)}.parquet`,
    );
    await mkdir(dirname(part), { recursive: true });
    await writeFile(part, 'half of');
    const { code, stderr } = await runMain(...words);
    expect(stderr).toMatch(/^cfe-lake: \.open-runs\/.*cambios.* is damaged, or not a Parquet file: .*$/m);
    expect(code).toBe(1);
  });
});

it('sandbox says which port is taken', async () => {
  const { code, stderr } = await runMain('sandbox', '--port', new URL(sandbox.url).port);
  expect(stderr).toMatch(/^cfe-lake: Port \d+ is taken \(EADDRINUSE\); give another with --port N.*\n$/);
  expect(code).toBe(2);
  const spanish = await runMain('sandbox', '--port', new URL(sandbox.url).port, '--lang', 'es');
  expect(spanish.stderr).toMatch(/^cfe-lake: El puerto \d+ está ocupado \(EADDRINUSE\).*\n$/);
});
