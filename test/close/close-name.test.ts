import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { writeClose } from '../../lib/close/close-folder.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';

const out = sharedFolder();
const victim = join(out, 'companies.json');
const otherPart = join(out, '219999830019', `.2026-10.${randomUUID()}.part`);

const NO_RIGHTS = Object.assign(new Error('no rights'), { code: 'EACCES' });

/** Another close that gets its name, and another user who waits for this one to get its own. */
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof Files>();
  return {
    ...files,
    readdir: async (path: string) => {
      const names = await files.readdir(path);
      rmSync(otherPart, { recursive: true, force: true });
      return names;
    },
    rename: async (from: string, to: string) => {
      if (to.includes('2026-11')) throw NO_RIGHTS;
      await files.rename(from, to);
      symlinkSync(victim, join(dirname(to), `.${basename(to)}`));
    },
    writeFile: async (...asked: Parameters<typeof files.writeFile>) => {
      if (String(asked[0]).endsWith('.2026-12')) throw NO_RIGHTS;
      await files.writeFile(...asked);
    },
  };
});

async function* files() {
  yield ['informe.html', ''] as const;
}

it.each(['2026-11', '2026-12'])(
  'a close that gets no name, or cannot keep it, says why: %s',
  async (month) => {
    await expect(writeClose(out, '219999830019', month, files(), () => ({}))).rejects.toThrow('no rights');
  },
);

it.skipIf(process.platform === 'win32')(
  'a close empties no file by a link beside it, and needs nothing that another one has',
  async () => {
    mkdirSync(otherPart, { recursive: true });
    writeFileSync(victim, '{}');
    const folder = await writeClose(out, '219999830019', '2026-10', files(), () => ({}));
    expect({ folder: basename(folder), victim: readFileSync(victim, 'utf8') }).toEqual({
      folder: '2026-10',
      victim: '{}',
    });
  },
);
