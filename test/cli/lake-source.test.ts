import { createHash } from 'node:crypto';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';

const DAY = ['--date', '2026-11-19'];
const RANGE = ['--from', '2026-11-18', '--to', '2026-11-19'];
const MARK = join('.source', 'source.json');

const options = { now: '2026-11-20T03:00:00', receiptsPerDay: 3, behaviour: { lateArrivals: false } };
/** Two services at different addresses. */
const service = await startSandbox(options);
const other = await startSandbox({ ...options, seed: 2 });
/** A lake with the service's receipts of a day. */
const exported = sharedFolder();
expect((await runMain('export', '--api', service.url, '--lake', exported, ...DAY)).code).toBe(0);
afterAll(() => Promise.all([service.close(), other.close()]));

let folder: string;
let before: string;
beforeEach(async () => {
  vi.stubEnv('CFE_LAKE_API', undefined);
  folder = newFolder();
  before = process.cwd();
  process.chdir(folder);
  for (const sandbox of [service, other]) sandbox.resetStats();
});
afterEach(() => void process.chdir(before));

async function markOf(lake: string): Promise<unknown> {
  return JSON.parse(await readFile(join(lake, MARK), 'utf8'));
}

/** Every file of a lake with the hash of its bytes. */
async function contentOf(lake: string): Promise<string[]> {
  const entries = await readdir(lake, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  return await Promise.all(files.sort().map(async (file) => `${file} ${hashOf(await readFile(file))}`));
}

function requests(): number {
  return service.stats().requests + other.stats().requests;
}

describe('the sandbox', () => {
  it('has a marked lake of its own, which is queried where there is no other', async () => {
    const { code, stdout } = await runMain('demo');
    expect(code).toBe(0);
    expect(await readdir('.')).toEqual(['lake-sandbox', 'report-sandbox.html']);
    expect(await markOf('lake-sandbox')).toEqual({ version: 1, sandbox: { seed: '1' } });
    // The suggested command works even if another lake exists by then.
    expect(stdout.match(/query --lake \.\/lake-sandbox "/g)).toHaveLength(2);

    const sql = 'SELECT count(*) > 0 AS some FROM recibidos';
    const asked = await runMain('query', sql, '--format', 'csv');
    expect(asked).toMatchObject({ code: 0, stdout: 'some\r\ntrue\n' });
    expect(asked.stderr).toMatch(/^Using \.\/lake-sandbox: invented receipts of the sandbox\.\n$/);
    expect((await runMain('coverage')).stderr).toMatch(/invented receipts of the sandbox/);
    expect((await runMain('missing')).code).toBe(1);
    expect(await readdir('.')).toEqual(['lake-sandbox', 'report-sandbox.html']);
  });

  it('never touches a lake of a service', async () => {
    await cp(exported, 'real', { recursive: true });
    const content = await contentOf('real');
    const { code, stdout, stderr } = await runMain('missing', '--export', ...RANGE, '--lake', 'real');
    expect(stderr).toMatch(/^cfe-lake: .*(invented|--api).*\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(await contentOf('real')).toEqual(content);
  });
});

describe('another source', () => {
  it.each([['export'], ['missing', '--export'], ['verify']])(
    'is refused before anything is read: %s %s',
    async (...words) => {
      await cp(exported, 'real', { recursive: true });
      const content = await contentOf('real');
      const asked = [...words, '--api', other.url, '--lake', 'real', ...RANGE];
      const { code, stdout, stderr } = await runMain(...asked);
      expect(stderr).toBe(
        `cfe-lake: The receipts of the lake real come from ${service.url}, not from ${other.url}. Nothing was read or ` +
          'written. If that is the same service at a new address, confirm it once with --source-moved (export, or ' +
          'backfill for a deployed stack). Otherwise give another lake, or its address if you know that as your service: tokens go there.\n',
      );
      expect({ code, stdout, requests: requests() }).toEqual({ code: 2, stdout: '', requests: 0 });
      expect(await contentOf('real')).toEqual(content);
    },
  );

  it('may be the same service at a new address, which is said once', async () => {
    await cp(exported, 'real', { recursive: true });
    await writeFile(join('real', MARK), JSON.stringify({ version: 1, api: 'https://before.example' }));
    const realLake = ['--api', service.url, '--lake', 'real', ...DAY];
    const compared = await runMain('verify', ...realLake, '--source-moved');
    expect(compared).toMatchObject({ code: 0, stdout: expect.stringMatching(/Equal: /) });
    expect(await markOf('real')).toEqual({ version: 1, api: 'https://before.example' });
    expect((await runMain('export', ...realLake, '--source-moved')).code).toBe(0);
    expect(await markOf('real')).toEqual({ version: 1, api: service.url });
    await rm(join('real', MARK));
    expect((await runMain('export', ...realLake)).stderr).toMatch(
      /holds receipts, but no mark .* with --adopt-lake /,
    );
    expect((await runMain('export', ...realLake, '--adopt-lake')).code).toBe(0);
    expect(await markOf('real')).toEqual({ version: 1, api: service.url });
  });
});
