import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { HANDLERS } from '../../lib/stack/exporter/bundles.ts';
import { BUNDLE_FILE, bundleFile, handlerFile } from '../../scripts/bundle.ts';

/** Modules that only the command line and the sandbox need. */
const NOT_FOR_LAMBDA =
  /node_modules\/(@duckdb|fastify|aws-cdk-lib|parquetjs-lite)\/|lib\/(cli|sandbox|stack\/cfe)/;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  vi.stubEnv('AWS_REGION', 'sa-east-1');
  vi.stubEnv('API_ADDRESS', 'https://api.example.invalid');
  vi.stubEnv('COMPANIES_SECRET', 'cfe-lake/companies');
  vi.stubEnv('LAKE_BUCKET', 'lake');
  vi.stubEnv('COMPANIES_AT_ONCE', '8');
  vi.stubEnv('REQUESTS_PER_COMPANY', '8');
  vi.stubEnv('MAX_ROWS_PER_LIST', '1000000');
  vi.stubEnv('MAX_DETAILS_PER_UNIT', '10000');
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:sa-east-1:123456789012:stateMachine:cfe-lake');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe.each(HANDLERS)('the bundle of %s', (name) => {
  it('is small, holds nothing of the command line, and has a handler', async () => {
    const file = join(folder, name, BUNDLE_FILE);
    const { inputs } = await bundleFile(handlerFile(name), file);
    expect((await stat(file)).size).toBeLessThanOrEqual(1_000_000);
    expect(Object.keys(inputs).filter((input) => NOT_FOR_LAMBDA.test(input))).toEqual([]);
    expect(await import(pathToFileURL(file).href)).toMatchObject({ handler: expect.any(Function) });
  });
});
