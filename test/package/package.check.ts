import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../../lib/cli/phrases/summaries.ts';
import { HANDLERS } from '../../lib/system/program.ts';
import { BUNDLE_FILE } from '../../scripts/bundle.ts';
import { plainEnvironment } from '../support/program/run-program.ts';
import { type Installed, installPackage, nodes, packagesIn, runByNpx, sizeOf, write } from './installed.ts';

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

let installed: Installed;
beforeAll(() => {
  installed = installPackage();
});
afterAll(() => rmSync(installed.folder, { recursive: true }));

/** Runs Node in the user's folder. */
function run(node: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(node, [...words], {
    cwd: installed.folder,
    env: plainEnvironment(env),
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** Checks a user's file against the package's declarations. */
function compile(node: string, file: string) {
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  const strict = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  const types = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
  return run(node, [tsc, ...strict, ...types, file]);
}

describe('the tarball', () => {
  it('holds what was compiled, the bundles and documents, and nothing else', () => {
    const KNOWN = [
      /^dist\/(bin|lib|sandbox)\/[\w./-]+\.(js|d\.ts)$/,
      /^dist\/lib\/query\/named\/[\w-]+\.sql$/,
      /^dist\/bundles\/(start-run|export-company|publish|finish-run|renew-tokens)\/index\.mjs$/,
      /^dist\/bundles\/THIRD-PARTY-LICENSES\.txt$/,
      /^docs\/([\w-]+\.md|decisions\/[\w-]+\.md|coverage\.png)$/,
      /^examples\/cdk-app\/(README\.md|app\.ts|cdk\.json|package\.json|receipts-stack\.ts)$/,
      /^(README|CHANGELOG|CONTRIBUTING|LEEME|SECURITY)\.md$|^LICENSE$|^package\.json$/,
    ];
    expect(installed.files.filter((path) => !KNOWN.some((known) => known.test(path)))).toEqual([]);
    for (const known of KNOWN) expect(installed.files.some((path) => known.test(path))).toBe(true);
  });

  it('has the licence of every package that a bundle holds code of', () => {
    const folder = join(installed.folder, 'node_modules/cfe-lake/dist/bundles');
    const text = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['valibot', 'hyparquet-writer', '@middy/core', '@aws-sdk/client-s3'])
      expect(text).toMatch(new RegExp(`^${name}@[\\d.]+ \\((MIT|Apache-2\\.0)\\)$`, 'm'));
    for (const part of text.split(/^=+$/m).slice(1)) expect(part).toMatch(/copyright|apache license/i);
  });
});

it('the bundles are small: Lambda loads them at each cold start', () => {
  for (const name of HANDLERS) {
    const { size } = statSync(
      join(installed.folder, 'node_modules/cfe-lake/dist/bundles', name, BUNDLE_FILE),
    );
    expect(size, name).toBeLessThanOrEqual(name === 'export-company' ? 700_000 : 1_000_000);
  }
});

it('in an empty folder, npx cfe-lake demo answers within a minute, and names the next command as it was typed', () => {
  const { code, stdout, stderr, seconds } = runByNpx(installed, 'demo');
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/\nproveedor +comprobantes +total\n/);
  expect(stdout.match(/ npx cfe-lake query --lake \.\/lake-sandbox "/g)).toHaveLength(2);
  expect(stderr).toMatch(/^SANDBOX: /m);
  expect(seconds).toBeLessThanOrEqual(60);
});

it('installed, it takes at most 145 MB, with neither CDK nor a Node of its own', () => {
  expect(sizeOf(join(installed.folder, 'node_modules'))).toBeLessThanOrEqual(145_000_000);
  const names = packagesIn(installed.folder);
  expect(names.filter((name) => /^(aws-cdk|constructs|node-|cdk-nag|esbuild|typescript)/.test(name))).toEqual(
    ['node-int64'],
  );
});

describe.each(nodes())('on %s', (node) => {
  const program = () => join(installed.folder, 'node_modules/cfe-lake/dist/bin/cfe-lake.js');
  const cfeLake = (...words: string[]) => run(node, [program(), ...words]);

  it('npx cfe-lake is the program, which says its version', () => {
    const { bin } = JSON.parse(
      readFileSync(join(installed.folder, 'node_modules/cfe-lake/package.json'), 'utf8'),
    );
    expect(bin).toEqual({ 'cfe-lake': 'dist/bin/cfe-lake.js' });
    const link = join(installed.folder, 'node_modules/.bin/cfe-lake');
    expect(run(node, [link, '--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('help says how it is called', () => {
    for (const words of [['--help'], ...COMMAND_NAMES.map((name) => [name, '--help'])]) {
      const { code, stdout } = cfeLake(...words);
      expect({ words, code }).toEqual({ words, code: 0 });
      expect(stdout).toMatch(/^Usage: cfe-lake /);
      expect(stdout).not.toMatch(/npm run/);
    }
  });

  it('demo, query, report, coverage and list work', () => {
    const demo = cfeLake('demo');
    expect(demo).toMatchObject({ code: 0 });
    expect(demo.stdout).toContain('\n  cfe-lake query --lake ./lake-sandbox ');
    expect(demo.stdout).not.toMatch(/npm run/);
    const lake = ['--lake', './lake-sandbox'];
    const counted = cfeLake(
      'query',
      ...lake,
      '--format',
      'csv',
      'SELECT count(*) > 100 AS enough FROM recibidos',
    );
    expect(counted).toMatchObject({ code: 0, stdout: expect.stringContaining('true') });
    expect(cfeLake('query', ...lake, '--named', 'sales-by-month')).toMatchObject({ code: 0 });
    expect(cfeLake('coverage', ...lake, '--html', 'coverage.html')).toMatchObject({ code: 0 });
    const asked = ['--format', 'csv', "SELECT strftime(max(fecha), '%Y-%m') AS mes FROM recibidos"];
    const [, month = ''] = cfeLake('query', ...lake, ...asked).stdout.split(/\r?\n/);
    const company = ['--rut', '214844360018'];
    const reported = cfeLake('report', ...lake, ...company, '--month', month, '--html', 'report.html');
    expect(reported).toMatchObject({ code: 0 });
    expect(readFileSync(join(installed.folder, 'report.html'), 'utf8')).toContain('<style');
    const listed = cfeLake('list', 'recibidos', ...company, '--limit', '1', '--json');
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('"rut":"214844360018"') });
  });

  it('the library reads an API and a lake, with types', () => {
    write(installed.folder, 'use.ts', USE);
    expect(compile(node, 'use.ts')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(run(node, ['use.ts'])).toMatchObject({ code: 0, stdout: 'true 1\n' });
  });

  it('the example app is synthesised, with the bundles that the package brings', () => {
    // CDK is large, so the checkout's copy is linked instead.
    const app = join(installed.folder, 'cdk-app');
    cpSync(join(installed.folder, 'node_modules/cfe-lake/examples/cdk-app'), app, { recursive: true });
    for (const name of ['aws-cdk-lib', 'constructs']) {
      const link = join(installed.folder, 'node_modules', name);
      rmSync(link, { force: true });
      symlinkSync(join(process.cwd(), 'node_modules', name), link, 'junction');
    }
    const output = join(installed.folder, 'cdk.out');
    rmSync(output, { recursive: true, force: true });
    expect(run(node, ['cdk-app/app.ts'], { CDK_OUTDIR: output })).toMatchObject({ code: 0 });
    const template = JSON.parse(readFileSync(join(output, 'Receipts.template.json'), 'utf8'));
    expect(Object.keys(template.Outputs)).toContain('StartRunFunction');
    const bundles = readdirSync(output).filter((name) => name.startsWith('asset.'));
    // Of all functions but renew-tokens, which only a stack with a login has.
    const isAlways = HANDLERS.filter((name) => name !== 'renew-tokens');
    expect(bundles.map((name) => readdirSync(join(output, name)))).toEqual(isAlways.map(() => ['index.mjs']));
  });

  it('the construct says what its props are', () => {
    write(installed.folder, 'app.ts', APP);
    expect(compile(node, 'app.ts')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

/** A user's program. It is compiled strictly, so that a missing declaration shows. */
const USE = `
import { exportDays, type LakeAnswer, LakeReader, parseExactJson, type ReceivedSummary, ReceiptsApi } from 'cfe-lake';
const answer: LakeAnswer = await new LakeReader('./lake-sandbox').query('SELECT 1 AS one, count(*) AS n FROM recibidos');
const row: readonly (string | null)[] | undefined = answer.rows[0];
const exact: boolean = JSON.stringify(parseExactJson('{"a":12345678901234567.89}')) === '{"a":12345678901234567.89}';
const api = new ReceiptsApi({ address: 'https://api.example.invalid', rut: '219999830019', token: async () => 'none' });
const wrong = async () => {
  // @ts-expect-error: a filter of the other list
  await api.list('recibidos', { id_externo: '1' });
  // @ts-expect-error: no lake
  await exportDays({ api: '', companies: [], from: '', to: '' });
  const { items } = await api.list('recibidos', {});
  const receipt: ReceivedSummary | undefined = items[0];
  const name: string | null | undefined = receipt?.emisor?.razon_social;
  return name;
};
await api.close();
console.log(exact && typeof wrong === 'function', row?.[0]);
`;

const APP = `
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfeLake, type CfeLakeProps } from 'cfe-lake/cdk';
const props: CfeLakeProps = { apiAddress: 'https://api.example.invalid', removalPolicy: RemovalPolicy.DESTROY };
const lake = new CfeLake(new Stack(new App(), 'Books'), 'Lake', props);
export const workgroup: string = lake.workgroup;
// @ts-expect-error: what only a checkout gives
export const inner = props.checkout;
`;
