import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { unitKey } from '../../lib/lake/layout.ts';
import { DETAIL_TABLE_OF, EMITIDOS_DETALLE } from '../../lib/lake/tables.ts';
import type { Day } from '../../lib/time/days.ts';
import { DIRECTIONS, type Direction } from '../../lib/units/unit.ts';
import { BUNDLE_FILE, bundleFile, handlerFile } from '../../scripts/bundle.ts';
import { campaign, itLong } from '../support/campaign.ts';
import { comparableDetail, expectedDetail } from '../support/export/detail-truth.ts';
import { rowsIn } from '../support/lake/text-rows.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { differences, enter, startLocalCloud } from './local-cloud.ts';
import { execute, synthesisedDefinition } from './local-workflow.ts';

const DAY = '2026-11-18';
const RECEIPTS = campaign({
  quick: { recibidos: 60, emitidos: 150 },
  long: { recibidos: 160, emitidos: 750 },
});
/** How often a worker may ask for its time, so that it is called several times for the day. */
const QUESTIONS = campaign({ quick: 60, long: 200 });
/** The day on which a worker is killed has more issued receipts than are staged at once. */
const LONG_DAY = '2026-11-19';
const LONG_DAY_RECEIPTS = { recibidos: 0, emitidos: campaign({ quick: 620, long: 750 }) };

let onDetail = (): void => undefined;
const cloud = await startLocalCloud({
  now: '2026-12-20T03:00:00',
  companyCount: 1,
  receiptsPerDay: (_rut, direction, day) => (day === LONG_DAY ? LONG_DAY_RECEIPTS : RECEIPTS)[direction],
  behaviour: {
    intercept: (request, usual) => {
      if (request.endpoint === 'detail') onDetail();
      return usual(request);
    },
  },
});
const { aws, sandbox } = cloud;
cloud.environment.DETAILS = 'recibidos,emitidos';
enter(cloud);
const { handler: startRun } = await import('../../functions/start-run.ts');
const { handler: exportCompany } = await import('../../functions/export-company.ts');
const { handler: publish } = await import('../../functions/publish.ts');
const { handler: finishRun } = await import('../../functions/finish-run.ts');

const definition = synthesisedDefinition();
const rut = sandbox.companies[0]?.rut ?? '0';

beforeEach(() => {
  cloud.reset();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cloud.close();
});

/** Starts a run and executes it; each invocation of the worker gets its number, from 1. */
async function run(event: object, worker: (companyEvent: unknown, invocation: number) => Promise<unknown>) {
  aws.steps.executions.length = 0;
  await startRun(event, lambdaContext());
  let invocations = 0;
  const ended = await execute(definition, aws.steps.executions[0]?.input ?? '', {
    exportCompany: (companyEvent) => {
      invocations += 1;
      return worker(companyEvent, invocations);
    },
    publish: (runInput) => publish(runInput, lambdaContext()),
    finishRun: (runInput) => finishRun(runInput, lambdaContext()),
  });
  return { ...ended, invocations };
}

const untilTheEnd = (companyEvent: unknown) => exportCompany(companyEvent, lambdaContext());

/** A worker whose time is up once it has asked for it this many times. */
function withTimeFor(questions: number) {
  return (companyEvent: unknown) => {
    let asked = 0;
    const remainingMs = () => {
      asked += 1;
      return asked > questions ? 30_000 : 600_000;
    };
    return exportCompany(companyEvent, lambdaContext(remainingMs));
  };
}

const detailsAsked = () => sandbox.stats().detailRequests;

async function detailsDiffer(direction: Direction, day: Day = DAY): Promise<string[]> {
  const table = DETAIL_TABLE_OF[direction];
  const rows = await rowsIn(cloud.store, unitKey(table.name, day, rut), table);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const truth = [...sandbox.truth(rut, direction, day)];
  expect([rows.length, stored.size]).toEqual([truth.length, truth.length]);
  return truth.flatMap((receipt) => {
    const row = comparableDetail(receipt, stored.get(receipt.id) ?? {});
    return isDeepStrictEqual(row, expectedDetail(receipt, sandbox.detail(receipt)))
      ? []
      : [String(receipt.id)];
  });
}

