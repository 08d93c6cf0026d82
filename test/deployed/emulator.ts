import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { CfeLakeError } from '../../lib/system/errors.ts';
import { PlayFailedError, run, until } from './process.ts';

const pathBeside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const REQUIREMENTS = pathBeside('requirements.txt');
const SHIM = pathBeside('emulator.py');
const MODULES = pathBeside('../../node_modules');
/** A virtual environment of its own. */
const PLACE = join(MODULES, '.cache', 'emulator');

/** What the emulator needs is not on this machine. */
export class NoEmulatorError extends CfeLakeError {
  override name = 'NoEmulatorError';
}

const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const IS_FIT = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))';

/** Installs the emulator, once for each list of requirements. Returns its Python. Throws NoEmulatorError. */
export async function installEmulator(): Promise<string> {
  const python = join(PLACE, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const mark = join(PLACE, 'requirements.sha256');
  const wanted = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return python;
  const place = { cwd: dirname(REQUIREMENTS), env: process.env };
  rmSync(PLACE, { recursive: true, force: true });
  mkdirSync(dirname(PLACE), { recursive: true });
  const found = await fitPython(place);
  const made = await run(found, ['-m', 'venv', PLACE], place);
  if (made.code !== 0) throw new NoEmulatorError(`${found} makes no virtual environment.`);
  const words = [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
    '--only-binary',
    ':all:',
  ];
  const installed = await run(python, ['-m', 'pip', ...words, '-r', REQUIREMENTS], place);
  if (installed.code !== 0) {
    // Somebody has replaced a package: that is no reason to leave the test out.
    if (/HASH/.test(installed.stderr)) throw new PlayFailedError(`pip: ${installed.stderr.trim()}`);
    throw new NoEmulatorError("The emulator of AWS (PyPI: ministack) can't be installed here.", {
      advice: installed.stderr.trim().split('\n').at(-1) ?? '',
    });
  }
  writeFileSync(mark, wanted);
  return python;
}

async function fitPython(place: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
  for (const python of PYTHONS) {
    const tried = await run(python, ['-c', IS_FIT], place).catch(() => undefined);
    if (tried?.code === 0) return python;
  }
  throw new NoEmulatorError('There is no Python 3.11 or newer with venv here.');
}

/** A certificate for this machine, with its key: of the emulator and of the sandbox. */
export interface Certificate {
  certFile: string;
  keyFile: string;
}

/** Makes a certificate, and lets this process trust it. Throws NoEmulatorError. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const [certFile, keyFile] = [join(folder, 'ca.pem'), join(folder, 'key.pem')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=127.0.0.1'];
  const files = [
    '-keyout',
    keyFile,
    '-out',
    certFile,
    '-addext',
    'subjectAltName=IP:127.0.0.1,DNS:localhost',
  ];
  const place = { cwd: folder, env: process.env };
  const made = await run('openssl', [...words, ...files], place).catch(() => undefined);
  if (made?.code !== 0) throw new NoEmulatorError('openssl, which makes the certificate, is not here.');
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certFile, 'utf8')]);
  return { certFile, keyFile };
}

/** The account of the emulator, which takes 12 digits in place of an access key for its root. */
export const ACCOUNT = '123456789012';
export const REGION = 'us-east-1';

export interface Emulator {
  endpoint: string;
  /** Its process, whose children are the functions. */
  pid: number;
  /** What it prints. */
  logFile: string;
  stop(): Promise<void>;
}

/**
 * Starts the emulator on a free port of the loopback address, with TLS and IAM enforced, and waits until it answers.
 * All that it keeps is in the folder.
 */
export async function startEmulator(
  python: string,
  folder: string,
  { certFile, keyFile }: Certificate,
): Promise<Emulator> {
  const port = await freePort();
  const [objects, temporary] = [join(folder, 'objects'), join(folder, 'tmp')];
  for (const made of [objects, temporary]) mkdirSync(made);
  const logFile = join(folder, 'emulator.log');
  const log = openSync(logFile, 'w');
  const child = spawn(python, [SHIM], {
    cwd: folder,
    stdio: ['ignore', log, log],
    env: {
      // It runs the functions with the first `node`: this one. Theirs is not the endpoint of whoever starts this.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      HOME: folder,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      TMPDIR: temporary,
      AUTH: 'true',
      USE_SSL: '1',
      MINISTACK_SSL_CERT: certFile,
      MINISTACK_SSL_KEY: keyFile,
      // Of the functions: they trust the emulator and the sandbox.
      NODE_EXTRA_CA_CERTS: certFile,
      // What AWS has built in: the SDK, for CDK's function that empties a bucket.
      NODE_PATH: MODULES,
      // Its Athena, which is DuckDB, reads objects as files.
      S3_PERSIST: '1',
      S3_DATA_DIR: objects,
      // Waits of runs, such as the minutes before what failed is tried again.
      SFN_WAIT_SCALE: '0.02',
      // Ports that nobody here needs.
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      PYTHONUNBUFFERED: '1',
    },
  });
  const endpoint = `https://127.0.0.1:${port}`;
  const emulator = { endpoint, pid: child.pid ?? 0, logFile, stop: () => stop(child) };
  try {
    await until(
      'The emulator answers',
      async () => {
        if (child.exitCode !== null) throw new PlayFailedError(`The emulator has ended; see ${logFile}.`);
        const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
        return answer?.ok === true ? true : undefined;
      },
      60_000,
    );
  } catch (error) {
    await stop(child);
    throw error;
  }
  return emulator;
}

const STOP_MS = 10_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(late);
}

/** A port that the system has just given. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The processes of a function: its workers, whose folders are named after it. */
export async function workersOf({ pid }: Emulator, functionName: string): Promise<number[]> {
  const place = { cwd: '/', env: process.env };
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args='], place);
  return stdout.split('\n').flatMap((line) => {
    const [, child, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === pid && args.includes(`ministack-lambda-${functionName}-`)
      ? [Number(child)]
      : [];
  });
}
