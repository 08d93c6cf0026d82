import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allCommands } from './support/program/commands.ts';

/** Files that users may have in the folder, such as tokens and receipts. */
const PLANTED = [
  'companies.json',
  'firma.companies.json',
  'firma.json.0a1b.b5ad7c1e-7d0a-4a0e-9d3c-0f7a5b1c2d3e.part',
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
  '.env',
  'examples/cdk-app/.env',
  'docs/.env',
  'dist/.env',
  'dist/lib/.env',
  'examples/cdk-app/companies.json',
  'examples/cdk-app/firma.companies.json',
  'examples/cdk-app/lake/recibidos/fecha=2026-11-19/219999830019.parquet',
  'examples/cdk-app/lake-sandbox/.source/source.json',
  'examples/cdk-app/cdk.out/manifest.json',
  'docs/companies.json',
  'docs/lake/emitidos/fecha=2026-11-19/219999830019.parquet',
  'dist/companies.json',
  'dist/lake/recibidos/fecha=2026-11-19/219999830019.parquet',
];

/** The same, where only npm must leave them out. */
const PLANTED_FOR_NPM = [
  'examples/cdk-app/.env.local',
  'examples/cdk-app/cdk.context.json',
  'examples/cdk-app/cdk.out.json',
  'examples/cdk-app/empresas/tokens.json',
  'examples/cdk-app/node_modules/cfe-lake/package.json',
  'examples/cdk-app/informe.xlsx',
  'docs/tokens.json',
  'docs/decisions/tokens.json',
  'dist/lib/tokens.json',
];

/** Some of what `npm run build` makes. */
const BUILT = [
  'dist/bin/cfe-lake.js',
  'dist/lib/library/index.js',
  'dist/lib/stack/index.d.ts',
  'dist/lib/query/named/ventas.sql',
  'dist/bundles/publish/index.mjs',
  'dist/bundles/THIRD-PARTY-LICENSES.txt',
];
const EXAMPLE = ['README.md', 'app.ts', 'cdk.json', 'package.json', 'receipts-stack.ts'].map(
  (name) => `examples/cdk-app/${name}`,
);

let folder: string;
/** The paths of what npm would publish. */
let packed: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-package-'));
  for (const name of [
    '.gitignore',
    'package.json',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LEEME.md',
  ])
    await copyFile(name, join(folder, name));
  for (const name of ['bin', 'examples', 'functions', 'lib', 'docs'])
    await cp(name, join(folder, name), { recursive: true });
  for (const name of [...PLANTED, ...PLANTED_FOR_NPM, ...BUILT]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '{}');
  }
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
  });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
  packed = files.map(({ path }) => path);
});
afterAll(() => rm(folder, { recursive: true }));

it('a package holds the program and its documents, and nothing that lies beside them', () => {
  const planted = new Set([...PLANTED, ...PLANTED_FOR_NPM]);
  expect(packed.filter((path) => planted.has(path))).toEqual([]);
  expect(packed.filter((path) => !path.startsWith('docs/'))).toEqual(
    expect.arrayContaining([...BUILT, ...EXAMPLE, 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']),
  );
  const beside = packed.filter(
    (path) =>
      !/^(dist|docs|examples\/cdk-app)\/|^((CHANGELOG|CONTRIBUTING|LEEME|README|SECURITY)\.md|LICENSE|package\.json)$/.test(
        path,
      ),
  );
  expect(beside).toEqual([]);
  expect(packed.filter((path) => path.startsWith('docs/') && !/\.(md|png)$/.test(path))).toEqual([]);
});

describe.each(['README.md', 'LEEME.md'])('%s as npm shows it', (name) => {
  it('links to what is packed, and shows no picture, which npm would look for elsewhere', async () => {
    const text = await readFile(name, 'utf8');
    const linked = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, path = '']) => path);
    expect(linked).toContain('docs/athena.md');
    const isPacked = (path: string) =>
      packed.some((packedPath) => packedPath === path || (path.endsWith('/') && packedPath.startsWith(path)));
    expect(linked.filter((path) => !/^https:/.test(path) && !isPacked(path))).toEqual([]);
    expect(text).not.toMatch(/!\[|<img/);
  });

  it('begins with what works in the repository as it is, and has no command with a placeholder or of a package', async () => {
    const text = await readFile(name, 'utf8');
    const blocks = [...text.matchAll(/^```\n(.+)$/gm)].map(([, first]) => first);
    expect(blocks.filter((first) => /^np[mx]/.test(first ?? '')).slice(0, 2)).toEqual([
      'npm ci && npm start',
      'npm ci && npm test',
    ]);
    expect(text).not.toMatch(/OWNER|\bnpx cfe-lake\b|git clone/);
  });
});

it('package.json names one repository', async () => {
  const { repository, homepage, bugs, keywords } = JSON.parse(await readFile('package.json', 'utf8'));
  const address = /^git\+(https:\/\/github\.com\/[\w-]+\/cfe-lake)\.git$/.exec(repository.url)?.[1];
  expect({ homepage, bugs }).toEqual({ homepage: `${address}#readme`, bugs: `${address}/issues` });
  expect(await readFile('SECURITY.md', 'utf8')).toContain(`<${address}/security/`);
  expect(keywords).toContain('cdk');
});

describe('the release workflow', () => {
  interface Step {
    run?: string;
    uses?: string;
  }
  interface Job {
    needs?: string;
    permissions?: Record<string, string>;
    steps: Step[];
  }
  const readWorkflow = async () => {
    const text = await readFile('.github/workflows/release.yml', 'utf8');
    const { permissions, jobs }: { permissions: object; jobs: Record<string, Job> } = parse(text);
    return { text, permissions, jobs };
  };
  const commandsOf = (job?: Job) => (job?.steps ?? []).flatMap(({ run }) => run ?? []);

  it('alone publishes with provenance, after all checks, and holds no token', async () => {
    const { text, jobs } = await readWorkflow();
    expect(commandsOf(jobs.build).slice(1)).toEqual([
      'npm ci',
      'npm run check',
      'npm run check:dates',
      'npm run check:package',
      'npm pack',
    ]);
    expect(jobs.publish?.needs).toBe('build');
    expect(text).not.toMatch(/secrets\./);
    const { scripts, publishConfig } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(JSON.stringify({ scripts, publishConfig })).not.toMatch(/provenance/);
  });

  it('lets the one job that publishes ask for an identity token, which installs and runs nothing', async () => {
    const { permissions, jobs } = await readWorkflow();
    expect(permissions).toEqual({ contents: 'read' });
    const asking = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes('id-token'));
    expect(asking.map(([name]) => name)).toEqual(['publish']);
    expect(jobs.publish?.permissions).toEqual({ 'id-token': 'write' });
    // Without the repository there is nothing to install.
    expect(jobs.publish?.steps.map(({ uses = '' }) => uses.replace(/@.*/, ''))).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
      '',
    ]);
    expect(commandsOf(jobs.publish)).toEqual([
      expect.stringMatching(
        /^npm publish "\.\/cfe-lake-\$\{GITHUB_REF_NAME#v\}\.tgz" --ignore-scripts --provenance --access public$/,
      ),
    ]);
  });

  it('names every action by its commit', async () => {
    const { text, jobs } = await readWorkflow();
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used.length).toBeGreaterThanOrEqual(5);
    for (const uses of used) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    // Which version that is, for people.
    expect(text.match(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm)).toHaveLength(used.length);
  });
});

