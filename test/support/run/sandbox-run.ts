import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openApiSession } from '../../../lib/api/access.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import type { ExportPartTools } from '../../../lib/run/export-part.ts';
import type { SandboxOptions } from '../../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';

/** An empty lake in a folder, for the running test. */
export async function newLake(): Promise<FolderStore> {
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return new FolderStore(folder);
}

/** A sandbox, and the tools of a worker that exports it into a lake, for the running test. */
export async function newWorker(
  options: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; store: FolderStore; tools: ExportPartTools }> {
  const store = await newLake();
  const { close, ...worker } = await startWorker(store, options);
  onTestFinished(close);
  return { store, ...worker };
}

/** A sandbox, and the tools of a worker that exports it into this lake. Retries don't wait. */
export async function startWorker(
  store: LakeStore,
  options: SandboxOptions,
): Promise<{ sandbox: Sandbox; tools: ExportPartTools; close: () => Promise<void> }> {
  const sandbox = await startSandbox({
    now: '2026-12-20T03:00:00',
    companyCount: 1,
    receiptsPerDay: 3,
    ...options,
  });
  const pool = new ConnectionPool();
  const close = async () => {
    await pool.destroy();
    await sandbox.close();
  };
  const tokenOf = (rut: string) =>
    sandbox.companies.find((company) => company.rut === rut)?.token ?? 'unknown';
  const tools: ExportPartTools = {
    session: openApiSession({
      address: new URL(sandbox.url),
      pool,
      retryPolicy: { maxTries: 2, baseDelayMs: 0, maxRetryAfterMs: 0 },
    }),
    store,
    writer: writeWithHyparquet,
    tokensOf: (rut) => ({ current: async () => tokenOf(rut), renew: async () => tokenOf(rut) }),
    maxInFlight: 4,
    shares: { night: 6, backfill: 2, requestsPerSecond: undefined },
    details: { directions: [], maxPerUnit: 10_000 },
    remainingMs: () => 600_000,
  };
  return { sandbox, tools, close };
}
