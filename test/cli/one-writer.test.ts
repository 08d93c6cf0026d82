import { cpSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import type { FolderLock } from '../../lib/lake/store/folder-lock.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { lockRequest } from '../support/lake/lock-request.ts';
import { runMain } from '../support/program/run-main.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const RUT = '219999830019';
const DAY = ['--date', '2026-11-19'];

const sandbox = await sharedSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 2 });
const folder = sharedFolder();
/** A lake with a day, which tests copy. */
const exported = join(folder, 'lake');
expect((await runMain('export', '--api', sandbox.url, '--lake', exported, ...DAY)).code).toBe(0);
afterEach(() => void vi.useRealTimers());

/** A lake that another command writes. */
async function busyLake(): Promise<{ lake: string; other: FolderLock }> {
  const lake = join(newFolder(), 'lake');
  cpSync(exported, lake, { recursive: true });
  const other = await new FolderStore(lake).lock(lockRequest({ command: 'another export' }));
  return { lake, other };
}

describe('while another command writes the folder', () => {
  it.each([
    ['export', '--api', 'URL', ...DAY],
    ['forget', '--rut', RUT, '--yes'],
  ])('%s waits no longer than it is told, and names the holder', async (...words) => {
    const { lake, other } = await busyLake();
    const before = readdirSync(lake, { recursive: true }).sort();
    const asked = words.map((word) => (word === 'URL' ? sandbox.url : word));
    const { code, stdout, stderr } = await runMain(...asked, '--lake', lake, '--wait', '0');
    expect(stderr).toBe(
      `cfe-lake: another export, begun 2026-11-20 06:00 (process ${process.pid} on ${hostname()}) is ` +
        `writing the lake ${lake}, so nothing was done. Try again when it has ended, or wait longer with --wait MINUTES. End it if it hangs.\n`,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(readdirSync(lake, { recursive: true }).sort()).toEqual(before);
    await other.release();
  });

  it.each([
    ['query', 'SELECT count(*) FROM recibidos'],
    ['verify', '--api', 'URL', ...DAY],
  ])('%s does not wait', async (...words) => {
    const { lake, other } = await busyLake();
    const sleep = vi.spyOn(systemClock, 'sleep');
    const asked = words.map((word) => (word === 'URL' ? sandbox.url : word));
    const { stdout, stderr } = await runMain(...asked, '--lake', lake);
    expect(stderr).not.toMatch(/Waiting|is writing/);
    expect(stdout).not.toBe('');
    expect(sleep).not.toHaveBeenCalled();
    await other.release();
  });

  it('export waits, says for whom, and reckons its days when its turn has come', async () => {
    const { lake, other } = await busyLake();
    // In Uruguay it is the 20th, half an hour before midnight.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 2, 30) });
    vi.spyOn(systemClock, 'sleep').mockImplementationOnce(async () => {
      vi.setSystemTime(Date.UTC(2026, 10, 21, 3, 30));
      await other.release();
    });
    const words = ['--api', sandbox.url, '--lake', lake, '--last', '1', '--json'];
    const { stdout, stderr } = await runMain('export', ...words);
    expect(stderr).toMatch(
      /^Waiting, at most 10 minutes, for another export, begun .* \(process \d+ on .*\), which writes .*\/lake\./,
    );
    const days = JSON.parse(stdout).units.map(({ fecha }: { fecha: string }) => fecha);
    expect(new Set(days)).toEqual(new Set(['2026-11-20']));
  });

  it('a wrong day is told before the wait', async () => {
    const { lake, other } = await busyLake();
    const { code, stderr } = await runMain('export', '--lake', lake, '--date', '2026-11-31');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/there is no such day/) });
    await other.release();
  });
});
