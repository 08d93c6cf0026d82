import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { StaleObjectError } from '../../../lib/lake/store/store.ts';
import { campaign } from '../../support/campaign.ts';
import { Turns } from '../../support/lake/fs-turns.ts';
import { filesIn, labelOf, newFolder, objectOf } from '../../support/lake/lake-folder.ts';

const { turns } = vi.hoisted(() => ({ turns: { now: undefined as Turns | undefined } }));

// Every file system call that changes or reads a name waits for its turn.
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const inTurn =
    <Args extends unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await turns.now?.turn();
      return await operation(...args);
    };
  const { link, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } = real;
  return {
    ...real,
    link: inTurn(link),
    mkdir: inTurn(mkdir),
    open: inTurn(open),
    readdir: inTurn(readdir as (path: string) => Promise<string[]>),
    rename: inTurn(rename),
    rm: inTurn(rm),
    rmdir: inTurn(rmdir as (path: string) => Promise<void>),
    stat: inTurn(stat as (path: string) => ReturnType<typeof stat>),
    unlink: inTurn(unlink),
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

/** The version and the label that one look finds. */
async function versionAndLabel(store: FolderStore): Promise<[string | undefined, string | undefined]> {
  const found = await store.find(KEY);
  return [found?.version, found?.metadata.label];
}
