import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer as bytesOf } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { LakeTakenError } from '../../../lib/lake/store/folder-lock.ts';
import { withStoreToWrite } from '../../../lib/lake/store/open-store.ts';
import { readText, replaceText, StaleObjectError } from '../../../lib/lake/store/store.ts';
import type { Clock } from '../../../lib/time/clock.ts';
import { campaign } from '../../support/campaign.ts';
import { Turns } from '../../support/lake/fs-turns.ts';
import { filesIn, labelOf, newFolder, objectOf } from '../../support/lake/lake-folder.ts';
import { lockRequest } from '../../support/lake/lock-request.ts';

const { turns, fileClock, between } = vi.hoisted(() => ({
  turns: { now: undefined as Turns | undefined },
  /** The file system's clock, where a test sets it. */
  fileClock: { nowMs: undefined as number | undefined },
  /** Happens before a step that a process takes without waiting. */
  between: { step: undefined as ((name: string, path: unknown) => void) | undefined },
}));

// Every file system call that changes or reads a name waits for its turn.
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const inTurn =
    <Args extends unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await turns.now?.turn();
      return await operation(...args);
    };
  const { link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, unlink, utimes, writeFile } = real;
  const writeOnClock = async (path: string, data: string, options: Parameters<typeof writeFile>[2]) => {
    await writeFile(path, data, options);
    const { nowMs } = fileClock;
    if (nowMs !== undefined) await utimes(path, nowMs / 1000, nowMs / 1000);
  };
  return {
    ...real,
    link: inTurn(link),
    mkdir: inTurn(mkdir),
    open: inTurn(open),
    readdir: inTurn(readdir as (path: string) => Promise<string[]>),
    readFile: inTurn((path: string) => readFile(path, 'utf8')),
    rename: inTurn(rename),
    rm: inTurn(rm),
    rmdir: inTurn(rmdir as (path: string) => Promise<void>),
    stat: inTurn(stat as (path: string) => ReturnType<typeof stat>),
    unlink: inTurn(unlink),
    writeFile: inTurn(writeOnClock),
  };
});

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs')>();
  const after =
    <Args extends unknown[], Result>(name: string, operation: (...args: Args) => Result) =>
    (...args: Args): Result => {
      between.step?.(name, args.at(name === 'statSync' ? 0 : 1));
      return operation(...args);
    };
  return {
    ...real,
    statSync: after('statSync', real.statSync as (path: string) => unknown),
    renameSync: after('renameSync', real.renameSync),
    linkSync: after('linkSync', real.linkSync),
  };
});

const KEY = 'recibidos/fecha=2026-11-19/219999830019.parquet';
const order = fc.array(fc.nat(3), { minLength: 40, maxLength: 40 });

/** A writer that finds the object and replaces it, retrying while it is stale. Returns the number of attempts. */
function untilReplaced(store: FolderStore, label: string): () => Promise<number> {
  return async () => {
    for (let attempt = 1; ; attempt += 1) {
      const expected = await store.find(KEY);
      try {
        await store.replace(KEY, objectOf(label), { metadata: {}, expected });
        return attempt;
      } catch (error) {
        if (!(error instanceof StaleObjectError)) throw error;
      }
    }
  };
}

describe('in any order of their steps', () => {
  it('one of the writers that found the same object succeeds, and its object stands', async () => {
    await fc.assert(
      fc.asyncProperty(order, fc.boolean(), async (steps, isFirst) => {
        const folder = newFolder();
        const store = new FolderStore(folder);
        if (!isFirst) await store.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
        const expected = await store.find(KEY);
        turns.now = new Turns();
        const labels = ['a', 'b', 'c'];
        const outcomes = await turns.now.run(
          labels.map((label) => async () => {
            try {
              await new FolderStore(folder).replace(KEY, objectOf(label), { metadata: {}, expected });
              return label;
            } catch (error) {
              expect(error).toBeInstanceOf(StaleObjectError);
              return undefined;
            }
          }),
          steps,
        );
        expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual([await labelOf(store, KEY)]);
        expect(filesIn(folder)).toEqual([KEY]);
      }),
      { numRuns: campaign({ quick: 20, long: 200 }) },
    );
  });

  it('writers that try again all succeed, even when others are killed at any step', async () => {
    const kills = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 12 })), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(order, kills, fc.boolean(), async (steps, killAt, isFirst) => {
        const folder = newFolder();
        const store = new FolderStore(folder);
        if (!isFirst) await store.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
        turns.now = new Turns();
        const labels = ['a', 'b', 'c', 'd'];
        const writers = labels.map((label) => untilReplaced(new FolderStore(folder), label));
        const attempts = await turns.now.run(writers, steps, new Map(killAt));
        turns.now = undefined;

        const label = await labelOf(store, KEY);
        const isKilled = attempts.every((attempt) => attempt === undefined);
        expect([...labels, ...(isKilled ? ['old', undefined] : [])]).toContain(label);
        expect(filesIn(folder).filter((file) => !file.startsWith('.staging/') && file !== KEY)).toEqual([]);

        expect(await untilReplaced(store, 'next')()).toBe(1);
        expect(await labelOf(store, KEY)).toBe('next');
      }),
      { numRuns: campaign({ quick: 20, long: 200 }) },
    );
  });

  it('who looks an object up sees one version of it, or none', async () => {
    await fc.assert(
      fc.asyncProperty(order, async (steps) => {
        const store = new FolderStore(newFolder());
        await store.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
        const written = new Map([await versionAndLabel(store)]);
        const seen: Awaited<ReturnType<typeof versionAndLabel>>[] = [];
        const looking = async () => {
          for (let look = 0; look < 5; look += 1) seen.push(await versionAndLabel(store));
        };
        const writing = async () => {
          for (const label of ['new', 'newer']) {
            await untilReplaced(store, label)();
            written.set(...(await versionAndLabel(store)));
          }
          await store.remove(KEY);
        };
        turns.now = new Turns();
        await turns.now.run([looking, writing], steps);
        turns.now = undefined;
        const unexpected = seen.filter(([version, label]) => written.get(version) !== label);
        expect(unexpected).toEqual([]);
      }),
      { numRuns: campaign({ quick: 20, long: 200 }) },
    );
  });
});

