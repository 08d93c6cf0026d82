import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markKey } from '../../../lib/lake/layout.ts';
import { listMarks } from '../../../lib/lake/marks.ts';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { ObjectMissingError, StaleObjectError } from '../../../lib/lake/store/store.ts';
import { RECIBIDOS } from '../../../lib/lake/tables.ts';
import { laggingRuts } from '../../../lib/publish/publish-day.ts';
import { failingAfter, inChunks } from '../../support/lake/bytes.ts';
import { filesIn, labelOf, newFolder, objectOf } from '../../support/lake/lake-folder.ts';
import { lockRequest } from '../../support/lake/lock-request.ts';

const KEY = 'recibidos/fecha=2026-11-19/219999830019.parquet';

function newStore() {
  const folder = newFolder();
  return { folder, store: new FolderStore(folder) };
}

const keysIn = (store: FolderStore, folder: string) => Array.fromAsync(store.list(folder));

describe('an object of the folder', () => {
  it('does not exist before it is written', async () => {
    const { store, folder } = newStore();
    expect(await store.find(KEY)).toBeUndefined();
    const opening = store.open(KEY);
    await expect(opening).rejects.toThrow(ObjectMissingError);
    await expect(opening).rejects.toThrow(`${folder} holds no ${KEY}. Export that day first.`);
    expect(await keysIn(store, 'recibidos')).toEqual([]);
  });

  it('is found as it was written, with its size and its metadata', async () => {
    const { store, folder } = newStore();
    const { byteCount } = await store.replace(KEY, objectOf('one'), { metadata: {}, expected: undefined });
    expect(await store.find(KEY)).toMatchObject({ key: KEY, byteCount, metadata: { label: 'one' } });
    expect(readFileSync(join(folder, KEY))).toHaveLength(byteCount);
    expect(await labelOf(store, KEY)).toBe('one');
  });

  it('has another version after each replacement, even with the same bytes', async () => {
    const { store } = newStore();
    const versions = new Set<string | undefined>();
    for (let round = 0; round < 20; round += 1) {
      const expected = await store.find(KEY);
      versions.add(expected?.version);
      await store.replace(KEY, objectOf('same'), { metadata: {}, expected });
    }
    expect(versions.size).toBe(20);
  });

  it('stays readable for a reader that opened it before it was replaced', async () => {
    const { store } = newStore();
    await store.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
    const opened = await store.open(KEY);
    const before = Buffer.from(await opened.slice(0));
    await store.replace(KEY, objectOf('new and longer'), { metadata: {}, expected: await store.find(KEY) });
    expect(Buffer.from(await opened.slice(0))).toEqual(before);
    expect(Buffer.from(await opened.slice(4, 20))).toEqual(before.subarray(4, 20));
    await opened.close();
    expect(await labelOf(store, KEY)).toBe('new and longer');
  });

  it('can be removed, even twice', async () => {
    const { store } = newStore();
    await store.replace(KEY, objectOf('one'), { metadata: {}, expected: undefined });
    await store.remove(KEY);
    await store.remove(KEY);
    expect(await store.find(KEY)).toBeUndefined();
  });

  it('leaves nothing else behind, in the tables or beside them', async () => {
    const { store, folder } = newStore();
    for (const label of ['one', 'two', 'three']) {
      await store.replace(KEY, objectOf(label), { metadata: {}, expected: await store.find(KEY) });
    }
    expect(filesIn(folder)).toEqual([KEY]);
  });
});

describe('a replacement', () => {
  it('whose bytes fail half-way leaves the old object, and nothing else', async () => {
    const { store, folder } = newStore();
    await store.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
    const before = readFileSync(join(folder, KEY));
    for (const chunks of [0, 1, 3]) {
      const bytes = failingAfter(chunks, before, 20);
      const replacing = store.replace(KEY, bytes, { metadata: {}, expected: await store.find(KEY) });
      await expect(replacing).rejects.toThrow('the encoder failed');
    }
    expect(readFileSync(join(folder, KEY))).toEqual(before);
    expect(filesIn(folder)).toEqual([KEY]);
  });

  it('is not seen in the tables while its bytes are coming', async () => {
    const { store, folder } = newStore();
    const seen: string[][] = [];
    const bytes = async function* () {
      for await (const chunk of objectOf('one')) {
        for await (const piece of inChunks(chunk, 50)) {
          seen.push(filesIn(folder).filter((file) => !file.startsWith('.')));
          yield piece;
        }
      }
    };
    await store.replace(KEY, bytes(), { metadata: {}, expected: undefined });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.flat()).toEqual([]);
    expect(await labelOf(store, KEY)).toBe('one');
  });

  it('is refused when somebody else replaced the object since it was found', async () => {
    const { store, folder } = newStore();
    await store.replace(KEY, objectOf('one'), { metadata: {}, expected: undefined });
    const expected = await store.find(KEY);
    await store.replace(KEY, objectOf('two'), { metadata: {}, expected });
    for (const stale of [expected, undefined]) {
      const replacing = store.replace(KEY, objectOf('three'), { metadata: {}, expected: stale });
      await expect(replacing).rejects.toThrow(StaleObjectError);
      await expect(replacing).rejects.toThrow(`${KEY} was replaced by another run`);
    }
    expect(await labelOf(store, KEY)).toBe('two');
    expect(filesIn(folder)).toEqual([KEY]);
  });

  it('is refused when the object was removed since it was found', async () => {
    const { store, folder } = newStore();
    await store.replace(KEY, objectOf('one'), { metadata: {}, expected: undefined });
    const expected = await store.find(KEY);
    rmSync(join(folder, KEY));
    await expect(store.replace(KEY, objectOf('two'), { metadata: {}, expected })).rejects.toThrow(
      StaleObjectError,
    );
    expect(filesIn(folder)).toEqual([]);
    await store.replace(KEY, objectOf('two'), { metadata: {}, expected: undefined });
    expect(await labelOf(store, KEY)).toBe('two');
  });

  it('of nothing at all is an empty file', async () => {
    const { store, folder } = newStore();
    const none = async function* (): AsyncGenerator<Uint8Array> {};
    expect(await store.replace('x/empty', none(), { metadata: {}, expected: undefined })).toEqual({
      byteCount: 0,
    });
    expect(readFileSync(join(folder, 'x/empty'))).toHaveLength(0);
  });
});

