import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { runExport } from '../../lib/cli/commands/export.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';

const HOUR_SECONDS = 3600;

it('an export begins by removing what writers killed a day ago left behind, and what has been staged too long', async () => {
  const folder = newFolder();
  const clock = new FakeClock();
  mkdirSync(join(folder, '.staging/detalle'), { recursive: true });
  const left = (name: string, hours: number) => {
    const path = join(folder, '.staging', name);
    writeFileSync(path, 'x');
    const seconds = clock.now() / 1000 - hours * HOUR_SECONDS;
    utimesSync(path, seconds, seconds);
  };
  for (const hours of [23, 25]) left(`${hours}.part`, hours);
  for (const days of [34, 36]) left(`detalle/${days}.parquet`, days * 24);
  const pool = new ConnectionPool();
  const session = openApiSession({ address: new URL('https://api.invalid'), pool, clock });
  const code = await runExport(
    {
      connection: { session, companies: [], maxInFlight: 1 },
      store: new FolderStore(folder),
      writer: writeWithHyparquet,
      unitsOf: () => [],
      unitCount: 0,
      isJson: true,
      goOn: 'missing',
    },
    {
      stdout: new Printer(new PassThrough()),
      stderr: new Printer(new PassThrough()),
      signal: new AbortController().signal,
    },
  );
  expect(code).toBe(0);
  expect(filesIn(folder)).toEqual(['.staging/23.part', '.staging/detalle/34.parquet']);
});
