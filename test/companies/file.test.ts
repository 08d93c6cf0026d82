import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readCompaniesFile } from '../../lib/companies/company.ts';
import { WrongInputError } from '../../lib/system/errors.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = newFolder();
  path = join(folder, 'companies.json');
});

async function failure(file: string): Promise<WrongInputError> {
  const error = await readCompaniesFile(file).catch((reason: unknown) => reason);
  if (error instanceof WrongInputError) return error;
  throw new Error('no WrongInputError was thrown');
}

describe('readCompaniesFile', () => {
  it('returns the companies in the order of the file', async () => {
    await writeFile(path, '{"219999830019": "t2", "211003420017": "t1"}');
    const { companies } = await readCompaniesFile(path);
    expect(companies.map(({ rut, token }) => [rut, token?.reveal()])).toEqual([
      ['219999830019', 't2'],
      ['211003420017', 't1'],
    ]);
  });

  it('lists every problem, a line each, and returns no company', async () => {
    const companies = [
      { rut: '211003420017', token: '' },
      { rut: '219999830019', token: 't' },
      { rut: '219999830019', token: 'u' },
    ];
    await writeFile(path, JSON.stringify({ companies }));
    const error = await failure(path);
    expect(error.message.split('\n')).toEqual([
      `${path}, entry 1, RUT 211003420017: the token is empty`,
      `${path}, entry 3, RUT 219999830019: entry 2 has the same RUT: keep one of them`,
    ]);
  });

  it('says that the file is missing, or a folder', async () => {
    expect((await failure(path)).message).toContain(
      `--companies ${path}: it can't be read: there is no such file or folder (ENOENT): check its name, or write {`,
    );
    await mkdir(path);
    expect((await failure(path)).message).toContain('it is a folder, not a file (EISDIR)');
  });

  it.runIf(process.platform === 'linux')('reads an ordinary file alone, and waits for no pipe', async () => {
    execFileSync('mkfifo', ['-m', '600', path]);
    for (const file of [path, '/dev/zero'])
      expect((await failure(file)).message).toBe(
        `--companies ${file}: it can't be read: it is not an ordinary file`,
      );
  });

  it.each<[string, Buffer]>([
    ['UTF-16 with a mark', Buffer.from('\uFEFF{"219999830019": "t"}', 'utf16le')],
    [
      'Windows-1252',
      Buffer.from('{"companies": [{"rut": "219999830019", "token": "t", "name": "Ñandú"}]}', 'latin1'),
    ],
    ['no text at all', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1])],
  ])('names the encoding to save a file in: %s', async (_, bytes) => {
    await writeFile(path, bytes);
    expect((await failure(path)).message).toBe(
      `${path}: it is not UTF-8 text: save it again with the encoding UTF-8`,
    );
  });

  it('reads UTF-8 with a byte order mark, as editors on Windows write it', async () => {
    await writeFile(path, '\uFEFF{"219999830019": "t2"}');
    expect((await readCompaniesFile(path)).companies).toHaveLength(1);
  });
});
