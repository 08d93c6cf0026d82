// npm runs this at the end of `npm ci`, on any Node, so it is plain JavaScript.
// npm does not report an optional package that was not fetched, or whose content differs from the lock file's hash.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';

/** As `engines` in package.json says. Before 22.18, Node did not run TypeScript. */
const LEAST_NODE = [22, 19];

const { platform: os, arch: cpu } = process;
const libc = os === 'linux' ? libcName() : undefined;
const isOmitted = (process.env.npm_config_omit ?? '').includes('optional');

const packages = packagesForHere();
const missing = isOmitted ? [] : packages.filter(({ path }) => !existsSync(path));
const brought = packages.find(({ path, bin }) => bin?.node !== undefined && existsSync(path));
if (missing.length > 0) {
  const names = missing.map(({ path }) => path.replace(/^.*node_modules\//, '')).join(', ');
  fail(
    `Not installed: ${names}. Its content was not what package-lock.json says, or it could not be fetched. ` +
      'Run npm ci again; if it stays so, do not trust where your packages come from.',
  );
} else if (brought !== undefined) {
  link(brought);
  // 67 MB, needed only to compile packages against Node, and there are none.
  rmSync(`${brought.path}/include`, { recursive: true, force: true });
} else if (!isNewEnough(process.versions.node)) {
  fail(
    `cfe-lake runs on Node ${LEAST_NODE.join('.')} or newer. This is ${process.versions.node}, and no package ` +
      `of Node is installed for ${[os, cpu, libc].filter(Boolean).join(' ')}. Install Node 24, then run npm ci again.`,
  );
}

/** The packages that the program needs and that the lock file has per platform. */
function packagesForHere() {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.entries(lock.packages)
    .map(([path, entry]) => ({ path, ...entry }))
    .filter(
      (entry) =>
        entry.optional === true &&
        entry.dev !== true &&
        entry.os !== undefined &&
        [entry.os].flat().includes(os) &&
        [entry.cpu ?? cpu].flat().includes(cpu) &&
        [entry.libc ?? libc].flat().includes(libc),
    );
}

/** Makes scripts run on the installed Node. If several packages have it, npm before 11 links none. */
function link({ path, bin }) {
  const name = os === 'win32' ? 'node_modules/.bin/node.cmd' : 'node_modules/.bin/node';
  if (existsSync(name)) return;
  const target = `../${path.replace('node_modules/', '')}/${bin.node}`;
  mkdirSync('node_modules/.bin', { recursive: true });
  if (os === 'win32') writeFileSync(name, `@"%~dp0\\${target.replaceAll('/', '\\')}" %*\r\n`);
  else symlinkSync(target, name);
}

function libcName() {
  return process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
