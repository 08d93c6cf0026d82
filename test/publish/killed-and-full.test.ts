import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { dayKey } from '../../lib/lake/layout.ts';
import { listMarks } from '../../lib/lake/marks.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { campaign } from '../support/campaign.ts';
import type { FailedPublish, FailingPublish } from '../support/lake/failing-publish.ts';
import { filesIn } from '../support/lake/lake-folder.ts';
import { markDays } from '../support/lake/marked-days.ts';
import { dayRows, putUnit, RUTS } from '../support/units.ts';

const DAYS = ['2026-11-18', '2026-11-19'] as const;
const [A, B] = RUTS;
/** The first day exists, the second is new. */
const BEFORE = [[`${A} 1 100`], undefined];
const AFTER = [
  [`${A} 1 100`, `${A} 2 100`, `${B} 7 100`],
  [`${A} 3 100`, `${B} 4 100`],
];

/** A lake that lags: one day with two changed units, and one that is not published yet. */
async function laggingLake(folder: string): Promise<void> {
  const store = new FolderStore(folder);
  const [first, second] = DAYS;
  await putUnit(store, RECIBIDOS, first, A, [1]);
  await markDays(store, 'run-1', [first]);
  await publish(store);
  await markDays(store, 'run-2', DAYS);
  await putUnit(store, RECIBIDOS, first, A, [1, 2]);
  await putUnit(store, RECIBIDOS, first, B, [7]);
  await putUnit(store, RECIBIDOS, second, A, [3]);
  await putUnit(store, RECIBIDOS, second, B, [4]);
  // Long ago, so that a publication removes the marks.
  for (const { key } of await listMarks(store)) utimesSync(join(folder, key), 0, 0);
}

function publish(store: FolderStore) {
  return publishLagging(store, writeWithHyparquet);
}

/** A process that publishes the jobs it is given. */
class Publisher {
  readonly ended: Promise<unknown[]>;
  private readonly process: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor() {
    const child = spawn(process.execPath, [resolve('test/support/lake/failing-publish.ts')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.process = child;
    this.ended = once(child, 'close');
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  /** Returns undefined if the process was killed. */
  async publish(job: FailingPublish): Promise<FailedPublish | undefined> {
    this.process.stdin?.write(`${JSON.stringify(job)}\n`);
    for (let line = await this.lines.next(); line.done !== true; line = await this.lines.next()) {
      if (line.value !== 'ready') return JSON.parse(line.value);
    }
    expect((await this.ended)[1]).toBe('SIGKILL');
    return undefined;
  }
}

/** Expects each day to be whole, old or new, with nothing else in its table. Returns which days are new. */
async function expectWhole(folder: string): Promise<boolean[]> {
  const store = new FolderStore(folder);
  const areAfter: boolean[] = [];
  for (const [index, day] of DAYS.entries()) {
    const rows = await dayRows(store, RECIBIDOS, day);
    const isAfter = JSON.stringify(rows) === JSON.stringify(AFTER[index]);
    expect(rows).toEqual(isAfter ? AFTER[index] : BEFORE[index]);
    areAfter.push(isAfter);
  }
  const keys = new Set(DAYS.map((day) => dayKey(RECIBIDOS.name, day)));
  for (const file of filesIn(folder)) if (file.startsWith('recibidos/')) expect(keys).toContain(file);
  // Days that still lag are still recorded.
  const marked = (await listMarks(store)).map(({ day }) => day);
  for (const [index, day] of DAYS.entries()) if (areAfter[index] === false) expect(marked).toContain(day);
  return areAfter;
}

/** Expects the next publication to do the rest, with the same bytes as one without trouble. */
async function expectMended(folder: string, whole: string): Promise<void> {
  const store = new FolderStore(folder);
  expect(await publish(store)).toMatchObject({ problems: [], remaining: 0 });
  expect(await expectWhole(folder)).toEqual([true, true]);
  expect(await listMarks(store)).toEqual([]);
  for (const day of DAYS) {
    const key = dayKey(RECIBIDOS.name, day);
    expect(readFileSync(join(folder, key)).equals(readFileSync(join(whole, key)))).toBe(true);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'cfe-lake-'));
const given = await prepared();
afterAll(() => {
  given.publisher.kill();
  rmSync(folder, { recursive: true });
});

/** A lake that lags, the same lake published, and the number of steps that takes. */
async function prepared() {
  const lagging = join(folder, 'lagging');
  const whole = join(folder, 'whole');
  await laggingLake(lagging);
  cpSync(lagging, whole, { recursive: true, preserveTimestamps: true });
  const publisher = new Publisher();
  const job = { lake: whole, failAtStep: 1e9, fault: 'full' } as const;
  const { steps = 0, ...published } = (await publisher.publish(job)) ?? {};
  expect(published).toEqual({ written: 2, failedDays: 0, reasons: [] });
  expect(steps).toBeGreaterThan(15);
  return { lagging, whole, steps, publisher };
}

it('leaves each day whole when its process is killed, at any step; the next publication does the rest', {
  timeout: 240_000,
}, async () => {
  const { lagging, whole, steps } = given;
  const outcomes = new Set<string>();
  let next = new Publisher();
  // `npm test` tries some of the steps, including the first and the last.
  const stride = campaign({ quick: 12, long: 1 });
  for (let step = 1; step <= steps; step = step === steps ? steps + 1 : Math.min(step + stride, steps)) {
    const lake = join(folder, 'lake');
    cpSync(lagging, lake, { recursive: true, preserveTimestamps: true });
    const publisher = next;
    next = new Publisher();
    expect(await publisher.publish({ lake, failAtStep: step, fault: 'kill' })).toBeUndefined();
    outcomes.add(String(await expectWhole(lake)));
    await expectMended(lake, whole);
    rmSync(lake, { recursive: true });
  }
  next.kill();
  // It was killed before both days and after both.
  expect(outcomes).toContain('false,false');
  expect(outcomes).toContain('true,true');
});

it('leaves each day whole when the disk is full, from any step on, says so, and goes on once there is room', async () => {
  const { lagging, whole, steps, publisher } = given;
  let failures = 0;
  const stride = campaign({ quick: 5, long: 1 });
  for (let step = 1; step <= steps; step += stride) {
    const lake = join(folder, 'lake');
    cpSync(lagging, lake, { recursive: true, preserveTimestamps: true });
    const ended = await publisher.publish({ lake, failAtStep: step, fault: 'full' });
    const areAfter = await expectWhole(lake);
    if (areAfter.includes(false)) {
      failures += 1;
      expect(ended?.failedDays).toBeGreaterThan(0);
      expect(ended?.reasons.join('\n')).toMatch(/no space|is full/i);
    }
    // No half-written file remains.
    expect(filesIn(lake).filter((file) => file.endsWith('.part'))).toEqual([]);
    await expectMended(lake, whole);
    rmSync(lake, { recursive: true });
  }
  expect(failures).toBeGreaterThan(10 / stride);
});
