import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Day } from '../lib/time/days.ts';
import type { SandboxOptions } from '../sandbox/behaviour.ts';
import type { Figures } from './workloads/figures.ts';

/** Options of the sandbox's process. They are passed as JSON. */
export type ServedOptions = Omit<SandboxOptions, 'receiptsPerDay' | 'now'> & {
  receiptsPerDay: number;
  /** Only every n-th company has receipts. */
  activeEvery?: number;
};

/** The day that all benchmarks read; of several days, the last. */
export const DAY = '2026-11-19';

/** Runs the work against a sandbox in a separate process. */
export async function withSandbox<T>(
  options: ServedOptions,
  work: (sandbox: { url: string }) => Promise<T>,
): Promise<T> {
  const child = start('serve', { companyCount: 1, ...options });
  const exit = once(child, 'exit');
  try {
    return await work({ url: await firstLine(child) });
  } finally {
    if (child.connected) child.disconnect();
    await exit;
  }
}

export interface ExportOptions {
  url: string;
  lake: string;
  /** Up to DAY. */
  from: Day;
  directions?: readonly string[];
  companyCount?: number;
  companiesAtOnce?: number;
  maxInFlightInAll?: number;
  /** Whether the tables' days are published too, as on the command line; in AWS, another function does that. */
  isPublished?: boolean;
}

/** Runs a workload in a separate process. Returns the figures that it prints. */
export async function measure(
  workload: 'export' | 'days-in-parallel' | 'make-units' | 'publish',
  options: object,
): Promise<Figures> {
  const child = start(workload, options);
  const exit = once(child, 'exit');
  const line = await firstLine(child);
  await exit;
  return JSON.parse(line);
}

/** Runs an export as a user does. Throws if a unit failed: its figures would mean nothing. */
export async function measureExport(options: ExportOptions): Promise<Figures> {
  const figures = await measure('export', { ...options, to: DAY });
  if (figures.failed > 0) throw new Error(`${figures.failed} units failed`);
  return figures;
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/**
 * Gives the work a folder. All are removed at the end: ext4 looks for minutes past every inode that was just freed, so that
 * each run would pay for the files of the one before it.
 */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-bench-'));
  folders.push(folder);
  return await work(folder);
}

/** All start as the command line does, so that no side of a ratio loads Node's type stripper. */
const COMPILED = `--import=${new URL('../bin/compiled.mjs', import.meta.url)}`;

/** Node's flags by workload. The others, also the floor, run with those of bin/cfe-lake.ts. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  serve: [],
  'make-units': [],
  // As in a Lambda of 512 MB.
  publish: ['--max-semi-space-size=8', '--max-old-space-size=300'],
};

function start(workload: string, options: object): ChildProcess {
  return fork(new URL(`workloads/${workload}.ts`, import.meta.url), [JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [COMPILED, ...(FLAGS[workload] ?? ['--max-semi-space-size=8'])],
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('the process printed no figures');
}