describe('a run with details', () => {
  it('that has no time for them at once reads each once in the end, and none when nothing has changed', async () => {
    const event = { desde: DAY, hasta: DAY };
    const first = await run(event, withTimeFor(QUESTIONS));
    expect(first.invocations).toBeGreaterThan(3);
    // The list of each unit was written by the first invocation, the details by the last.
    expect(first.output).toMatchObject({
      unidades: 2,
      resumen: { exportado: 2, sin_cambios: 0, fallido: 0 },
    });
    expect(detailsAsked()).toBe(RECEIPTS.recibidos + RECEIPTS.emitidos);
    expect(await differences(cloud, { ruts: [rut], ...event })).toEqual([]);
    for (const direction of DIRECTIONS) expect(await detailsDiffer(direction)).toEqual([]);
    expect(cloud.bucket().keys('.staging/')).toEqual([]);

    sandbox.resetStats();
    const second = await run(event, untilTheEnd);
    expect(second).toMatchObject({ invocations: 1, output: { resumen: { exportado: 0, sin_cambios: 2 } } });
    expect(detailsAsked()).toBe(0);
  });

  it('reads whole what the run was started for, whatever the settings say', async () => {
    const event = { desde: DAY, hasta: DAY, direcciones: ['recibidos', 'emitidos'], detalles: ['emitidos'] };
    const { output } = await run(event, withTimeFor(1.5 * QUESTIONS));
    expect(output).toMatchObject({ resumen: { exportado: 2, fallido: 0 } });
    expect(detailsAsked()).toBe(RECEIPTS.emitidos);
    expect(cloud.bucket().keys('recibidos_detalle/')).toEqual([]);
    expect(await detailsDiffer('emitidos')).toEqual([]);
  });
});

describe('a worker that is killed in the middle of its details', () => {
  // test/export/details/resume.test.ts shows that of a process outside of a workflow.
  itLong('is called again, and goes on from what was staged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    try {
      const file = join(folder, BUNDLE_FILE);
      await bundleFile(handlerFile('export-company'), file);
      const staged = () => cloud.bucket().keys('.staging/detalle/');
      const only = ['emitidos'];
      const event = { desde: LONG_DAY, hasta: LONG_DAY, direcciones: only, detalles: only };
      let stagedCount = 0;
      const { invocations, output } = await run(event, async (companyEvent, invocation) => {
        if (invocation > 1) return await untilTheEnd(companyEvent);
        await killedWorker(file, companyEvent, () => staged().length > 0);
        const parts = await Promise.all(staged().map((key) => rowsIn(cloud.store, key, EMITIDOS_DETALLE)));
        stagedCount = parts.flat().length;
        expect(detailsAsked()).toBeLessThan(LONG_DAY_RECEIPTS.emitidos);
        sandbox.resetStats();
        throw Object.assign(new Error('Task timed out'), { name: 'Sandbox.Timedout' });
      });
      expect([invocations, output]).toMatchObject([2, { resumen: { exportado: 1, fallido: 0 } }]);
      expect(stagedCount).toBeGreaterThanOrEqual(500);
      expect(detailsAsked()).toBe(LONG_DAY_RECEIPTS.emitidos - stagedCount);
      expect(await detailsDiffer('emitidos', LONG_DAY)).toEqual([]);
      expect(cloud.bucket().keys('.staging/')).toEqual([]);
    } finally {
      onDetail = () => undefined;
      await rm(folder, { recursive: true });
    }
  });
});

/** Invokes a handler in a separate process, as Lambda does. */
const RUNTIME = `
  const { handler } = await import(process.argv[1]);
  await handler(JSON.parse(process.argv[2]), { functionName: 'test', getRemainingTimeInMillis: () => 600_000 });
`;

/** Kills the worker's process at the first detail that is asked for once `isDue`. */
async function killedWorker(file: string, event: unknown, isDue: () => boolean): Promise<void> {
  const words = ['--input-type=module', '--eval', RUNTIME, file, JSON.stringify(event)];
  const child = spawn(process.execPath, words, { env: cloud.environment, stdio: 'ignore' });
  onDetail = () => {
    if (isDue()) child.kill('SIGKILL');
  };
  const [, signal] = await once(child, 'exit');
  onDetail = () => undefined;
  expect(signal).toBe('SIGKILL');
}
