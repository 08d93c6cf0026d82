import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import {
  type FolderLock,
  LakeBusyError,
  LakeTakenError,
  type LockRequest,
} from '../../../lib/lake/store/folder-lock.ts';
import { withStoreToWrite } from '../../../lib/lake/store/open-store.ts';
import { replaceText } from '../../../lib/lake/store/store.ts';
import { FakeClock, settled } from '../../support/fake-clock.ts';
import { filesIn, newFolder } from '../../support/lake/lake-folder.ts';
import { lockRequest } from '../../support/lake/lock-request.ts';

const RENEWAL_MS = 10_000;
const WATCH_MS = 12_000;

/** Time passes as its owner waits, but no renewal comes by itself. `whileWaiting` happens at each wait. */
class WaitingClock extends FakeClock {
  whileWaiting: (delayMs: number) => Promise<void> = async () => undefined;

  override async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (delayMs === RENEWAL_MS) return await super.sleep(delayMs, signal);
    this.delays.push(delayMs);
    this.passUnnoticed(delayMs);
    await this.whileWaiting(delayMs);
  }
}

function lockOf(folder: string, asked: Partial<LockRequest> = {}): Promise<FolderLock> {
  return new FolderStore(folder).lock(lockRequest(asked));
}

/** The file that its holder renews. */
function holderFile(folder: string): string {
  const [holder = ''] = readdirSync(join(folder, '.lock/held'));
  return join(folder, '.lock/held', holder, 'holder');
}

/** As if the holder had not renewed its lock for so long. */
function age(folder: string, byMs: number): void {
  const file = holderFile(folder);
  const seconds = (statSync(file).mtimeMs - byMs) / 1000;
  utimesSync(file, seconds, seconds);
}

async function renewed(folder: string, clock: FakeClock): Promise<void> {
  const before = statSync(holderFile(folder)).mtimeMs;
  await clock.advance(RENEWAL_MS);
  while (statSync(holderFile(folder)).mtimeMs === before) await settled();
}

