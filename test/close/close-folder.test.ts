import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { writeClientFolder } from '../../lib/close/client-folder.ts';
import {
  type Close,
  closeFile,
  INDEX,
  newestClose,
  readClose,
  writeClose,
} from '../../lib/close/close-folder.ts';
import { closesIn, frozenMonth, haveSameRates } from '../../lib/close/frozen-month.ts';
import { assertKept, frozenSql } from '../../lib/close/frozen-question.ts';
import { SAY } from '../../lib/close/phrases.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { becomeAnother, giveAway } from '../support/system/another-user.ts';

const NAME = 'emitidos.parquet';
const [MONTH, RUT, OTHER] = ['2026-10', '219999830019', '214844360018'];
const ABOUT = {
  version: '1',
  month: MONTH,
  rut: RUT,
  name: null,
  madeAt: '2026-11-20T09:00:00',
  state: 'complete',
  sentence: 'El mes está completo.',
  accepted: [{ name: 'gaps', text: '1 salto' }],
  lists: ['x.json'],
  form2181: { notAccepted: 2 },
  ui: { 2025: '15', 2026: '6.1234' },
  read: [{ readAt: null }, { readAt: '2026-11-19T22:00:00' }],
};

/** What no close has after its month: numbers that nobody reaches, and those that a float does not tell apart. */
const NO_COUNTS = ['10000', '9007199254740992', '99999999999999999999999', '9'.repeat(200)];

async function made(out = newFolder(), rut = RUT): Promise<string> {
  async function* files() {
    yield [NAME, 'PAR1'] as const;
  }
  return await writeClose(out, rut, MONTH, files(), () => ({ ...ABOUT, rut }));
}

describe('a close', () => {
  it('is read as it was written, and is for its owner alone', async () => {
    const folder = await made();
    const sha256 = createHash('sha256').update('PAR1').digest('hex');
    expect(await readClose(folder)).toEqual({
      folder,
      index: { ...ABOUT, files: { [NAME]: { bytes: 4, sha256 } } },
    });
    const paths = [folder, dirname(folder), join(folder, NAME), join(folder, INDEX)];
    const modes = paths.map((path) => statSync(path).mode & 0o777);
    if (process.platform !== 'win32') expect(modes).toEqual([0o700, 0o700, 0o400, 0o400]);
  });

  it('has the next number, though an earlier one was moved away, or another is made at the same time', async () => {
    const out = newFolder();
    const first = await Promise.all(Array.from({ length: 6 }, () => made(out)));
    const numbered = [2, 3, 4, 5, 6].map((number) => `${MONTH}-${number}`);
    expect(first.map((folder) => basename(folder)).sort()).toEqual([MONTH, ...numbered]);
    const sixth = join(out, RUT, `${MONTH}-6`);
    expect(await newestClose(out, RUT, MONTH)).toMatchObject({ folder: sixth });
    rmSync(sixth, { recursive: true });
    expect(basename(await made(out))).toBe(`${MONTH}-7`);
  });

  it('is the newest by its moment, then by its number, whatever lies beside it', async () => {
    const out = newFolder();
    expect(await newestClose(out, RUT, MONTH)).toBeUndefined();
    const folder = await made(out);
    const copy = (name: string, change = {}) => {
      const to = join(dirname(folder), name);
      mkdirSync(to);
      writeFileSync(join(to, INDEX), JSON.stringify({ ...ABOUT, files: {}, ...change }));
      return to;
    };
    const tenth = copy(`${MONTH}-10`);
    copy(`${MONTH}-2`);
    for (const name of ['2b', 'x2', '02', '1', '', ...NO_COUNTS])
      mkdirSync(join(dirname(folder), `${MONTH}-${name}`));
    expect(await newestClose(out, RUT, MONTH)).toMatchObject({ folder: tenth });
    const third = copy(`${MONTH}-3`, { madeAt: '2026-11-20T09:01:00' });
    expect(await newestClose(out, RUT, MONTH)).toMatchObject({ folder: third });
  });

  it.each(NO_COUNTS)('ends, and has the next number, beside what is named -%s', async (count) => {
    const out = newFolder();
    const first = await made(out);
    writeFileSync(join(dirname(first), `.${MONTH}-${count}`), '');
    mkdirSync(join(dirname(first), `${MONTH}-${count}`));
    const second = await made(out);
    expect(basename(second)).toBe(`${MONTH}-2`);
    expect(await newestClose(out, RUT, MONTH)).toMatchObject({ folder: second });
  });

  it('has no number after the last that it may have, and leaves nothing', async () => {
    const out = newFolder();
    const above = join(out, RUT);
    mkdirSync(above);
    writeFileSync(join(above, `.${MONTH}-9998`), '');
    expect(await made(out)).toBe(join(above, `${MONTH}-9999`));
    const names = readdirSync(above);
    await expect(made(out)).rejects.toThrow(
      `No number is left for a close in ${above}: remove ${MONTH}-9999`,
    );
    expect(readdirSync(above)).toEqual(names);
  });

  it('is named by its own folder, or by its month and company in the folder of all', async () => {
    const out = newFolder();
    const [ownClose] = [await made(out), await made(out, OTHER)];
    for (const name of [`x${RUT}`, `${RUT}x`])
      cpSync(dirname(ownClose), join(out, name), { recursive: true });
    const rutsOf = async (...asked: Parameters<typeof closesIn>) =>
      (await closesIn(...asked)).map(({ index }) => index.rut);
    mkdirSync(join(out, '211003420017'));
    expect(await rutsOf(out, MONTH, [])).toEqual([OTHER, RUT]);
    expect(await rutsOf(out, MONTH, [RUT])).toEqual([RUT]);
    expect(await rutsOf(ownClose, undefined, [])).toEqual([RUT]);
    expect(await rutsOf(ownClose, MONTH, [RUT])).toEqual([RUT]);
    await expect(closesIn(out, undefined, [])).rejects.toThrow('Which month?');
    await expect(closesIn(out, '2026-09', [])).rejects.toThrow(`${out} has no close of 2026-09.`);
    await expect(closesIn(out, MONTH, [RUT, '211003420017'])).rejects.toThrow(
      `no close of ${MONTH} of 211003420017.`,
    );
    const none = (ruts: string) => SAY.noCloseOfMonth(out, MONTH, ruts)('es');
    expect(none('')).toBe(`${out} no tiene ningún cierre de ${MONTH}.`);
    expect(none(RUT)).toBe(`${out} no tiene ningún cierre de ${MONTH} de ${RUT}.`);
    await expect(closesIn(ownClose, '2026-09', [])).rejects.toThrow(`is the close of ${MONTH} of ${RUT}`);
    await expect(closesIn(ownClose, MONTH, [RUT, OTHER])).rejects.toThrow(
      `is the close of ${MONTH} of ${RUT}`,
    );
  });
});

