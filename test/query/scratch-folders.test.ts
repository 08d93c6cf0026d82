import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLake } from '../../lib/query/open-lake.ts';
import { DAY_MS, HOUR_MS } from '../../lib/time/days.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { onAnotherDisk, patchFs } from '../support/system/patched-fs.ts';

let lake: string;
let temporary: string;
beforeEach(async () => {
  lake = await madeLakeFolder({ recibidos: [{ fecha: '2026-11-18', id: 1, rut: '219999830019' }] });
  temporary = newFolder();
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => void vi.useRealTimers());

/** A folder that a killed question left so many hours ago. */
function left(name: string, hours: number): string {
  const folder = join(temporary, name);
  mkdirSync(join(folder, 'held'), { recursive: true });
  writeFileSync(join(folder, 'held/0.parquet'), 'x');
  aged(folder, hours);
  return folder;
}

function aged(path: string, hours: number): void {
  const then = new Date(Date.now() - hours * HOUR_MS);
  utimesSync(path, then, then);
}

async function asksOne(): Promise<void> {
  const { code, stdout } = await runMain('query', 'SELECT 1 AS n', '--lake', lake, '--format', 'csv');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'n\r\n1\n' });
}

it('copies no more than it may of a lake that its folder can’t have links to', async () => {
  patchFs({ linkSync: onAnotherDisk });
  const opened = (spillBytes: number) =>
    openLake(lake, ['SELECT id FROM recibidos'], {}, { limits: { memoryBytes: 2 ** 28, spillBytes } });
  await expect(opened(500)).rejects.toThrow(
    /^The files of .* can't be linked to from .*, and copies of them would take more than 0 MiB\. Ask for fewer days/,
  );
  expect(readdirSync(temporary)).toEqual([]);
  (await opened(2 ** 20)).close();
});

describe('a question removes', () => {
  it('folders that killed questions left more than a day ago, and nothing else', async () => {
    left('cfe-lake-query-old', 25);
    left('cfe-lake-query-new', 23);
    left('cfe-lake-other', 25);
    const outside = left('outside', 25);
    symlinkSync(outside, join(temporary, 'cfe-lake-query-link'));
    writeFileSync(join(temporary, 'cfe-lake-query-file'), '');
    aged(join(temporary, 'cfe-lake-query-file'), 25);
    await asksOne();
    expect(readdirSync(temporary).sort()).toEqual([
      'cfe-lake-other',
      'cfe-lake-query-file',
      'cfe-lake-query-link',
      'cfe-lake-query-new',
      'outside',
    ]);
    expect(readdirSync(outside)).toEqual(['held']);
  });

  it.runIf(process.getuid?.() === 0)('no folder of another user', async () => {
    const folder = left('cfe-lake-query-old', 25);
    chownSync(folder, 65534, 65534);
    await asksOne();
    expect(readdirSync(temporary)).toEqual(['cfe-lake-query-old']);
  });

  it.runIf(process.getuid !== undefined && process.getuid() !== 0)(
    'what it can, and says nothing of the rest',
    async () => {
      const folder = left('cfe-lake-query-old', 25);
      chmodSync(join(folder, 'held'), 0o500);
      onTestFinished(() => chmodSync(join(folder, 'held'), 0o700));
      await asksOne();
      expect(readdirSync(temporary)).toEqual(['cfe-lake-query-old']);
    },
  );

  it('not the folder of a question that takes more than a day', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const opened = await openLake(lake, ['SELECT id FROM recibidos'], {});
    onTestFinished(() => opened.close());
    const [name = ''] = readdirSync(temporary);
    aged(join(temporary, name), 25);
    vi.advanceTimersByTime(60_000);
    expect(Date.now() - statSync(join(temporary, name)).mtimeMs).toBeLessThan(DAY_MS);
    await asksOne();
    expect(readdirSync(temporary)).toEqual([name]);
    opened.close();
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each([
    ['slow', -6 * DAY_MS],
    ['fast', 6 * DAY_MS],
  ])('no folder in use where the clock of a process is days %s', async (_, offsetMs) => {
    const lasting = await openLake(lake, ['SELECT id FROM recibidos'], {});
    onTestFinished(() => lasting.close());
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.now() + offsetMs });
    const opened = await openLake(lake, ['SELECT id FROM recibidos'], {});
    onTestFinished(() => opened.close());
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await asksOne();
    expect(readdirSync(temporary)).toHaveLength(2);
  });
});
