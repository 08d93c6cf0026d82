import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../lib/api/retry.ts';
import { openApiSession } from '../../lib/export/company-session.ts';
import { exportRun } from '../../lib/export/run.ts';
import type { UnitResult } from '../../lib/export/unit-result.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour } from '../../lib/sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../lib/sandbox/sandbox.ts';
import { expectedRow, lakeRows } from '../support/lake-truth.ts';

const DAY = '2026-11-19';
const RUN = { id: 'test', day: '2026-11-20' };
/** Retries come at once: the faults count requests, not time. */
const PATIENT: RetryPolicy = {
  maxAttempts: 6,
  maxThrottledAttempts: 12,
  baseDelayMs: 0,
  maxDelayMs: 0,
  maxRetryAfterMs: 60_000,
};
const IDLE_RUT = '214198620015';
const LARGE_RUT = '219999830019';

let sandbox: Sandbox;
const dispatcher = new Agent();
const folders: string[] = [];
beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00' });
});
afterAll(async () => {
  await dispatcher.destroy();
  await sandbox.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  folders.push(folder);
  return folder;
}

/** Exports the day from a sandbox that behaves so, into a lake of its own unless one is given. */
async function exported(behaviour: Partial<SandboxBehaviour>, given?: FolderStore) {
  sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...behaviour });
  const store = given ?? new FolderStore(await newFolder());
  const session = openApiSession({
    address: new URL(sandbox.url),
    dispatcher,
    requestTimeoutMs: 300,
    retryPolicy: PATIENT,
  });
  const companies = sandbox.companies.map(({ rut }) => {
    const token = async () => sandbox.companies.find((company) => company.rut === rut)?.token ?? '';
    const firstToken = token();
    return { rut, tokens: { current: () => firstToken, renew: token } };
  });
  const results = await exportRun({
    run: RUN,
    companies,
    directions: ['recibidos', 'emitidos'],
    days: [DAY],
    session,
    store,
    writer: writeWithHyparquet,
    maxInFlight: 4,
    companiesAtOnce: 2,
  });
  return { results, store };
}

function truth(unit: UnitResult) {
  return [...sandbox.truth(unit.rut, unit.direccion, unit.fecha)].map(expectedRow);
}

async function expectTruth(unit: UnitResult, store: FolderStore) {
  const rows = truth(unit);
  expect(unit.error).toBeUndefined();
  expect(unit).toMatchObject({ estado: rows.length === 0 ? 'vacio' : 'exportado', filas: rows.length });
  expect((await lakeRows(store, unit)) ?? []).toEqual(rows);
}

const ONCE = 'once' as const;
const HARMLESS: Record<string, Partial<SandboxBehaviour>> = {
  'nothing unusual': {},
  'pages of at most 50, in silence': { pageCap: 50 },
  'pages of at most 7, in silence': { pageCap: 7 },
  'pages of 20, whatever was asked': { pageSizeIgnored: 20 },
  'pages of 150, whatever was asked': { pageSizeIgnored: 150 },
  'page_size says what was asked': { pageSizeEcho: 'requested' },
  'an upper bound that excludes its day': { upperBound: 'exclusive' },
  'a page past the end is 404': { pastEnd: '404' },
  'newest ids first': { order: 'id-desc' },
  'latest signatures first': { order: 'signature-desc' },
  'no order to be seen': { order: 'shuffled' },
  'page 1 empty once': { emptyPage: { page: 1, when: ONCE } },
  'page 2 empty once': { emptyPage: { page: 2, when: ONCE } },
  'page 3 empty once': { emptyPage: { page: 3, when: ONCE } },
  'page 1 short once': { shortPage: { page: 1, when: ONCE } },
  'page 2 short once': { shortPage: { page: 2, when: ONCE } },
  'page 4 short once': { shortPage: { page: 4, when: ONCE } },
  '429 without Retry-After now and then': { tooManyRequestsEvery: 5 },
  '429 with Retry-After in seconds': { tooManyRequestsEvery: 5, retryAfter: 'seconds', retryAfterSeconds: 0 },
  '429 with Retry-After as a date': { tooManyRequestsEvery: 7, retryAfter: 'date', retryAfterSeconds: 0 },
  '500 now and then': { serverErrorEvery: 4 },
  '502 with HTML now and then': { badGatewayEvery: 4 },
  '200 with HTML now and then': { htmlEvery: 4 },
  'JSON cut off now and then': { truncatedEvery: 4 },
  'connections reset now and then': { resetEvery: 4 },
  'no answer now and then': { hangEvery: 15 },
  'slow answers': { latencyMs: 20 },
  'a token that is renewed while reading': { rotateTokenAfter: 5 },
};