describe('closes that are asked', () => {
  it('leave nothing behind where one lacks a file', async () => {
    const close = await readClose(await made());
    vi.stubEnv('TMPDIR', newFolder());
    await expect(frozenMonth([close])).rejects.toThrow('is not as the close wrote it');
    expect(readdirSync(process.env.TMPDIR ?? '')).toEqual([]);
  });

  it('are asked for what they keep, and about rates together where they were made with the same, and the same UI', async () => {
    const close = await readClose(await made());
    const having = (more: Partial<Close['index']>) => [
      close,
      { ...close, index: { ...close.index, ...more } },
    ];
    const files = { 'cotizaciones.parquet': { bytes: 1, sha256: 'x' } };
    expect(haveSameRates(having({ version: '2' }))).toBe(true);
    expect(haveSameRates(having({ ui: {} }))).toBe(false);
    expect(haveSameRates(having({ files }))).toBe(false);
    const frozen = {
      closes: [close],
      ruts: [RUT],
      from: '2026-10-01',
      to: '2026-10-31',
      columns: {},
      views: new Map(),
      remove: () => undefined,
    } as const;
    const unlike = { ...frozen, closes: having({ ui: {} }) };
    const [ofRates, ofReceipts] = ['SELECT 1 FROM cotizaciones', 'SELECT 1 FROM emitidos, recibidos_detalle'];
    assertKept(frozen, `${ofReceipts}, cotizaciones`);
    assertKept(unlike, ofReceipts);
    expect(() => assertKept(unlike, ofRates)).toThrow('not made with the same');
    expect(() => assertKept(frozen, `${ofReceipts}, exportaciones`)).toThrow('the table exportaciones');

    expect(() => frozenSql(frozen, 'saltos-de-numeracion')).toThrow('--named numbering-gaps');
    expect(frozenSql(frozen, 'vat-position')).toBe('SELECT * FROM posicion_iva');
    const narrowed = frozenSql(frozen, 'e-tickets-sin-identificar');
    expect(narrowed).toContain('(2025, 15), (2026, 6.1234)');
    expect(narrowed).toContain(`BETWEEN DATE '2026-10-01' AND DATE '2026-10-31' AND e.rut = '${RUT}'`);
  });
});

