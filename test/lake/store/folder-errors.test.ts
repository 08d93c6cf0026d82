import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SOURCE_KEY } from '../../../lib/lake/layout.ts';
import { DamagedObjectError } from '../../../lib/lake/parquet/reader.ts';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { explained } from '../../../lib/lake/store/folder-files.ts';
import {
  LakeMissingError,
  openStore,
  openStoreToRead,
  withStoreToWrite,
} from '../../../lib/lake/store/open-store.ts';
import { WrongInputError } from '../../../lib/system/errors.ts';
import { filesIn, newFolder, objectOf } from '../../support/lake/lake-folder.ts';
import { lockRequest } from '../../support/lake/lock-request.ts';
import { becomeAnother, giveAway } from '../../support/system/another-user.ts';

const { opened, readOnly } = vi.hoisted(() => ({
  opened: new Set<{ readonly fd: number }>(),
  /** Below these folders, none can be made. */
  readOnly: new Set<string>(),
}));

// Notes the files that are opened.
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const open = async (...args: Parameters<typeof real.open>) => {
    const file = await real.open(...args);
    opened.add(file);
    return file;
  };
  return { ...real, open };
});

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs')>();
  // As Node's: `recursive` does not tell the reason.
  const mkdirSync = (path: string, options?: { recursive?: boolean }) => {
    if ([...readOnly].every((folder) => !path.startsWith(folder))) return real.mkdirSync(path, options);
    const code = options?.recursive ? 'ENOENT' : 'EROFS';
    throw Object.assign(new Error(`${code}: mkdir`), { code, syscall: 'mkdir', path });
  };
  return { ...real, mkdirSync };
});

const KEY = 'recibidos/fecha=2026-11-19/219999830019.parquet';

function writing(store: FolderStore, label = 'one'): Promise<unknown> {
  return store.replace(KEY, objectOf(label), { metadata: { label }, expected: undefined });
}

const sockets = createServer();

async function fileOfAnotherLake(): Promise<string> {
  const folder = newFolder();
  await writing(new FolderStore(folder));
  return join(folder, KEY);
}