const COUNTER = 'counter';

describe('writers that wait for the lock, and take it from others that stand still', () => {
  it('lose no write of each other, in any order of their steps, and whoever is killed', async () => {
    const totals = { writes: 0, takings: 0 };
    const kills = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 60 })), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(order, kills, async (steps, killAt) => {
        const folder = newFolder();
        const all = new Turns();
        fileClock.nowMs = Date.UTC(2026, 10, 20, 9);
        let writes = 0;
        const writer = (command: string) => async (): Promise<void> => {
          await withStoreToWrite(
            folder,
            lockRequest({ command, waitMs: Infinity, clock }),
            async ({ store }) => {
              for (let round = 0; round < 3; round += 1) {
                const expected = await store.find(COUNTER);
                const count = Number((await readText(store, COUNTER)) ?? 0);
                await replaceText(store, COUNTER, String(count + 1), expected);
                writes += 1;
              }
            },
          ).catch((error: unknown) => {
            if (!(error instanceof LakeTakenError)) throw error;
            totals.takings += 1;
          });
        };
        // Nobody renews the lock, and waiting takes long: a holder is taken for dead while it works.
        const clock: Clock = {
          now: () => fileClock.nowMs ?? 0,
          monotonicMs: () => 0,
          sleep: async (delayMs, signal) => {
            if (delayMs === 10_000)
              await new Promise((_, reject) => signal?.addEventListener('abort', reject));
            await all.turn();
            const held = filesIn(folder).filter((file) => /^\.lock\/held\/.*\/holder$/.test(file));
            expect(held.length).toBeLessThanOrEqual(1);
            fileClock.nowMs = (fileClock.nowMs ?? 0) + delayMs * 100;
          },
        };
        turns.now = all;
        await all.run(['a', 'b', 'c'].map(writer), steps, new Map(killAt));
        turns.now = undefined;
        const count = Number((await readText(new FolderStore(folder), COUNTER)) ?? 0);
        expect(count).toBeGreaterThanOrEqual(writes);
        expect(count).toBeLessThanOrEqual(writes + new Map(killAt).size);
        totals.writes += writes;

        // The next writer is not held up by what is left, and leaves none of it.
        await withStoreToWrite(folder, lockRequest({ waitMs: Infinity, clock }), async () => undefined);
        fileClock.nowMs = undefined;
        expect(readdirSync(folder)).toEqual(count === 0 ? [] : [COUNTER]);
      }),
      { numRuns: campaign({ quick: 150, long: 300 }) },
    );
    expect(totals.writes).toBeGreaterThan(20);
    expect(totals.takings).toBeGreaterThan(5);
    process.stdout.write(`${totals.writes} writes, ${totals.takings} locks taken from their holder\n`);
  });

  it.each(
    [true, false].flatMap((isFirst) =>
      (isFirst ? ['linkSync'] : ['statSync', 'renameSync']).map((step) => [step, isFirst]),
    ),
  )('lose none even at the moment of a replacement: at its %s, of no object yet: %s', async (at, isFirst) => {
    const folder = newFolder();
    const plain = new FolderStore(folder);
    if (isFirst !== true) await plain.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
    const other = await bytesOf(objectOf('other'));
    const expected = await plain.find(KEY);
    const writing = withStoreToWrite(folder, lockRequest(), async ({ store }) => {
      between.step = (name, path) => {
        if (name !== at || path !== join(folder, KEY)) return;
        between.step = undefined;
        // This process stands still here. Another takes its lock, and writes.
        const [holder = ''] = readdirSync(join(folder, '.lock/held'));
        renameSync(join(folder, '.lock/held', holder), join(folder, '.lock', holder));
        writeFileSync(join(folder, 'written'), other);
        renameSync(join(folder, 'written'), join(folder, KEY));
      };
      await store.replace(KEY, objectOf('late'), { metadata: {}, expected });
    });
    await expect(writing).rejects.toThrow(LakeTakenError);
    expect(between.step).toBeUndefined();
    expect(await labelOf(plain, KEY)).toBe('other');
    await withStoreToWrite(folder, lockRequest(), async () => undefined);
    expect(filesIn(folder)).toEqual([KEY]);
  });
});

/** The version and the label that one look finds. */
async function versionAndLabel(store: FolderStore): Promise<[string | undefined, string | undefined]> {
  const found = await store.find(KEY);
  return [found?.version, found?.metadata.label];
}
