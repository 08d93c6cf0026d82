import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = resolve('scripts/installed.mjs');
const HERE = { os: process.platform, cpu: process.arch, optional: true };
/** A module that replaces Node's version before the script is loaded. */
const versionOf = (node: string) =>
  `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${node}' })`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-installed-'));
  const packages = {
    '': {},
    'node_modules/@a/binary-here': HERE,
    'node_modules/node-here': { ...HERE, os: [process.platform], bin: { node: 'bin/node' } },
    'node_modules/a-tool': { ...HERE, dev: true },
    'node_modules/elsewhere': { ...HERE, os: 'plan9' },
    'node_modules/other-cpu': { ...HERE, cpu: ['pdp11'] },
    'node_modules/other-libc': { ...HERE, libc: ['uclibc'] },
  };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  await mkdir(join(folder, 'node_modules/@a/binary-here'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

function runScript(node: string, env: NodeJS.ProcessEnv = {}): Promise<{ code: number; stderr: string }> {
  return new Promise((done) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
    execFile(process.execPath, ['--import', versionOf(node), SCRIPT], options, (error, _stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stderr }),
    );
  });
}

it('refuses an installation that lacks a package of this platform, which npm leaves out in silence', async () => {
  const { code, stderr } = await runScript('24.21.0');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Not installed: node-here\. Its content was not what package-lock\.json says.*\n$/);
});

it('says in one line that the machine’s Node is too old, where npm brings none', async () => {
  const { code, stderr } = await runScript('20.20.2', { npm_config_omit: 'optional' });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^cfe-lake runs on Node 22\\.19 .* 20\\.20\\.2, .* ${process.platform} ${process.arch}.*\\n$`),
  );
});

it.each(['22.19.0', '26.10.0'])('uses the machine’s Node %s, where npm brings none', async (node) => {
  expect(await runScript(node, { npm_config_omit: 'optional' })).toEqual({ code: 0, stderr: '' });
});

it.skipIf(process.platform === 'win32')(
  'links the Node that was brought, where npm did not, and drops its headers',
  async () => {
    await mkdir(join(folder, 'node_modules/node-here/bin'), { recursive: true });
    await writeFile(join(folder, 'node_modules/node-here/bin/node'), '');
    await mkdir(join(folder, 'node_modules/node-here/include/node'), { recursive: true });
    for (const _again of [1, 2]) expect(await runScript('20.20.2')).toEqual({ code: 0, stderr: '' });
    expect(await readlink(join(folder, 'node_modules/.bin/node'))).toBe('../node-here/bin/node');
    expect(await readdir(join(folder, 'node_modules/node-here'))).toEqual(['bin']);
  },
);
