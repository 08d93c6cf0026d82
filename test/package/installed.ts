import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { plainEnvironment } from '../support/program/run-program.ts';

/** The package in a folder with nothing else in it, as `npm i cfe-lake` leaves it. */
export interface Installed {
  folder: string;
  tarball: string;
  /** The paths of all files in the tarball. */
  files: readonly string[];
}

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Dependencies of dependencies are those of this day: a release in the making, of which a registry has only some packages
 * yet, fails no check. To be moved when a dependency is updated.
 */
const OF_THAT_DAY = ['--prefer-offline', '--before=2026-11-18'];

/** Builds, packs and installs the package. What npm's cache lacks comes from the registry. */
export function installPackage(): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'cfe-lake-installed-'));
  const json = npm(['pack', '--json', `--pack-destination=${folder}`], process.cwd());
  // The build's own output comes first.
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(
    json.slice(json.indexOf('[\n')),
  );
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const tarball = join(folder, filename);
  npm(['install', ...OF_THAT_DAY, ...QUIET, tarball], folder);
  return { folder, tarball, files: files.map(({ path }) => path) };
}

/**
 * `npx cfe-lake WORDS` of somebody who has no package, with npm's cache as it is. npx looks for the tarball's name instead,
 * and installs into a folder that is removed.
 */
export function runByNpx({ tarball }: Installed, ...words: string[]) {
  const home = mkdtempSync(join(tmpdir(), 'cfe-lake-npx-'));
  const [cache, empty] = [join(home, 'cache'), join(home, 'empty')];
  mkdirSync(cache);
  mkdirSync(empty);
  const known = join(npm(['config', 'get', 'cache'], home).trim(), '_cacache');
  if (existsSync(known)) symlinkSync(known, join(cache, '_cacache'), 'junction');
  const beganMs = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.platform === 'win32' ? 'npx.cmd' : 'npx',
    ['--yes', ...OF_THAT_DAY, ...QUIET, `--package=${tarball}`, '--', 'cfe-lake', ...words],
    {
      cwd: empty,
      env: { ...plainEnvironment(), HOME: home, npm_config_cache: cache },
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  const seconds = (performance.now() - beganMs) / 1000;
  rmSync(home, { recursive: true });
  return { code: status, stdout, stderr, seconds };
}

function npm(words: readonly string[], cwd: string): string {
  const isWindows = process.platform === 'win32';
  return execFileSync(isWindows ? 'npm.cmd' : 'npm', [...words], {
    cwd,
    encoding: 'utf8',
    shell: isWindows,
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** The running Node, and the machine's own if that is another one and new enough. */
export function nodes(): string[] {
  const found = new Map([[realpathSync(process.execPath), process.execPath]]);
  for (const path of (process.env.PATH ?? '').split(delimiter)) {
    if (path.includes('node_modules')) continue;
    const node = join(path, process.platform === 'win32' ? 'node.exe' : 'node');
    const { stdout, status } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    const [major = 0, minor = 0] = String(stdout).replace('v', '').split('.').map(Number);
    if (status === 0 && (major > 22 || (major === 22 && minor >= 19))) found.set(realpathSync(node), node);
  }
  return [...found.values()];
}

/** The size of a folder on disk, in bytes. */
export function sizeOf(folder: string): number {
  const out = execFileSync('du', ['-sk', folder], { encoding: 'utf8' });
  return Number(out.split('\t')[0]) * 1024;
}

export function packagesIn(folder: string): string[] {
  return readdirSync(join(folder, 'node_modules')).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(folder, 'node_modules', name)).map((inner) => `${name}/${inner}`)
      : [name],
  );
}

export function write(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}
