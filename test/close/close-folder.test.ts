import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { closeFile, INDEX, newestClose, readClose, writeClose } from '../../lib/close/close-folder.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const NAME = 'emitidos.parquet';
const ABOUT = {
  version: '1',
  month: '2026-10',
  rut: '219999830019',
  name: null,
  madeAt: '',
  state: 'complete',
  sentence: '',
  accepted: [],
  lists: [],
  ui: {},
  columns: {},
  read: [],
};

async function made(): Promise<string> {
  async function* files() {
    yield [NAME, 'PAR1'] as const;
  }
  return await writeClose(newFolder(), ABOUT.rut, ABOUT.month, files(), () => ABOUT);
}

const PUT: [string, (path: string) => void][] = [
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a device without an end', (path) => symlinkSync('/dev/zero', path)],
  [
    'a file that only says that it is large',
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 511 * 2 ** 20);
    },
  ],
];

const INDEXES = {
  'more than 256 KB': { concerns: ['x'.repeat(256 * 1024)] },
  'more values than it has': { concerns: Array(10_001).fill(0) },
  'a column that is SQL': { columns: { resguardos: [{ name: 'rut AS x, 1', type: 'VARCHAR' }] } },
  'a UI that is SQL': { ui: { 2026: '1), (2027, (SELECT 1)' } },
  'a year that is SQL': { ui: { '2026, 1), (2027': '1' } },
  'another company than any': { rut: '9'.repeat(300) },
};

describe.skipIf(process.platform === 'win32')('a close that another user changed', () => {
  it.each(PUT)('is refused at once: %s in the place of a file', async (_what, put) => {
    const folder = await made();
    const close = await readClose(folder);
    expect(String(await buffer(closeFile(close, NAME)))).toBe('PAR1');
    rmSync(join(folder, NAME));
    put(join(folder, NAME));
    await expect(buffer(closeFile(close, NAME))).rejects.toThrow('is not as the close wrote it');
  });

  it.each(PUT)('is refused at once: %s in the place of its index', async (_what, put) => {
    const folder = await made();
    rmSync(join(folder, INDEX));
    put(join(folder, INDEX));
    await expect(readClose(folder)).rejects.toThrow('is no close');
  });

  it.each(Object.entries(INDEXES))('is refused at once: an index with %s', async (_what, change) => {
    const folder = await made();
    const path = join(folder, INDEX);
    const index = JSON.parse(readFileSync(path, 'utf8'));
    rmSync(path);
    writeFileSync(path, JSON.stringify({ ...index, ...change }));
    await expect(readClose(folder)).rejects.toThrow('is no close');
  });

  it('is refused below the folder of another company, or with the name of another month', async () => {
    const folder = await made();
    const out = dirname(dirname(folder));
    const other = '214844360018';
    expect(await newestClose(out, ABOUT.rut, ABOUT.month)).toMatchObject({ folder });
    cpSync(folder, join(out, other, ABOUT.month), { recursive: true });
    cpSync(folder, join(out, ABOUT.rut, '2026-09'), { recursive: true });
    const said = `is the close of ${ABOUT.month} of ${ABOUT.rut}`;
    await expect(newestClose(out, other, ABOUT.month)).rejects.toThrow(said);
    await expect(newestClose(out, ABOUT.rut, '2026-09')).rejects.toThrow(said);
  });
});