describe('the lake equals what the sandbox holds, with', () => {
  it.each(Object.entries(HARMLESS))('%s', async (_name, behaviour) => {
    const { results, store } = await exported(behaviour);
    expect(results).toHaveLength(8);
    for (const unit of results) await expectTruth(unit, store);
  });
});

describe('rows that come and go while they are read', () => {
  it.each([
    ['removed at the start', { removeRows: { afterListRequests: 3, count: 10, position: 'start' } }],
    ['removed in the middle', { removeRows: { afterListRequests: 5, count: 10, position: 'middle' } }],
    ['removed at the end', { removeRows: { afterListRequests: 4, count: 10, position: 'end' } }],
    ['inserted at the start', { insertRows: { afterListRequests: 3, count: 10, position: 'start' } }],
    ['inserted in the middle', { insertRows: { afterListRequests: 5, count: 10, position: 'middle' } }],
    ['inserted at the end', { insertRows: { afterListRequests: 4, count: 10, position: 'end' } }],
  ] satisfies [string, Partial<SandboxBehaviour>][])('%s', async (_name, behaviour) => {
    const { results, store } = await exported({
      ...behaviour,
      faultTarget: { rut: LARGE_RUT, direction: 'emitidos' },
    });
    for (const unit of results) await expectTruth(unit, store);
  });
});

const HARMFUL: Record<string, { behaviour: Partial<SandboxBehaviour>; error: RegExp }> = {
  'the page parameter is ignored': {
    behaviour: { pageParameterIgnored: 'echo' },
    error: /could not be proved/,
  },
  'the page parameter is ignored and says so': {
    behaviour: { pageParameterIgnored: 'one' },
    error: /came as page 1/,
  },
  'the last page repeats past the end': {
    behaviour: { pastEnd: 'repeat' },
    error: /only rows that an earlier page/,
  },
  'page 2 is always short': { behaviour: { shortPage: { page: 2, when: 'always' } }, error: /./ },
  'page 3 is always empty': {
    behaviour: {
      emptyPage: { page: 3, when: 'always' },
      pageSizeIgnored: 20,
      faultTarget: { rut: LARGE_RUT, direction: 'emitidos' },
    },
    error: /page 4 .* has rows/,
  },
  'a row has no id': {
    behaviour: { idsMissing: { page: 1, when: 'always' } },
    error: /position 1 .* no usable id/,
  },
  'a recipient is another company': {
    behaviour: { foreignRecipient: { page: 1, when: 'always' }, faultTarget: { direction: 'recibidos' } },
    error: /another company as its recipient/,
  },
  'answers redirect elsewhere': { behaviour: { redirectEvery: 1 }, error: /redirect/ },
  'every answer is 500': { behaviour: { serverErrorEvery: 1 }, error: /status 500 \(asked 6 times\)/ },
  'every answer is HTML': { behaviour: { htmlEvery: 1 }, error: /not JSON/ },
};

describe('the unit fails and its previous object stays, when', () => {
  it.each(Object.entries(HARMFUL))('%s', async (_name, { behaviour, error }) => {
    const before = await exported({});
    const { results } = await exported(behaviour, before.store);
    const failed = results.filter(({ estado }) => estado === 'fallido');
    expect(failed.length).toBeGreaterThan(0);
    for (const unit of failed) expect(unit.error).toMatch(error);
    for (const unit of before.results)
      expect((await lakeRows(before.store, unit)) ?? []).toEqual(truth(unit));
  });
});

describe('one company’s trouble stays its own, when', () => {
  it.each([
    ['its token is refused', { unauthorizedRut: LARGE_RUT }, /refused the token/],
    ['its day is broken', { failingDay: { rut: LARGE_RUT, day: DAY } }, /status 500/],
  ] satisfies [string, Partial<SandboxBehaviour>, RegExp][])('%s', async (_name, behaviour, error) => {
    const { results, store } = await exported(behaviour);
    for (const unit of results) {
      if (unit.rut === LARGE_RUT)
        expect(unit).toMatchObject({ estado: 'fallido', error: expect.stringMatching(error) });
      else await expectTruth(unit, store);
    }
  });
});

it('does nothing harmful when it is done again', async () => {
  const first = await exported({});
  const again = await exported({ order: 'shuffled' }, first.store);
  expect(again.results.map(({ estado }) => estado).sort()).toEqual([
    ...Array.from({ length: 6 }, () => 'sin_cambios'),
    ...Array.from({ length: 2 }, () => 'vacio'),
  ]);
  expect(again.results.filter(({ rut }) => rut === IDLE_RUT).every(({ estado }) => estado === 'vacio')).toBe(
    true,
  );
});