describe('errors of a folder as the lake', () => {
  it('names the file and the reason when a write is refused', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'recibidos'), 'a file where the table should be');
    const store = new FolderStore(folder);
    await expect(writing(store)).rejects.toThrow(
      `The lake ${folder}: writing ${KEY} failed: a file stands where a folder should (`,
    );
  });

  it.skipIf(process.platform === 'win32').each([
    ['pipe', async (path: string) => void execFileSync('mkfifo', [path])],
    ['socket', async (path: string) => void (await once(sockets.listen(path), 'listening'))],
    ['link', async (path: string) => symlinkSync(await fileOfAnotherLake(), path)],
    ['link to nothing', async (path: string) => symlinkSync('nowhere', path)],
  ])('refuses a %s by name, and does not wait for it', async (_, make) => {
    const folder = newFolder();
    const store = new FolderStore(folder);
    for (const [key, kind, said] of [
      [KEY, DamagedObjectError, `${KEY} in ${folder} is damaged, or not a Parquet file: it is a link,`],
      [
        SOURCE_KEY,
        WrongInputError,
        `${SOURCE_KEY} in ${folder} is no ordinary file: it is a link, a pipe, a socket or a device. Remove it,`,
      ],
    ] as const) {
      mkdirSync(dirname(join(folder, key)), { recursive: true });
      await make(join(folder, key));
      for (const read of [() => store.open(key), () => store.find(key)]) {
        const error = await read().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(kind);
        expect(error).toMatchObject({ message: expect.stringContaining(said) });
      }
      sockets.close();
    }
    for (const file of opened) expect(file.fd).toBe(-1);
  });

  it.skipIf(process.platform === 'win32')('removes nothing behind a link of another user', async () => {
    const [folder, home] = [newFolder(), newFolder()];
    const store = new FolderStore(home);
    await writing(store);
    symlinkSync(join(home, 'recibidos'), join(folder, 'recibidos'));
    giveAway(join(folder, 'recibidos'));
    becomeAnother();
    await expect(new FolderStore(folder).remove(KEY)).rejects.toThrow('is a link');
    expect(filesIn(home)).toEqual([KEY]);
  });

  it('says which folder or file is at fault: one of many may belong to another user', async () => {
    const failing = (place: string) =>
      explained('lake', 'listing recibidos', async () => {
        const fault = { code: 'EACCES', syscall: 'scandir', path: resolve('lake', place) };
        throw Object.assign(new Error('no'), fault);
      });
    await expect(failing('recibidos/fecha=2026-11-19')).rejects.toThrow(
      'listing recibidos failed: permission is denied (EACCES) at recibidos/fecha=2026-11-19. Change its',
    );
    await expect(failing('')).rejects.toThrow(
      'listing recibidos failed: permission is denied (EACCES). Change its',
    );
  });

  it.each<[whatFailed: string, (store: FolderStore) => Promise<unknown>]>([
    ['reading', (store) => store.find(KEY)],
    ['removing', (store) => store.remove(KEY)],
  ])('say what failed, and leave no file open: %s', async (whatFailed, work) => {
    const folder = newFolder();
    // A folder where a file should be.
    mkdirSync(join(folder, KEY), { recursive: true });
    opened.clear();
    await expect(work(new FolderStore(folder))).rejects.toThrow(
      `The lake ${folder}: ${whatFailed} ${KEY} failed`,
    );
    expect([...opened].filter(({ fd }) => fd !== -1)).toEqual([]);
  });

  it('passes on what the source of the bytes throws', async () => {
    const store = new FolderStore(newFolder());
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('PAR1');
      throw new RangeError('no such column');
    };
    const replacement = store.replace(KEY, broken(), { metadata: {}, expected: undefined });
    await expect(replacement).rejects.toThrow(new RangeError('no such column'));
  });

  it.each([
    ['empty', ''],
    ['of another kind', 'a text of more than twelve bytes'],
    ['cut', 'PAR1 and then no footer'],
  ])('names a file that is %s', async (_what, content) => {
    const folder = newFolder();
    mkdirSync(join(folder, 'recibidos/fecha=2026-11-19'), { recursive: true });
    writeFileSync(join(folder, KEY), content);
    const store = new FolderStore(folder);
    await expect(store.find(KEY)).rejects.toThrow(DamagedObjectError);
    await expect(store.find(KEY)).rejects.toThrow(
      `${KEY} in ${folder} is damaged, or not a Parquet file: it`,
    );
  });
});

describe('opening', () => {
  it('to write makes the folder and those above it, and leaves only the file of its lock in it', async () => {
    const folder = join(newFolder(), 'one/two/three');
    await withStoreToWrite(folder, lockRequest(), async () => undefined);
    expect(filesIn(folder)).toEqual([]);
    await expect(openStoreToRead(folder)).resolves.toBeInstanceOf(FolderStore);
  });

  it('to write refuses a place for files, before anything is read for it', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    for (const place of [file, join(file, 'lake')]) {
      const error = await withStoreToWrite(place, lockRequest(), async () => 'worked').catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ name: 'CfeLakeError', exitCode: 2 });
    }
  });

  it('to write refuses a lake on a disk that is read-only', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'origen.json'), '{}');
    readOnly.add(folder);
    await expect(withStoreToWrite(folder, lockRequest(), async () => 'worked')).rejects.toThrow(
      `The lake ${folder}: preparing it failed: the disk is read-only (EROFS). Choose another place.`,
    );
    readOnly.clear();
  });

  it('to read refuses a folder that does not exist, or is not one', async () => {
    const file = join(newFolder(), 'file');
    await expect(openStoreToRead(file)).rejects.toThrow(LakeMissingError);
    writeFileSync(file, '');
    await expect(openStoreToRead(file)).rejects.toThrow(LakeMissingError);
    await expect(openStore(file)).resolves.toBeInstanceOf(FolderStore);
  });
});