describe('the lock of a folder', () => {
  it('is there while a command writes, and nothing of it afterwards', async () => {
    const folder = newFolder();
    await withStoreToWrite(folder, lockRequest({ command: 'export' }), async ({ store }) => {
      expect(readFileSync(holderFile(folder), 'utf8')).toBe(
        `export, begun 2026-11-20 06:00 (process ${process.pid} on ${hostname()})`,
      );
      await replaceText(store, 'text', 'x', undefined);
    });
    expect(readdirSync(folder)).toEqual(['text']);
    const failing = withStoreToWrite(folder, lockRequest(), () => Promise.reject(new RangeError('the work')));
    await expect(failing).rejects.toThrow(new RangeError('the work'));
    expect(readdirSync(folder)).toEqual(['text']);
  });

  it('is waited for; whoever waits is told for whom', async () => {
    const folder = newFolder();
    const first = await lockOf(folder, { command: 'publish' });
    const clock = new WaitingClock();
    const told: string[] = [];
    clock.whileWaiting = async () => {
      if (clock.delays.length === 30) await first.release();
    };
    const request = { clock, waitMs: 60_000, onWait: (holder: string) => told.push(holder) };
    const second = await lockOf(folder, request);
    expect(clock.delays).toEqual([...Array(30).fill(1000), RENEWAL_MS]);
    expect(told).toEqual([expect.stringMatching(/^publish, begun 2026-11-20 06:00 \(process \d+ on .+\)$/)]);
    first.signal.throwIfAborted();
    second.assertHeld();
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
    first.assertHeld();
    await first.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is no longer waited for when the command is interrupted', async () => {
    const folder = newFolder();
    const first = await lockOf(folder);
    const interruption = new AbortController();
    const onWait = () => interruption.abort(new Error('interrupted'));
    const second = lockOf(folder, { waitMs: 60_000, signal: interruption.signal, onWait });
    await expect(second).rejects.toThrow('interrupted');
    await first.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is renewed every 10 seconds', async () => {
    const folder = newFolder();
    const clock = new FakeClock();
    const lock = await lockOf(folder, { clock });
    for (let round = 0; round < 3; round += 1) {
      age(folder, 91_000);
      await renewed(folder, clock);
      const isFresh = lockOf(folder, { clock: new WaitingClock() });
      await expect(isFresh).rejects.toThrow(LakeBusyError);
    }
    await lock.release();
  });

  it('is dead after 90 seconds, whoever has it then', async () => {
    const folder = newFolder();
    const clock = new FakeClock();
    const first = await lockOf(folder, { clock });
    age(folder, 85_000);
    await expect(lockOf(folder)).rejects.toThrow(LakeBusyError);
    age(folder, 10_000);
    const other = new WaitingClock();
    const second = await lockOf(folder, { clock: other });
    expect(other.delays).toEqual([WATCH_MS, RENEWAL_MS]);
    // The first one notices it by itself, and at its next write.
    const store = new FolderStore(folder, first);
    await expect(replaceText(store, 'text', 'x', undefined)).rejects.toThrow(LakeTakenError);
    await expect(store.remove('text')).rejects.toThrow(LakeTakenError);
    await clock.advance(RENEWAL_MS);
    expect(first.signal.reason).toBeInstanceOf(LakeTakenError);
    await expect(first.release()).rejects.toThrow(
      `This command stood still for too long, and another began to write the lake ${folder}.`,
    );
    second.assertHeld();
    await second.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not dead when its machine has slept and its holder renews it now', async () => {
    const folder = newFolder();
    const clock = new FakeClock();
    const first = await lockOf(folder, { clock });
    age(folder, 8 * 3_600_000);
    const other = new WaitingClock();
    other.whileWaiting = (delayMs) => (delayMs === WATCH_MS ? renewed(folder, clock) : Promise.resolve());
    await expect(lockOf(folder, { clock: other })).rejects.toThrow(LakeBusyError);
    first.assertHeld();
    await first.release();
  });

  it('ends the work of a holder that lost it, and its failure says so', async () => {
    const folder = newFolder();
    const clock = new FakeClock();
    const work = withStoreToWrite(folder, lockRequest({ clock }), async ({ signal }) => {
      age(folder, 91_000);
      const other = await lockOf(folder, { clock: new WaitingClock() });
      await clock.advance(RENEWAL_MS);
      while (!signal.aborted) await settled();
      await other.release();
      throw new Error('what the work made of it');
    });
    await expect(work).rejects.toThrow(LakeTakenError);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (folder: string) => void]>([
    ['as it gave it back', (folder) => mkdirSync(join(folder, '.lock/held/a'), { recursive: true })],
    ['once it had given it back', (folder) => mkdirSync(join(folder, '.lock/held'), { recursive: true })],
    ['as it asked for it', (folder) => mkdirSync(join(folder, '.lock/b/b'), { recursive: true })],
    ['as it took it from a dead one', (folder) => mkdirSync(join(folder, '.lock/c'), { recursive: true })],
  ])('is free again, and nothing stays, where a writer died %s', async (_when, leave) => {
    const folder = newFolder();
    leave(folder);
    writeFileSync(join(folder, '.lock/d'), 'x');
    const lock = await lockOf(folder, { clock: new WaitingClock() });
    expect(readdirSync(join(folder, '.lock'))).toEqual(['held']);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** A process that writes the lake. */
function writer(lake: string, command: string) {
  const child = spawn(process.execPath, [resolve('test/support/lake/lock-process.ts'), lake, command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  return {
    next,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    say: (line: string) => {
      child.stdin.write(`${line}\n`);
      return next();
    },
  };
}

describe('processes', () => {
  it('one of which is stopped for too long: it stops by itself, and what the other wrote stays', async () => {
    const lake = newFolder();
    const first = writer(lake, 'first');
    expect(await first.next()).toBe('held');
    expect(await first.say('of the first')).toBe('written');
    first.kill('SIGSTOP');
    age(lake, 91_000);
    const second = writer(lake, 'second');
    expect(await second.next()).toBe('held');
    expect(await second.say('of the second')).toBe('written');
    first.kill('SIGCONT');
    expect(await first.say('late')).toBe('LakeTakenError');
    expect(readFileSync(join(lake, 'text'), 'utf8')).toBe('of the second');
    expect(await second.say('end')).toBe('ended');
    expect(filesIn(lake)).toEqual(['text']);
  });

  it('of which several wait at the lock of a killed one: they go one after the other', async () => {
    const lake = newFolder();
    const killed = writer(lake, 'killed');
    expect(await killed.next()).toBe('held');
    killed.kill('SIGKILL');
    writeFileSync(join(holderFile(lake), '../half.part'), 'half an object');
    age(lake, 91_000);
    const waiting = ['a', 'b', 'c'].map((name) => ({ name, ...writer(lake, name) }));
    const held = new Map(waiting.map((each) => [each.name, each.next().then((line) => ({ each, line }))]));
    const order: string[] = [];
    while (held.size > 0) {
      const { each, line } = await Promise.race(held.values());
      held.delete(each.name);
      expect(line).toBe('held');
      // The others still wait while this one writes.
      expect(readFileSync(holderFile(lake), 'utf8')).toMatch(new RegExp(`^${each.name},`));
      order.push(each.name);
      expect(await each.say(order.join(''))).toBe('written');
      expect(filesIn(lake).filter((file) => file.endsWith('.part'))).toEqual([]);
      expect(await each.say('end')).toBe('ended');
    }
    expect(readFileSync(join(lake, 'text'), 'utf8')).toBe(order.join(''));
    expect(order.toSorted()).toEqual(['a', 'b', 'c']);
    expect(readdirSync(lake)).toEqual(['text']);
  });
});
