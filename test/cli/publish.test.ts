import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { rutOfUnit } from '../../lib/lake/layout.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { campaign } from '../support/campaign.ts';
import { filesIn, newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { markDays } from '../support/lake/marked-days.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain, runStreamed, runUntil } from '../support/program/run-main.ts';
import { putUnit } from '../support/units.ts';

const DAY = '2026-11-19';
const DAYS = ['--from', '2026-11-16', '--to', DAY];

let sandbox: Sandbox;
/** With the companies file, and a lake that tests copy. */
let folder: string;
/** The options that name the API and the companies. */
let access: string[];
let requests = 0;
let onRequest: (() => void) | undefined;
beforeAll(async () => {
  sandbox = await startSandbox({
    now: '2026-11-20T03:00:00',
    companyCount: 4,
    receiptsPerDay: 3,
    behaviour: {
      intercept: (request, usual) => {
        requests += 1;
        onRequest?.();
        return usual(request);
      },
    },
  });
  folder = sharedFolder();
  access = ['--api', sandbox.url, '--companies', writeCompanies(folder, sandbox.companies)];
  const { code } = await runMain('export', ...access, '--lake', join(folder, 'lake'), ...DAYS);
  expect(code).toBe(0);
});
afterAll(() => sandbox.close());

/** A lake with all days of all companies, for the running test alone. */
function exportedLake(): string {
  const lake = join(newFolder(), 'lake');
  cpSync(join(folder, 'lake'), lake, { recursive: true });
  return lake;
}

const unitsIn = (lake: string) => filesIn(lake).filter((file) => file.startsWith('unidades/recibidos/'));
const recordsIn = (lake: string) => filesIn(lake).filter((file) => /^\.(open-runs|lagging)\//.test(file));
const ROWS_OF_DAY = `SELECT count(*) FROM recibidos WHERE fecha = '${DAY}' AND id IN (1, 2)`;
const COUNT = 'SELECT count(DISTINCT (rut, fecha))::INT AS units FROM recibidos';

async function countUnits(lake: string): Promise<number> {
  const { stdout, stderr } = await runMain('query', COUNT, '--lake', lake, '--format', 'csv');
  expect(stderr).not.toMatch(/may lag behind/);
  return Number(stdout.split('\n')[1]);
}

/** Changes a unit, like a run that died before it published. */
async function changeUnit(lake: string): Promise<void> {
  const store = new FolderStore(lake);
  const rut = sandbox.companies[0]?.rut ?? '0';
  await markDays(store, 'died', [DAY]);
  await putUnit(store, RECIBIDOS, DAY, rut, [1, 2]);
}

describe('an export', () => {
  it('publishes the days that it changed when it is interrupted at any point', async () => {
    const lake = join(newFolder(), 'lake');
    const words = ['export', ...access, '--lake', lake, ...DAYS];
    requests = 0;
    await runMain(...words);
    const all = { requests, units: unitsIn(lake).length };
    const published: number[] = [];
    for (
      let stop = 1;
      stop < all.requests;
      stop += Math.ceil(all.requests / campaign({ quick: 4, long: 8 }))
    ) {
      rmSync(lake, { recursive: true });
      const interruption = new AbortController();
      requests = 0;
      onRequest = () => {
        if (requests === stop) interruption.abort(new DOMException('Ctrl-C', 'AbortError'));
      };
      const { code } = await runUntil(interruption.signal, ...words);
      onRequest = undefined;
      expect(code).toBe(130);
      published.push(unitsIn(lake).length === 0 ? 0 : await countUnits(lake));
      expect(published.at(-1)).toBe(unitsIn(lake).length);
      expect(recordsIn(lake)).toEqual([]);
    }
    // Some were stopped after publishing part of the units.
    expect(published.some((units) => units > 0 && units < all.units)).toBe(true);
  });

  it('says that its audit could not be written, also when it is interrupted', async () => {
    const interruption = new AbortController();
    const { replace } = FolderStore.prototype;
    const replacing = vi.spyOn(FolderStore.prototype, 'replace');
    replacing.mockImplementation(async function (this: FolderStore, key, bytes, options) {
      if (key.includes('/exportaciones/')) {
        interruption.abort(new DOMException('Ctrl-C', 'AbortError'));
        throw new Error('the disk is full');
      }
      return await replace.call(this, key, bytes, options);
    });
    const lake = join(newFolder(), 'lake');
    const words = ['export', ...access, '--lake', lake, ...DAYS];
    const { code, stderr } = await runUntil(interruption.signal, ...words);
    expect(code).toBe(130);
    expect(stderr).toMatch(/^cfe-lake: The audit of run \S+ could not be written: the disk is full/m);
    expect(stderr).toMatch(/^Interrupted: /m);
  });
});

it('missing --export publishes what an earlier export could not, also where nothing is missing', async () => {
  const lake = exportedLake();
  await changeUnit(lake);
  const words = ['missing', ...access, '--lake', lake, ...DAYS, '--export'];
  const { code, stdout } = await runMain(...words);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Nothing is missing/) });
  const { stdout: count } = await runMain('query', ROWS_OF_DAY, '--lake', lake, '--format', 'csv');
  const { stderr } = await runMain('query', ROWS_OF_DAY, '--lake', lake);
  expect(count.split('\n')[1]?.trim()).toBe('2');
  expect(stderr).not.toMatch(/lag/);
});

