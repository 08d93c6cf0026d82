import { describe, expect, it } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { StaleObjectError, type StoredObject } from '../../../lib/lake/store/store.ts';
import { campaign } from '../../support/campaign.ts';
import { filesIn, labelOf, newFolder, objectOf } from '../../support/lake/lake-folder.ts';

const KEY = 'emitidos/fecha=2026-11-19/219999830019.parquet';

/** Replaces the object and returns the label; undefined if `expected` is stale. */
async function tryReplace(
  store: FolderStore,
  label: string,
  expected: StoredObject | undefined,
): Promise<string | undefined> {
  try {
    await store.replace(KEY, objectOf(label), { metadata: {}, expected });
    return label;
  } catch (error) {
    expect(error).toBeInstanceOf(StaleObjectError);
    return undefined;
  }
}

/** Lets others go first for this many turns. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('many writers that found the same object', () => {
  it('have exactly one succeed, and its object stands', async () => {
    const folder = newFolder();
    for (let round = 0; round < campaign({ quick: 20, long: 60 }); round += 1) {
      const expected = await new FolderStore(folder).find(KEY);
      const labels = await Promise.all(
        Array.from({ length: 10 }, async (_, writer) => {
          await turns((writer * 7 + round) % 13);
          return await tryReplace(new FolderStore(folder), `${round}-${writer}`, expected);
        }),
      );
      const succeeded = labels.filter((label) => label !== undefined);
      expect(succeeded).toEqual([await labelOf(new FolderStore(folder), KEY)]);
    }
    expect(filesIn(folder)).toEqual([KEY]);
  });
});

describe('writers that try again when they were too late', () => {
  it('each replace another version, and all of them get their turn', async () => {
    const folder = newFolder();
    const replaced: (string | undefined)[] = [];
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        const store = new FolderStore(folder);
        for (let count = 0; count < 5; ) {
          await turns(writer % 3);
          const expected = await store.find(KEY);
          if ((await tryReplace(store, `${writer}-${count}`, expected)) === undefined) continue;
          replaced.push(expected?.version);
          count += 1;
        }
      }),
    );
    expect(replaced).toHaveLength(30);
    expect(new Set(replaced).size).toBe(30);
    expect(filesIn(folder)).toEqual([KEY]);
  });
});

describe('readers', () => {
  it('always find a whole object, however often it is replaced', async () => {
    const folder = newFolder();
    const store = new FolderStore(folder);
    await tryReplace(store, 'first', undefined);
    let isOver = false;
    const reading = (async () => {
      let count = 0;
      for (; !isOver; count += 1) {
        const bytes = await store.open(KEY);
        const content = Buffer.from(await bytes.slice(0));
        await bytes.close();
        expect({ head: content.subarray(0, 4).toString(), tail: content.subarray(-4).toString() }).toEqual({
          head: 'PAR1',
          tail: 'PAR1',
        });
      }
      return count;
    })();
    for (let round = 0; round < campaign({ quick: 40, long: 100 }); round += 1) {
      await tryReplace(store, `round ${round}`, await store.find(KEY));
    }
    isOver = true;
    expect(await reading).toBeGreaterThan(10);
  });
});