describe('keys', () => {
  it.each(['../outside.parquet', 'recibidos/../../outside', '/etc/passwd', '', '.', 'recibidos/..', '..'])(
    'never lead out of the folder: %j',
    async (key) => {
      const { store, folder } = newStore();
      const refusal = /is not a key of this lake/;
      await expect(store.find(key)).rejects.toThrow(refusal);
      await expect(store.open(key)).rejects.toThrow(refusal);
      await expect(store.remove(key)).rejects.toThrow(refusal);
      await expect(store.replace(key, objectOf('x'), { metadata: {}, expected: undefined })).rejects.toThrow(
        refusal,
      );
      expect(filesIn(folder)).toEqual([]);
      expect(existsSync(join(folder, '../outside.parquet'))).toBe(false);
    },
  );

  it('never lead into a folder whose name only begins with the same letters', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'lake-other'));
    writeFileSync(join(folder, 'lake-other/x'), 'x');
    const store = new FolderStore(join(folder, 'lake'));
    await expect(store.open('../lake-other/x')).rejects.toThrow(/is not a key/);
  });

  it('are listed in order, with / between their parts, and only those below the folder', async () => {
    const { store } = newStore();
    const keys = [
      'b/fecha=2026-01-02/2.parquet',
      'b/fecha=2026-01-01/1.parquet',
      'a/x.parquet',
      'bb/y.parquet',
    ];
    for (const key of keys) await store.replace(key, objectOf(key), { metadata: {}, expected: undefined });
    expect(await keysIn(store, 'b')).toEqual([
      'b/fecha=2026-01-01/1.parquet',
      'b/fecha=2026-01-02/2.parquet',
    ]);
    expect(await keysIn(store, 'b/fecha=2026-01-01')).toEqual(['b/fecha=2026-01-01/1.parquet']);
    expect(await keysIn(store, 'nowhere')).toEqual([]);
  });
});

describe('what somebody put into a lake that was sent', () => {
  /** Takes no room on the disk. */
  function hole(path: string, byteCount: number) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    truncateSync(path, byteCount);
  }

  it('is not read where only its name and its moment count', async () => {
    const { folder, store } = newStore();
    const key = markKey('recibidos', '2026-11-19', 'abc');
    hole(join(folder, key), 2 ** 39);
    utimesSync(join(folder, key), 0, 1_700_000_000.5);
    expect(await listMarks(store)).toMatchObject([{ key, day: '2026-11-19', storedAtMs: 1_700_000_000_500 }]);
  });

  it('is not read to its end where it is larger than any unit', async () => {
    const { folder, store } = newStore();
    const key = `unidades/${KEY}`;
    hole(join(folder, key), 2 ** 39);
    const listed = await Array.fromAsync(store.listFingerprints('unidades'));
    expect(listed).toMatchObject([{ key, fingerprint: `${2 ** 39} bytes` }]);
    const day = { table: RECIBIDOS, day: '2026-11-19' } as const;
    expect(await laggingRuts(store, day)).toEqual(['219999830019']);
    const end = () => AbortSignal.abort(new Error('told to end')).throwIfAborted();
    await expect(laggingRuts(store, day, end)).rejects.toThrow('told to end');
  });

  it('is a foreign name where it is a link in place of the marks', async () => {
    const { folder, store } = newStore();
    const other = newFolder();
    hole(join(other, 'recibidos/2026-11-19-abc'), 1);
    symlinkSync(other, join(folder, '.lagging'), 'junction');
    expect({ marks: await listMarks(store), names: [...store.foreignNames] }).toEqual({
      marks: [],
      names: ['.lagging'],
    });
  });

  it.each(['unidades', 'unidades/recibidos'])(
    'is neither read nor written through a link: %s',
    async (place) => {
      const { folder, store } = newStore();
      const { folder: other, store: theirs } = newStore();
      const key = `unidades/${KEY}`;
      await theirs.replace(key, objectOf('theirs'), { metadata: {}, expected: undefined });
      mkdirSync(dirname(join(folder, place)), { recursive: true });
      symlinkSync(join(other, place), join(folder, place), 'junction');
      const isLink = `${join(folder, place)} is a link`;
      await expect(keysIn(store, place)).rejects.toThrow(isLink);
      if (place === 'unidades') await expect(store.lock(lockRequest())).rejects.toThrow(isLink);
      await expect(store.remove(key)).rejects.toThrow(isLink);
      for (const read of [store.find(key), store.open(key)]) await expect(read).rejects.toThrow(isLink);
      const expected = await theirs.find(key);
      await expect(store.replace(key, objectOf('x'), { metadata: {}, expected })).rejects.toThrow(isLink);
      expect(await keysIn(theirs, place)).toEqual([key]);
      expect(await theirs.find(key)).toEqual(expected);
    },
  );
});