describe('a close that does not end', () => {
  it('leaves nothing by the name of one, whenever it is killed', async () => {
    const out = newFolder();
    const seen: string[][] = [];
    async function* files() {
      for (const name of ['a', 'b']) {
        // What a kill at this moment would leave.
        seen.push(readdirSync(join(out, RUT)).filter((entry) => !entry.startsWith('.')));
        yield [name, name] as const;
      }
      throw new Error('no space');
    }
    await expect(writeClose(out, RUT, MONTH, files(), () => ({}))).rejects.toThrow('no space');
    expect(seen).toEqual([[], []]);
    expect(readdirSync(join(out, RUT))).toEqual([]);
  });

  it('removes what killed ones left, and not what another one is writing, nor a name that was given', async () => {
    const out = newFolder();
    const above = dirname(await made(out));
    renameSync(join(above, MONTH), join(out, MONTH));
    const [old, other] = [`.2026-10.${randomUUID()}.part`, `.2026-10.${randomUUID()}.part`];
    const foreign = ['.2026-10.foreign.part', `x${old}`, `${old}x`, `${MONTH}.-9`];
    for (const name of [old, other, ...foreign]) mkdirSync(join(above, name));
    writeFileSync(join(above, old, 'informe.html'), '', { mode: 0o400 });
    const seconds = statSync(above).mtimeMs / 1000 - 7_200;
    for (const name of [old, ...foreign, `.${MONTH}`]) utimesSync(join(above, name), seconds, seconds);
    expect(await made(out)).toBe(join(above, `${MONTH}-2`));
    expect(readdirSync(above).sort()).toEqual(
      [`.${MONTH}`, `.${MONTH}-2`, other, `${MONTH}-2`, ...foreign].sort(),
    );
  });
});

const PUT: [string, (path: string) => void][] = [
  ['other bytes', (path) => writeFileSync(path, 'PAR2')],
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
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
  'a month that is none': { month: '2026-13' },
  'a UI that is SQL': { ui: { 2026: '1), (2027, 1' } },
  'a year that is SQL': { ui: { '2026, 1), (2027': '1' } },
  'another company than any': { rut: '9'.repeat(300) },
};

describe.skipIf(process.platform === 'win32')('the folder of a company’s closes', () => {
  it('is no link of another user', async () => {
    const [out, home] = [newFolder(), newFolder()];
    const link = join(out, ABOUT.rut);
    symlinkSync(home, link);
    const close = await readClose(await made());
    giveAway(link);
    becomeAnother();
    const said = `${link} is a link of another user, so nothing is written through it.`;
    await expect(made(out)).rejects.toThrow(said);
    await expect(writeClientFolder(out, close, null)).rejects.toThrow(said);
    expect(readdirSync(home)).toEqual([]);
  });

  it('keeps what another user left in it', async () => {
    const folder = await made();
    const left = join(dirname(folder), `.${MONTH}.${randomUUID()}.part`);
    mkdirSync(left);
    giveAway(left);
    utimesSync(left, 0, 0);
    becomeAnother();
    await made(dirname(dirname(folder)));
    expect(readdirSync(dirname(folder))).toContain(basename(left));
  });
});

describe.skipIf(process.platform === 'win32')('a close that another user changed', () => {
  it.each(PUT)('is refused at once: %s in the place of a file', async (_what, put) => {
    const folder = await made();
    const close = await readClose(folder);
    expect(String(await buffer(closeFile(close, NAME)))).toBe('PAR1');
    const sha256 = createHash('sha256').digest('hex');
    const empty = { ...close, index: { ...close.index, files: { [NAME]: { bytes: 0, sha256 } } } };
    await expect(buffer(closeFile(empty, NAME))).rejects.toThrow('is not as the close wrote it');
    rmSync(join(folder, NAME));
    put(join(folder, NAME));
    let byteCount = 0;
    const read = async () => {
      for await (const { length } of closeFile(close, NAME)) byteCount += length;
    };
    await expect(read()).rejects.toThrow('is not as the close wrote it');
    expect(byteCount).toBeLessThanOrEqual(4);
  });

  it('is refused at once: a pipe in the place of its index', async () => {
    const folder = await made();
    rmSync(join(folder, INDEX));
    execFileSync('mkfifo', [join(folder, INDEX)]);
    const cause = expect.any(Error);
    await expect(readClose(folder)).rejects.toMatchObject({
      message: expect.stringContaining('is no close'),
      cause,
    });
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
    expect(await newestClose(out, RUT, MONTH)).toMatchObject({ folder });
    cpSync(folder, join(out, OTHER, MONTH), { recursive: true });
    cpSync(folder, join(out, RUT, '2026-09'), { recursive: true });
    const said = `is the close of ${MONTH} of ${RUT}`;
    await expect(newestClose(out, OTHER, MONTH)).rejects.toThrow(said);
    await expect(newestClose(out, RUT, '2026-09')).rejects.toThrow(said);
  });
});
