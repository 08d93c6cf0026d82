import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { unitKey } from '../../lib/lake/layout.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { CAMBIOS, EXPORTACIONES, TABLE_OF, TABLES } from '../../lib/lake/tables.ts';
import { addDays, DAY_MS, dayNumber, daysBetween } from '../../lib/time/days.ts';
import type { Unit } from '../../lib/units/unit.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { campaign } from '../support/campaign.ts';
import type { Killable } from '../support/export/killable-export.ts';
import { replayed } from '../support/export/replay.ts';
import type { SimulatedRun } from '../support/export/simulated-run.ts';
import { startSimulation } from '../support/export/simulation.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { expectedRow, lakeRows } from '../support/lake/lake-truth.ts';
import { type Row, rowsIn, rowsOfTable, type TextUnit, textUnit } from '../support/lake/text-rows.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';

const FIRST_DAY = '2026-09-01';
const DAYS_BACK = 3;
const KILLS = campaign({ quick: 2, long: 60 });
const CHILD = resolve('test/support/export/killable-export.ts');

/** Numbers from 0 to below 1, the same ones every time. */
function* seeded(): Generator<number, never> {
  for (let state = 20_261_121; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** A process that has loaded the exporter and waits to be told what to export. */
class Child {
  readonly ended: Promise<{ signal: string | null; steps: number }>;
  private readonly process: ChildProcess;

  constructor() {
    const child = spawn(process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.process = child;
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    this.ended = once(child, 'close').then(([, signal]) => ({ signal, steps: Number(lines.at(-1)) }));
  }

  export(job: Killable): void {
    this.process.stdin?.end(`${JSON.stringify(job)}\n`);
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }
}

function hashesIn(folder: string): Map<string, string> {
  const files = filesIn(folder).filter((file) => !/^\.(staging|open-runs|source)\//.test(file));
  return new Map(
    files.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex'),
    ]),
  );
}

function truthOf(sandbox: Sandbox, { rut, direction, day }: Unit) {
  return [...sandbox.truth(rut, direction, day)].map(expectedRow);
}

it(`leaves every object whole when it is killed, ${KILLS} times, and the next run completes the work`, {
  timeout: 600_000,
}, async () => {
  const totals = { byRequest: 0, byStep: 0, unkilled: 0, objects: 0, rows: 0, replayed: 0, leftovers: 0 };
  let requestsUntilKill = Number.POSITIVE_INFINITY;
  let child = new Child();
  const { sandbox, exportAt } = await startSimulation({
    companyCount: 2,
    // Few, so that some days are empty at first and have receipts later.
    receiptsPerDay: (_rut, direction, day) =>
      ((Date.parse(day) / DAY_MS) * (direction === 'emitidos' ? 5 : 7)) % 9,
    now: `${FIRST_DAY}T03:00:00`,
    behaviour: {
      intercept: (request, usual) => {
        requestsUntilKill -= 1;
        if (requestsUntilKill === 0) child.kill();
        return usual(request);
      },
    },
  });
  const folder = newFolder();
  const store = new FolderStore(folder);
  const firstOf = new Map<string, TextUnit>();
  const changes: Row[] = [];
  const random = seeded();
  let [mostSteps, mostRequests] = [100, 40];

  for (let night = 1; totals.byRequest + totals.byStep < KILLS; night += 1) {
    const today = addDays(FIRST_DAY, night);
    const now = `${today}T03:00:00`;
    sandbox.setNow(now);
    const days = daysBetween(addDays(today, -DAYS_BACK), addDays(today, -1));
    const run: SimulatedRun = { url: sandbox.url, companies: sandbox.companies, now, days };
    const before = hashesIn(folder);

    const isByStep = night % 2 === 0;
    const point = 1 + Math.floor(random.next().value * (isByStep ? mostSteps : mostRequests));
    requestsUntilKill = isByStep ? Number.POSITIVE_INFINITY : point;
    child.export({ ...run, lake: folder, ...(isByStep && { killAtStep: point }) });
    const { signal, steps } = await child.ended;
    requestsUntilKill = Number.POSITIVE_INFINITY;
    child = new Child();
    if (signal === null) {
      totals.unkilled += 1;
      mostSteps = steps;
    } else {
      expect(signal).toBe('SIGKILL');
      totals[isByStep ? 'byStep' : 'byRequest'] += 1;
    }

    // Every object is the previous one or the truth, and queries find nothing else.
    const units = run.companies.flatMap(({ rut }) =>
      days.flatMap((day) =>
        (['recibidos', 'emitidos'] as const).map((direction) => ({ rut, direction, day })),
      ),
    );
    const keyOf = ({ rut, direction, day }: Unit) => unitKey(TABLE_OF[direction].name, day, rut);
    const unitOf = new Map(units.map((unit) => [keyOf(unit), unit]));
    for (const [file, hash] of hashesIn(folder)) {
      // Marks of days that may lag are for the next publication.
      if (before.get(file) === hash || file.startsWith('.lagging/')) continue;
      const unit = unitOf.get(file);
      if (unit !== undefined) {
        const rows = await lakeRows(store, unit);
        expect(rows).toEqual(truthOf(sandbox, unit));
        totals.rows += rows?.length ?? 0;
      } else {
        const table = [EXPORTACIONES, CAMBIOS].find(({ name }) =>
          file.startsWith(`${name}/fecha_corrida=${today}/`),
        );
        expect(table?.name, file).toEqual(expect.any(String));
        expect(before.has(file)).toBe(false);
        if (table !== undefined) expect((await rowsIn(store, file, table)).length).toBeGreaterThan(0);
      }
      totals.objects += 1;
    }

    // The next run completes the work.
    sandbox.resetStats();
    const results = await exportAt(`${today}T04:00:00`, days, store);
    mostRequests = sandbox.stats().requests;
    expect(
      results.map(({ state, error }) => [state, error]).filter(([state]) => state === 'fallido'),
    ).toEqual([]);
    expect(results).toHaveLength(units.length);
    for await (const key of store.list(`${CAMBIOS.name}/fecha_corrida=${today}`)) {
      changes.push(...(await rowsIn(store, key, CAMBIOS)));
    }
    for (const unit of units) {
      const table = TABLE_OF[unit.direction];
      const rows = await rowsIn(store, keyOf(unit), table);
      expect(rows).toEqual(truthOf(sandbox, unit));
      const texts = textUnit(rows, table);
      const first = firstOf.get(keyOf(unit)) ?? texts;
      firstOf.set(keyOf(unit), first);
      const changesOfUnit = changes.filter(
        ({ rut, direccion, fecha }) =>
          rut === unit.rut && direccion === unit.direction && fecha === dayNumber(unit.day),
      );
      expect(replayed(first, changesOfUnit)).toEqual(texts);
      totals.rows += rows.length;
      totals.replayed += changesOfUnit.length;
    }
  }
  child.kill();

  // The audit has every unit of every night.
  const audit = await rowsOfTable(store, EXPORTACIONES);
  const nights = totals.byRequest + totals.byStep + totals.unkilled;
  expect(audit.filter(({ estado }) => estado !== 'fallido').length).toBeGreaterThanOrEqual(12 * nights);
  const database = await openLakeDatabase(folder);
  for (const { name } of TABLES.filter(({ name }) => hasObjects(folder, name))) {
    const answer = await database.connection.runAndReadAll(`SELECT count(*) FROM ${name}`);
    expect(Number(answer.getRows()[0]?.[0])).toBeGreaterThan(0);
  }
  database.close();
  totals.leftovers = filesIn(join(folder, '.staging')).length;
  await store.removeLeftovers(Number.POSITIVE_INFINITY);
  expect(filesIn(join(folder, '.staging'))).toEqual([]);
  process.stdout.write(
    `${totals.byRequest} kills at a request and ${totals.byStep} at a step of the file system survived ` +
      `(${totals.unkilled} runs ended first); ${totals.objects} objects written before a kill, ` +
      `${totals.rows} rows compared, ${totals.replayed} rows of cambios replayed, ${totals.leftovers} files left behind\n`,
  );
});

function hasObjects(folder: string, table: string): boolean {
  return filesIn(folder).some((file) => file.startsWith(`${table}/`));
}
