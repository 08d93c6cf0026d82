import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { type FolderLock, LakeBusyError, type LockRequest } from '../../../lib/lake/store/folder-lock.ts';
import { withStoreToWrite } from '../../../lib/lake/store/open-store.ts';
import { replaceText } from '../../../lib/lake/store/store.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { lockRequest } from '../../support/lake/lock-request.ts';
import { giveAway } from '../../support/system/another-user.ts';

/** Time passes as its owner waits. `whileWaiting` happens at each wait. */
class WaitingClock extends FakeClock {
  whileWaiting: () => Promise<void> = async () => undefined;

  override async sleep(delayMs: number): Promise<void> {
    this.delays.push(delayMs);
    this.passUnnoticed(delayMs);
    await this.whileWaiting();
  }
}

function lockOf(folder: string, asked: Partial<LockRequest> = {}): Promise<FolderLock> {
  return new FolderStore(folder).lock(lockRequest(asked));
}

const holderOf = (folder: string) => readFileSync(join(folder, '.lock/holder'), 'utf8');

describe('the lock of a folder', () => {
  it('names its holder while a command writes, and afterwards only an empty file is left of it', async () => {
    const folder = newFolder();
    await withStoreToWrite(folder, lockRequest({ command: 'export' }), async (store) => {
      expect(holderOf(folder)).toBe(
        `export, begun 2026-11-20 06:00 (process ${process.pid} on ${hostname()})`,
      );
      await replaceText(store, 'text', 'x', undefined);
    });
    const failing = withStoreToWrite(folder, lockRequest(), () => Promise.reject(new RangeError('the work')));
    await expect(failing).rejects.toThrow(new RangeError('the work'));
    expect(readdirSync(folder).sort()).toEqual(['.lock', 'text']);
    expect(readdirSync(join(folder, '.lock'))).toEqual(['lock']);
    expect(readFileSync(join(folder, '.lock/lock'), 'utf8')).toBe('');
  });

  it('is no link, and of what is in its folder only what a holder wrote is removed', async () => {
    const [folder, elsewhere] = [newFolder(), newFolder()];
    const left = `${randomUUID()}.part`;
    for (const name of ['cierre.json', left]) writeFileSync(join(elsewhere, name), '');
    symlinkSync(elsewhere, join(folder, '.lock'));
    await expect(lockOf(folder)).rejects.toThrow(`${join(folder, '.lock')} is no part of the lake's lock`);
    await expect(lockOf(folder)).rejects.toMatchObject({ exitCode: 2 });
    expect(readdirSync(elsewhere).sort()).toEqual([left, 'cierre.json'].sort());
    rmSync(join(folder, '.lock'));
    cpSync(elsewhere, join(folder, '.lock'), { recursive: true });
    await (await lockOf(folder)).release();
    expect(readdirSync(join(folder, '.lock')).sort()).toEqual(['cierre.json', 'lock']);
  });

  it('is told of as too long where its path is more than SQLite opens', async () => {
    const folder = join(newFolder(), ...['a', 'b', 'c'].map((letter) => letter.repeat(200)));
    await expect(lockOf(folder)).rejects.toThrow(/its path of \d+ characters is too long/);
  });

  it.each<[string, (path: string) => void]>([
    ['a link', (path) => symlinkSync(join(newFolder(), 'chosen'), path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a file with something in it', (path) => writeFileSync(path, 'text')],
    ['a folder', (path) => mkdirSync(path)],
  ])('is not taken where its file is %s', async (_what, putAt) => {
    const folder = newFolder();
    mkdirSync(join(folder, '.lock'));
    putAt(join(folder, '.lock/lock'));
    await expect(lockOf(folder)).rejects.toThrow(
      `${join(folder, '.lock/lock')} is no part of the lake's lock`,
    );
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32').each([0o000, 0o400])(
    'is not taken where its file may not be written: mode %i',
    async (mode) => {
      const folder = newFolder();
      await (await lockOf(folder)).release();
      chmodSync(join(folder, '.lock/lock'), mode);
      await expect(lockOf(folder)).rejects.toThrow('permission is denied (EACCES)');
    },
  );

  it.runIf(process.getuid?.() === 0)('is not taken by root in a folder of another user', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '.lock'));
    giveAway(join(folder, '.lock'));
    await expect(lockOf(folder)).rejects.toThrow(`${join(folder, '.lock')} is no part of the lake's lock`);
  });

  it('is waited for; whoever waits is told for whom', async () => {
    const folder = newFolder();
    const first = await lockOf(folder, { command: 'publish' });
    const clock = new WaitingClock();
    const holders: string[] = [];
    clock.whileWaiting = async () => {
      if (clock.delays.length === 30) await first.release();
    };
    const request = { clock, waitMs: 60_000, onWait: (holder: string) => holders.push(holder) };
    const second = await lockOf(folder, request);
    expect(clock.delays).toEqual(Array(30).fill(1000));
    expect(holders).toEqual([
      expect.stringMatching(/^publish, begun 2026-11-20 06:00 \(process \d+ on .+\)$/),
    ]);
    await second.release();
  });

  it.each([0, 600_000])('is waited for no longer than %s ms', async (waitMs) => {
    const folder = newFolder();
    const first = await lockOf(folder, { command: 'export' });
    const clock = new WaitingClock();
    const second = lockOf(folder, { clock, waitMs });
    await expect(second).rejects.toThrow(LakeBusyError);
    await expect(second).rejects.toThrow(
      `(process ${process.pid} on ${hostname()}) is writing the lake ${folder}, so nothing was done. Try again when`,
    );
    await expect(second).rejects.toMatchObject({ exitCode: 1 });
    expect(clock.delays).toHaveLength(waitMs / 1000);
    // Whoever gave up has taken nothing from it.
    await expect(lockOf(folder)).rejects.toThrow(LakeBusyError);
    await first.release();
    await (await lockOf(folder)).release();
  });

  it('is no longer waited for when the command is interrupted', async () => {
    const folder = newFolder();
    const first = await lockOf(folder);
    const interruption = new AbortController();
    const onWait = () => interruption.abort(new Error('interrupted'));
    const second = lockOf(folder, { waitMs: 60_000, signal: interruption.signal, onWait });
    await expect(second).rejects.toThrow('interrupted');
    await first.release();
  });
});