it('query says which days of the tables that it reads lag, until they are published', async () => {
  const lake = exportedLake();
  await changeUnit(lake);
  const ask = (table: string, ...more: string[]) =>
    runMain('query', `SELECT count(*) FROM ${table}`, '--lake', lake, ...more);
  const { code, stderr } = await ask('recibidos');
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^This answer may lack some of what was exported: recibidos 2026-11-19 may lag behind\./m,
  );
  expect((await ask('emitidos')).stderr).not.toMatch(/lag/);
  expect((await ask('recibidos', '--to', '2026-11-18')).stderr).not.toMatch(/lag/);
  const published = await runMain('publish', '--lake', lake);
  expect(published).toMatchObject({ code: 0, stderr: '' });
  expect(published.stdout).toMatch(/^1 day of tables published, 0 already up to date, in /);
  expect((await ask('recibidos')).stderr).not.toMatch(/lag/);
  expect(await runMain('publish', '--lake', lake)).toMatchObject({ code: 0 });
});

it('publish --from leaves a day with a unit that is gone as it is, names it, and exits with 1', async () => {
  const lake = exportedLake();
  const [first = '', second = ''] = unitsIn(lake).filter((file) => file.includes(DAY));
  rmSync(join(lake, first));
  await putUnit(new FolderStore(lake), RECIBIDOS, DAY, rutOfUnit(second) ?? '0', [1]);
  const { code, stdout, stderr } = await runMain('publish', '--from', DAY, '--lake', lake);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^0 days of tables published/);
  expect(stderr).toMatch(
    new RegExp(
      `^cfe-lake: recibidos, day ${DAY}, is not published: The unit of ${first.slice(-20, -8)} .* is gone`,
      'm',
    ),
  );
  // Removing the unit's rows takes a command of its own.
  const forgotten = await runMain('forget', '--rut', first.slice(-20, -8), '--yes', '--lake', lake);
  expect(forgotten).toMatchObject({ code: 0, stderr: '' });
  expect(await runMain('publish', '--from', DAY, '--lake', lake)).toMatchObject({ code: 0, stderr: '' });
  expect(filesIn(lake).filter((file) => file.includes(first.slice(-20, -8)))).toEqual([]);
});

it('without --lake, the lake is ./lake if it exists, else that of the sandbox, and is named', async () => {
  const before = process.cwd();
  process.chdir(newFolder());
  onTestFinished(() => process.chdir(before));
  for (const [lake, said] of [
    ['lake-sandbox', './lake-sandbox: invented receipts of the sandbox'],
    ['lake', './lake'],
  ] as const) {
    cpSync(exportedLake(), lake, { recursive: true });
    const { code, stdout, stderr } = await runMain('publish');
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Using ${said}.\n` });
    expect(stdout).toContain(`, in ./${lake}.`);
  }
});

describe('forget', () => {
  it('removes nothing where nobody can be asked, unless it is told not to ask', async () => {
    const lake = exportedLake();
    const before = filesIn(lake);
    const rut = rutOfUnit(unitsIn(lake)[0] ?? '') ?? '0';
    const { code, stdout, stderr } = await runMain('forget', '--rut', rut, '--lake', lake);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/nobody can be asked, so nothing was removed\. .* add --yes\.\n$/);
    expect(filesIn(lake)).toEqual(before);
  });

  it('asks for the RUT in a terminal, unless it is told not to', async () => {
    const lake = exportedLake();
    const rut = rutOfUnit(unitsIn(lake)[0] ?? '') ?? '0';
    const before = filesIn(lake);
    const questions: string[] = [];
    const answering = (answer: string) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    const words = ['forget', '--rut', rut, '--lake', lake];
    const refused = await runStreamed(words, { ask: answering('yes') });
    expect(refused).toMatchObject({
      code: 2,
      stderr: 'cfe-lake: That is not the RUT: nothing was removed.\n',
    });
    expect(questions).toEqual([`Remove the receipts of ${rut} from ${lake}? Type the RUT to go on: `]);
    expect(filesIn(lake)).toEqual(before);
    expect((await runStreamed(words, { ask: answering(` ${rut}\n`) })).code).toBe(0);
    const other = rutOfUnit(unitsIn(lake)[0] ?? '') ?? '0';
    const forgetting = ['forget', '--rut', other, '--yes', '--lake', lake];
    expect((await runStreamed(forgetting, { ask: answering('') })).code).toBe(0);
    expect(questions).toHaveLength(2);
  });

  it('leaves no company whose month seems to have been without sales', async () => {
    const lake = exportedLake();
    const rut = rutOfUnit(unitsIn(lake)[0] ?? '') ?? '0';
    const asked = ['report', '--rut', rut, '--month', '2026-11', '--lake', lake];
    const lacking = async () =>
      Number(/(\d+) días de emitidos o recibidos no se leyeron/.exec((await runMain(...asked)).stdout)?.[1]);
    const before = await lacking();
    expect(before).toBeGreaterThan(0);
    await runMain('forget', '--rut', rut, '--yes', '--lake', lake);
    // Both lists of four days.
    expect(await lacking()).toBe(before + 8);
  });
});
