import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { bundlesIn, HANDLERS } from '../../lib/system/program.ts';
import { BUNDLE_FILE, bundleFile, handlerFile } from '../../scripts/bundle.ts';
import { differences, startLocalCloud } from './local-cloud.ts';
import { execute, synthesisedDefinition } from './local-workflow.ts';

const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
const cloud = await startLocalCloud({ now: '2026-12-20T03:00:00', companyCount: 1, receiptsPerDay: 5 });
afterAll(async () => {
  await cloud.close();
  await rm(folder, { recursive: true });
});

/** Modules that only the command line and the sandbox need. */
const NOT_FOR_LAMBDA =
  /node_modules\/(@duckdb|fastify|aws-cdk-lib|parquetjs-lite)\/|lib\/(cli|sandbox|stack\/cfe)/;

const bundles = bundlesIn(folder);
const metafiles = new Map(
  await Promise.all(
    HANDLERS.map(
      async (name) => [name, await bundleFile(handlerFile(name), join(bundles[name], BUNDLE_FILE))] as const,
    ),
  ),
);

/** Invokes a bundle in a separate process, as Lambda does, far from this repository's node_modules. */
const RUNTIME = `
  const { handler } = await import(process.argv[1]);
  const answer = await handler(JSON.parse(process.argv[2]), {
    functionName: 'bundle-test',
    getRemainingTimeInMillis: () => 600_000,
  });
  process.stdout.write(JSON.stringify(answer));
  process.exit();
`;

async function invoke(name: keyof typeof bundles, event: unknown): Promise<unknown> {
  const parameters = [
    '--input-type=module',
    '--eval',
    RUNTIME,
    join(bundles[name], BUNDLE_FILE),
    JSON.stringify(event),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, {
    cwd: folder,
    env: cloud.environment,
  });
  return JSON.parse(stdout);
}

it.each(HANDLERS)('that of %s is small and holds nothing of the command line', async (name) => {
  expect((await stat(join(bundles[name], BUNDLE_FILE))).size).toBeLessThanOrEqual(1_000_000);
  const inputs = Object.keys(metafiles.get(name)?.inputs ?? {});
  expect(inputs.length).toBeGreaterThan(50);
  expect(inputs.filter((input) => NOT_FOR_LAMBDA.test(input))).toEqual([]);
});

it('load without the packages of this repository', async () => {
  const load = 'for (const file of process.argv.slice(1)) await import(file); process.exit();';
  const files = HANDLERS.map((name) => join(bundles[name], BUNDLE_FILE));
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', load, ...files], {
    cwd: folder,
    env: cloud.environment,
  });
});

it('are enough for a whole run: nothing is missing in them', async () => {
  const event = { desde: '2026-11-18', hasta: '2026-11-19' };
  expect(await invoke('start-run', event)).toMatchObject({ empresas: 1, unidades: 4 });
  const { output, error } = await execute(
    synthesisedDefinition(),
    cloud.aws.steps.executions[0]?.input ?? '',
    {
      exportCompany: (companyEvent) => invoke('export-company', companyEvent),
      publish: (runInput) => invoke('publish', runInput),
      finishRun: (runInput) => invoke('finish-run', runInput),
    },
  );
  expect(error).toBeUndefined();
  expect(output).toMatchObject({ unidades: 4, resumen: { exportado: 4 } });
  expect(cloud.bucket().find('cobertura/index.html').bytes.toString()).toMatch(/^<!doctype html>/);
  expect(await differences(cloud, { ruts: cloud.sandbox.companies.map(({ rut }) => rut), ...event })).toEqual(
    [],
  );
});
