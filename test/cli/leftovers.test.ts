import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { runSilentExport } from '../support/program/run-export.ts';

const HOUR_SECONDS = 3600;

it('an export begins by removing what has been staged too long', async () => {
  const folder = newFolder();
  const clock = new FakeClock();
  mkdirSync(join(folder, '.staging/detalle'), { recursive: true });
  const left = (name: string, hours: number) => {
    const path = join(folder, '.staging', name);
    writeFileSync(path, 'x');
    const seconds = clock.now() / 1000 - hours * HOUR_SECONDS;
    utimesSync(path, seconds, seconds);
  };
  for (const days of [34, 36]) left(`detalle/${days}.parquet`, days * 24);
  const pool = new ConnectionPool();
  const session = openApiSession({ address: new URL('https://api.invalid'), pool, clock });
  const code = await runSilentExport({
    connection: { session, companies: [], maxInFlight: 1 },
    store: new FolderStore(folder),
    unitsOf: () => [],
  });
  expect(code).toBe(0);
  expect(filesIn(folder)).toEqual(['.staging/detalle/34.parquet']);
});
