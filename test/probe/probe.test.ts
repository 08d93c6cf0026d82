import { Agent } from 'undici';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { probeText } from '../../lib/cli/probe-report.ts';
import { MAX_REQUESTS, type ProbeOptions, probe } from '../../lib/probe/probe.ts';
import type { ProbeReport } from '../../lib/probe/report.ts';
import type { SandboxOptions } from '../../lib/sandbox/options.ts';
import { type Sandbox, startSandbox } from '../../lib/sandbox/sandbox.ts';
import { addDays } from '../../lib/time/days.ts';
import { HurriedClock } from '../support/fake-clock.ts';
import { startHttpServer } from '../support/http-server.ts';

const RUT = '219999830019';
const TOKEN = 'QXZJ-the-token-KWVY';
/** The newest first, as the command line tries them. */
const DAYS = Array.from({ length: 10 }, (_, index) => addDays('2026-11-19', -index));

const dispatcher = new Agent();
afterAll(() => dispatcher.destroy());

interface Probed {
  report: ProbeReport;
  sandbox: Sandbox;
  /** What was found, by `recibidos.order`, or `latency` for the API as a whole. */
  found: Record<string, string>;
}

/** Probes a sandbox that is made so, on a clock that doesn't wait. */
async function probed(options: SandboxOptions = {}, changes: Partial<ProbeOptions> = {}): Promise<Probed> {
  const clock = new HurriedClock();
  const sandbox = await startSandbox({
    now: '2026-11-20T03:00:00',
    monotonicMs: () => clock.now(),
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const token = sandbox.companies.find(({ rut }) => rut === RUT)?.token ?? '';
  const address = new URL(sandbox.url);
  const common = { address, dispatcher, rut: RUT, token, requestTimeoutMs: 5000, clock, days: DAYS };
  const report = await probe({ ...common, ...changes });
  expectNoSecret(report, token);
  return { report, sandbox, found: foundIn(report) };
}

function foundIn({ findings }: ProbeReport): Record<string, string> {
  return Object.fromEntries(
    findings.map(({ name, direction, finding }) => [
      direction === undefined ? name : `${direction}.${name}`,
      finding,
    ]),
  );
}

function expectNoSecret(report: ProbeReport, token: string): void {
  expect(JSON.stringify(report)).not.toContain(token);
  expect(probeText(report)).not.toContain(token);
}

const SWITCHES: Record<string, { behaviour: SandboxOptions['behaviour']; expected: Record<string, string> }> =
  {
    'nothing unusual': {
      behaviour: {},
      expected: {
        'recibidos.pageSize': 'as asked, up to 100',
        'recibidos.overMaximum': 'cut to 100 in silence',
        'recibidos.defaultPageSize': '20',
        'recibidos.pageSizeField': 'the rows in the page',
        'recibidos.upperBound': 'inclusive',
        'recibidos.pageNumber': 'honoured',
        'recibidos.pastEnd': 'no rows',
        'recibidos.order': 'by id, ascending',
        'recibidos.stability': 'yes',
        'emitidos.pageSize': 'as asked, up to 100',
        'emitidos.upperBound': 'inclusive',
        'emitidos.order': 'by id, ascending, or by signature, ascending',
        unknownId: 'status 404',
        missingAuthorization: 'status 401',
        missingXEmisor: 'status 400',
        badFilterValue: 'status 400',
        unknownParameter: 'status 400',
        parallelism: 'at least 8',
        retryAfter: 'unknown: nothing was throttled',
      },
    },
    'a cap of 50, an exclusive bound, 404 past the end, by signature': {
      behaviour: {
        pageCap: 50,
        defaultPageSize: 10,
        pageSizeEcho: 'requested',
        upperBound: 'exclusive',
        pastEnd: '404',
        order: 'signature-desc',
        unknownParameter: 'ignore',
      },
      expected: {
        'recibidos.pageSize': 'as asked, up to 50',
        'recibidos.overMaximum': 'cut to 50 in silence',
        'recibidos.defaultPageSize': '10',
        'recibidos.pageSizeField': 'the size asked for',
        'recibidos.upperBound': 'exclusive',
        'recibidos.pastEnd': 'status 404',
        'recibidos.order': 'by signature, descending',
        'recibidos.stability': 'yes',
        'emitidos.upperBound': 'exclusive',
        unknownParameter: 'accepted (status 200)',
      },
    },
    'one page size, the last page for ever, no order': {
      behaviour: { pageSizeIgnored: 20, pastEnd: 'repeat', order: 'shuffled' },
      expected: {
        'recibidos.pageSize': 'always 20, whatever is asked',
        'recibidos.overMaximum': 'cut to 20 in silence',
        'recibidos.pageNumber': 'honoured',
        'recibidos.pastEnd': 'rows, presumably the last page again',
        'recibidos.order': 'neither by id nor by signature',
        'recibidos.stability': 'yes, as far as one page size tells',
      },
    },
    'sizes over 100 refused, newest first': {
      behaviour: { overCap: 'error', order: 'id-desc' },
      expected: {
        'recibidos.pageSize': 'as asked, up to 100',
        'recibidos.overMaximum': 'refused (status 400)',
        'recibidos.order': 'by id, descending',
        'emitidos.order': 'by id, descending, or by signature, descending',
      },
    },
    'sizes over 100 honoured': {
      behaviour: { pageCap: 500 },
      expected: {
        'recibidos.pageSize': 'as asked, up to 100',
        'recibidos.overMaximum': expect.stringMatching(/^honoured: 1\d\d rows came$/),
      },
    },
    'an order that differs with the page size': {
      behaviour: { unstableTies: true },
      expected: { 'recibidos.stability': 'no: the order differs with the page size' },
    },
    'page 1 whatever is asked': {
      behaviour: { pageParameterIgnored: 'one' },
      expected: {
        'recibidos.pageNumber': 'ignored: page 2 has the rows of page 1',
        'recibidos.pastEnd': 'rows: the first page again',
        'recibidos.stability': 'yes',
      },
    },
    'pages that differ each time': {
      behaviour: { removeRows: { afterListRequests: 2, count: 10, position: 'start' } },
      expected: { 'recibidos.stability': 'no: page 1 differs when it is asked again' },
    },
  };

describe('the probe finds out, with', () => {
  it.each(Object.entries(SWITCHES))('%s', async (_name, { behaviour, expected }) => {
    const { report, sandbox, found } = await probed({ behaviour });
    expect(found).toMatchObject(expected);
    const { requests, byStatus } = sandbox.stats();
    expect(report.requests).toEqual({ sent: requests, limit: MAX_REQUESTS, byStatus });
    expect(requests).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  it('a limit of six requests a second: it waits for lists, and stops at the first refusal in flight', async () => {
    const { found, sandbox } = await probed({ behaviour: { rateLimit: 6 } });
    expect(found).toMatchObject({
      'recibidos.pageSize': 'as asked, up to 100',
      'emitidos.stability': 'yes',
      parallelism: '4; then status 429',
      retryAfter: 'in seconds',
    });
    expect(sandbox.stats().requests).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  it.each([
    ['date', 'as a date'],
    ['none', 'absent'],
  ] as const)('a Retry-After of the form %s', async (retryAfter, expected) => {
    const { found } = await probed({ behaviour: { tooManyRequestsEvery: 10, retryAfter } });
    expect(found.retryAfter).toBe(expected);
  });
});

describe('the day is picked', () => {
  it('where there are receipts', async () => {
    const { report } = await probed({
      receiptsPerDay: (_rut, direction, day) =>
        day === (direction === 'recibidos' ? '2026-11-14' : '2026-11-17') ? 40 : 0,
      behaviour: { lateArrivals: false },
    });
    expect(report.days).toEqual({ recibidos: '2026-11-14', emitidos: '2026-11-17' });
  });

  it.each(['id', 'id-desc'] as const)('with many receipts on every day, in the order %s', async (order) => {
    const { report, found } = await probed({
      receiptsPerDay: 300,
      now: '2026-11-20T23:00:00',
      behaviour: { order, lateArrivals: false },
    });
    expect(report.days).toEqual({ recibidos: '2026-11-19', emitidos: '2026-11-19' });
    expect(found['recibidos.upperBound']).toBe('inclusive');
  });

  it('not at all where there are none; the rest is found out all the same, within the limit', async () => {
    const { report, found } = await probed({ receiptsPerDay: 0 });
    expect(report.days).toEqual({ recibidos: null, emitidos: null });
    expect(found['recibidos.list']).toBe('unknown: no receipts from 2026-11-10 to 2026-11-19');
    expect(found).toMatchObject({ unknownId: 'status 404', parallelism: 'at least 8' });
    expect(report.requests.sent).toBeLessThanOrEqual(MAX_REQUESTS);
  });
});

it('says unknown where a list is too short to tell', async () => {
  const { found } = await probed({ receiptsPerDay: 1, behaviour: { lateArrivals: false } });
  expect(found).toMatchObject({
    'recibidos.pageSize': 'unknown: the list has only 1 row',
    'recibidos.order': 'unknown: too few rows',
    'recibidos.pageNumber': 'unknown: the list has one page only',
    'recibidos.defaultPageSize': 'unknown: at least the 1 row of the list',
  });
});

it('never sends more than it may, and says that it stopped', async () => {
  const { report, found, sandbox } = await probed({}, { maxRequests: 14 });
  expect(sandbox.stats().requests).toBe(14);
  expect(report.requests).toMatchObject({ sent: 14, limit: 14 });
  expect(found.requestLimit).toBe('no: the limit of 14 requests was reached');
  expect(found['recibidos.pageSize']).toBe('as asked, up to 100');
});

describe('it can’t begin, and says why', () => {
  it.each([
    ['a refused token', { unauthorizedRut: RUT }, /refused with status 401. Renew the token/],
    ['a redirect', { redirectEvery: 1 }, /redirect \(status 302\), which is never followed/],
    ['an error every time', { serverErrorEvery: 1 }, /status 500. Probe again when the API has recovered/],
    ['HTML', { htmlEvery: 1 }, /is no page of receipts. Check the API's address/],
    ['no answer', { resetEvery: 1 }, /no answer \(.+\). Check the API's address and the network/],
  ] satisfies [string, SandboxOptions['behaviour'], RegExp][])('%s', async (_name, behaviour, message) => {
    await expect(probed({ behaviour })).rejects.toThrow(message);
  });
});

it('shows nothing of what a body holds, not even when the server sends the token back', async () => {
  const server = await startHttpServer(({ headers }) => ({
    headers: { 'content-type': 'application/json', 'retry-after': String(headers.authorization) },
    body: JSON.stringify({
      items: [{ id: 1, fecha_emision: TOKEN, fecha_firma: TOKEN, [TOKEN]: TOKEN }],
      page_number: TOKEN,
      page_size: TOKEN,
      [TOKEN]: headers,
    }),
  }));
  const report = await probe({
    address: server.address,
    dispatcher,
    rut: RUT,
    token: TOKEN,
    requestTimeoutMs: 5000,
    clock: new HurriedClock(),
    days: ['2026-11-19'],
  });
  expectNoSecret(report, TOKEN);
  const without = server.requests.filter(({ headers }) => headers.authorization === undefined);
  expect(without).toHaveLength(1);
  expect(server.requests.filter(({ headers }) => headers['x-emisor'] === undefined)).toHaveLength(1);
});
