import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Files that users may have in the folder, such as tokens and receipts. */
const PLANTED = [
  'companies.json',
  'firma.companies.json',
  'lib/companies/companies.json',
  'bin/firma.companies.json',
  'lake/recibidos/fecha=2026-11-19/219999830019.parquet',
  'lake/.source/source.json',
  'lake-sandbox/.source/source.json',
  'lake-sandbox-8787/recibidos/fecha=2026-11-19/219999830019.parquet',
  'bin/lake/recibidos/x.parquet',
  'coverage.html',
  'docs/coverage.html',
  'probe.json',
];

/** Some of what `npm run build` makes. */
const BUILT = ['dist/bin/cfe-lake.js', 'dist/lib/index.js', 'dist/bundles/publish/index.mjs'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-package-'));
  for (const name of ['.gitignore', 'package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    await copyFile(name, join(folder, name));
  for (const name of ['bin', 'examples', 'functions', 'lib', 'docs'])
    await cp(name, join(folder, name), { recursive: true });
  for (const name of [...PLANTED, ...BUILT]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '{}');
  }
});
afterAll(() => rm(folder, { recursive: true }));

it('a package holds the program and its documents, and nothing that lies beside them', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
  });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
  const packed = files.map(({ path }) => path);
  expect(packed.filter((path) => PLANTED.includes(path))).toEqual([]);
  expect(packed.filter((path) => !path.startsWith('docs/'))).toEqual(
    expect.arrayContaining([...BUILT, 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']),
  );
  const beside = packed.filter(
    (path) =>
      !/^(dist|docs|examples\/cdk-app)\/|^(CHANGELOG\.md|LEEME\.md|LICENSE|README\.md|package\.json)$/.test(
        path,
      ),
  );
  expect(beside).toEqual([]);
  expect(packed.filter((path) => path.startsWith('docs/') && !/\.(md|png)$/.test(path))).toEqual([]);
});

it('git leaves out tokens, lakes and reports, and no file of the program', () => {
  const isIgnored = (paths: readonly string[]) => {
    // Exits with 1 if none of them is ignored.
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
      cwd: folder,
      input: paths.join('\n'),
      encoding: 'utf8',
    });
    return stdout.split('\n').filter((path) => path !== '');
  };
  execFileSync('git', ['init', '-q'], { cwd: folder });
  expect(isIgnored(PLANTED)).toEqual(PLANTED);
  const own = [
    'lib/lake/layout.ts',
    'test/lake/parquet/files.ts',
    'lib/companies/company-list.ts',
    'docs/coverage.png',
  ];
  expect(isIgnored([...own, 'lib/coverage/html/document.ts'])).toEqual([]);
});
