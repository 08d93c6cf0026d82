import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Day } from '../../lib/time/days.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import type { Figures } from '../workloads/figures.ts';

const SCRIPT = fileURLToPath(new URL('dlt_recibidos.py', import.meta.url));
const PYTHON = 'python3';

export interface DltOptions {
  url: string;
  lake: string;
  from: Day;
  to: Day;
  /** Number of parts that the days are divided into. */
  ranges: number;
  threads: number;
}

/** The installed version of dlt; undefined if there is none (`pip install "dlt[parquet,filesystem]"`). */
export function dltVersion(): string | undefined {
  const found = spawnSync(PYTHON, ['-c', 'import dlt, pyarrow; print(dlt.__version__)'], {
    encoding: 'utf8',
  });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/** Runs dlt in a separate process. Returns the figures that it prints. */
export async function measureDlt(options: DltOptions): Promise<Figures> {
  const [company] = sandboxCompanies(1);
  const words = [SCRIPT, JSON.stringify({ ...options, rut: company?.rut, token: company?.token })];
  const { stdout } = await promisify(execFile)(PYTHON, words);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