/** Of these, those that git leaves out. */
function ignoredOf(paths: readonly string[]): string[] {
  // Exits with 1 if none of them is ignored.
  const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
    cwd: folder,
    input: paths.join('\n'),
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((path) => path !== '');
}

describe('the image', () => {
  it('is run by a user who is not root, on Node 24, and keeps no cache of npm', async () => {
    const file = await readFile('Dockerfile', 'utf8');
    const [, last = ''] = file.split(/^FROM node:24-slim@sha256:[\da-f]{64}\n/m);
    expect(new Set(file.match(/^FROM \S+/gm)).size).toBe(1);
    expect(last).toMatch(/npm ci --omit=dev .* && rm -rf \/root\/\.npm\n/);
    expect(last).toMatch(/\nUSER node\n/);
    expect(last.indexOf('\nUSER node')).toBeGreaterThan(last.lastIndexOf('\nRUN '));
  });

  it('gets nothing but what the program is built from: no token, lake or report', async () => {
    const lines = (await readFile('.dockerignore', 'utf8'))
      .split('\n')
      .filter((line) => !/^(#|$)/.test(line));
    expect(lines[0]).toBe('*');
    const allowed = lines.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    expect(allowed.filter((path) => !existsSync(path))).toEqual([]);
    expect(allowed).not.toContain('.');
    expect(lines).toEqual(
      expect.arrayContaining([
        '**/companies.json',
        '**/*.companies.json',
        '**/*.part',
        '**/lake',
        '**/.env*',
      ]),
    );
  });
});

describe('git', () => {
  beforeAll(() => execFileSync('git', ['init', '-q'], { cwd: folder }));

  it('leaves out tokens, lakes and reports, and no file of the program', () => {
    expect(ignoredOf(PLANTED)).toEqual(PLANTED);
    const ownNames = [
      'lib/lake/layout.ts',
      'test/lake/parquet/files.ts',
      'lib/companies/company.ts',
      'docs/coverage.png',
    ];
    expect(ignoredOf([...ownNames, 'lib/view/script.ts'])).toEqual([]);
    const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
    expect(ignoredOf(tracked)).toEqual([]);
  });

  it('leaves out every file that a command of the documents or of the help names, in the folder of the program', async () => {
    const commands = await allCommands();
    const pages = ['README.md', 'LEEME.md', ...packed.filter((path) => /^docs\/[\w-]+\.md$/.test(path))];
    const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
    const lines = [...texts, ...commands.flatMap(({ examples }) => examples)].join('\n');
    const options = commands.flatMap((command) =>
      Object.entries(command.options).flatMap(([name, { placeholder = '' }]) =>
        /^(FILE|DIR|FOLDER)/.test(placeholder) ? [name] : [],
      ),
    );
    const inSpanish = ['salida', 'empresas', 'listas', 'para-el-cliente', 'cierre'];
    const after = new RegExp(
      `(?:--(?:${[...options, ...inSpanish].join('|')})|reconcile)\\s+([a-z\\d][\\w.-]*)(?=[\\s\`])`,
      'g',
    );
    const named = new Set([...lines.matchAll(after)].map(([, name = '']) => name));
    // A file has an extension, a folder has not.
    const paths = [...named].map((name) => (name.includes('.') ? name : `${name}/index.html`));
    expect(paths).toEqual(
      expect.arrayContaining(['pages/index.html', 'libro.xlsx', '2181.txt', 'sales.csv']),
    );
    const ignored = ignoredOf(paths);
    expect(paths.filter((path) => !ignored.includes(path))).toEqual([]);
  });
});
