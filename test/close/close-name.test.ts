import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { writeClose } from '../../lib/close/close-folder.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';

const victim = join(sharedFolder(), 'companies.json');

/** Another user who waits for the close to get its name. */
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof Files>();
  return {
    ...files,
    rename: async (from: string, to: string) => {
      await files.rename(from, to);
      symlinkSync(victim, join(dirname(to), `.${basename(to)}`));
    },
  };
});

it.skipIf(process.platform === 'win32')('a close empties no file by a link beside it', async () => {
  writeFileSync(victim, '{}');
  async function* files() {
    yield ['informe.html', ''] as const;
  }
  const folder = await writeClose(newFolder(), '219999830019', '2026-10', files(), () => ({}));
  expect({ folder: basename(folder), victim: readFileSync(victim, 'utf8') }).toEqual({
    folder: '2026-10',
    victim: '{}',
  });
});