/** A process that writes the lake. */
function writer(lake: string, command: string, ...waitMs: string[]) {
  const words = [resolve('test/support/lake/lock-process.ts'), lake, command, ...waitMs];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let warnings = '';
  child.stderr.on('data', (text) => {
    warnings += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  return {
    next,
    warnings: () => warnings,
    kill: () => child.kill('SIGKILL'),
    say: (line: string) => {
      child.stdin.write(`${line}\n`);
      return next();
    },
  };
}

it('of a killed process is free at once, and those that wait for it go one after the other', async () => {
  const lake = newFolder();
  const killed = writer(lake, 'killed');
  expect(await killed.next()).toBe('held');
  const waiting = ['a', 'b', 'c'].map((name) => ({ name, ...writer(lake, name) }));
  const held = new Map(
    waiting.map((waiter) => [waiter.name, waiter.next().then((line) => ({ waiter, line }))]),
  );
  writeFileSync(join(lake, `.lock/${randomUUID()}.part`), 'half an object');
  killed.kill();
  const order: string[] = [];
  while (held.size > 0) {
    const { waiter, line } = await Promise.race(held.values());
    held.delete(waiter.name);
    expect(line).toBe('held');
    // The others still wait while this one writes.
    expect(holderOf(lake)).toMatch(new RegExp(`^${waiter.name},`));
    expect(readdirSync(join(lake, '.lock')).sort()).toEqual(['holder', 'lock']);
    order.push(waiter.name);
    expect(await waiter.say(order.join(''))).toBe('written');
    expect(await waiter.say('end')).toBe('ended');
    expect(waiter.warnings()).toBe('');
  }
  expect(readFileSync(join(lake, 'text'), 'utf8')).toBe(order.join(''));
  expect(order.toSorted()).toEqual(['a', 'b', 'c']);
});

it('is held against other processes while its own asks for it again, until it is given back', async () => {
  const lake = newFolder();
  const first = await lockOf(lake, { command: 'first' });
  const tried: unknown[] = [];
  const clock = new WaitingClock();
  clock.whileWaiting = async () => {
    tried.push(await writer(lake, 'other', '0').next(), holderOf(lake).split(',')[0]);
    if (clock.delays.length === 2) await first.release();
  };
  const second = await lockOf(lake, { command: 'second', clock, waitMs: 60_000 });
  expect(tried).toEqual(['LakeBusyError', 'first', 'LakeBusyError', 'first']);
  expect(await writer(lake, 'other', '0').next()).toBe('LakeBusyError');
  await second.release();
  expect(await writer(lake, 'other', '0').next()).toBe('held');
});
