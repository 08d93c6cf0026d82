import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeFile, INDEX, readClose, writeClose } from '../../lib/close/close-folder.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const NAME = 'emitidos.parquet';
const ABOUT = {
  ...{ version: '1', month: '2026-10', rut: '219999830019', name: null, madeAt: '', state: 'complete' },
  ...{ sentence: '', accepted: [], lists: [], ui: {}, columns: {}, read: [] },
};

async function made(): Promise<string> {
  async function* files() {
    yield [NAME, 'PAR1'] as const;
  }
  return await writeClose(newFolder(), ABOUT.rut, ABOUT.month, files(), () => ABOUT);
}

const PUT: [string, (path: string) => void][] = [
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a file without an end', (path) => symlinkSync('/dev/zero', path)],
];

describe.skipIf(process.platform === 'win32')('a close that another user changed', () => {
  it.each(PUT)('is refused at once: %s in the place of a file', async (_what, put) => {
    const folder = await made();
    const close = await readClose(folder);
    expect(String(await closeFile(close, NAME))).toBe('PAR1');
    rmSync(join(folder, NAME));
    put(join(folder, NAME));
    await expect(closeFile(close, NAME)).rejects.toThrow('is not as the close wrote it');
  });

  it.each(PUT)('is refused at once: %s in the place of its index', async (_what, put) => {
    const folder = await made();
    rmSync(join(folder, INDEX));
    put(join(folder, INDEX));
    await expect(readClose(folder)).rejects.toThrow('is no close');
  });
});
