import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import type { Direction } from '../../lib/api/directions.ts';
import { probeText } from '../../lib/cli/commands/probe.ts';
import { MAX_REQUESTS, type ProbeOptions, type ProbeReport, probe } from '../../lib/probe/probe.ts';
import type { SandboxOptions } from '../../lib/sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../lib/sandbox/sandbox.ts';
import { addDays } from '../../lib/time/days.ts';
import { startHttpServer } from '../support/api/http-server.ts';
import { oneIn } from '../support/campaign.ts';
import { HurriedClock } from '../support/fake-clock.ts';

const RUT = '219999830019';
const TOKEN = 'QXZJ-the-token-KWVY';
/** The newest first, as the command line tries them. */
const DAYS = Array.from({ length: 10 }, (_, index) => addDays('2026-11-19', -index));

const pool = new ConnectionPool();
afterAll(() => pool.destroy());

interface Probed {
  report: ProbeReport;
  sandbox: Sandbox;
  /** The findings, by names like `recibidos.order`, or `latency` for the API as a whole. */
  found: Record<string, string>;
}

/** Probes a sandbox with these options, on a clock that doesn't wait. */
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
  const common = { address, pool, rut: RUT, token, requestTimeoutMs: 5000, clock, days: DAYS };
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

describe('the probe finds out how wide a list may be', () => {
  const answered = 'whole up to 31 days';
  const WIDTHS: [string, SandboxOptions['behaviour'], string][] = [
    ['without a limit', {}, 'whole up to 366 days at least'],
    ['without a limit, the bound excluded', { upperBound: 'exclusive' }, 'whole up to 366 days at least'],
    ['400', { maxRangeDays: 31, overRange: '400' }, `${answered}; 92 days are refused with status 400`],
    ['500', { maxRangeDays: 91, overRange: '500' }, `${answered}; 92 days are refused with status 500`],
    ['empty', { maxRangeDays: 60, overRange: 'empty' }, `${answered}; 92 days are answered empty`],
    [
      'last',
      { maxRangeDays: 31, overRange: 'last' },
      `${answered}; of 92 days the first are left out in silence`,
    ],
    [
      'first',
      { maxRangeDays: 31, overRange: 'first' },
      `${answered}; of 92 days the last are left out in silence`,
    ],
    [
      '400, the bound excluded',
      { maxRangeDays: 31, overRange: '400', upperBound: 'exclusive' },
      `${answered}; 92 days are refused with status 400`,
    ],
    [
      'first, the bound excluded',
      { maxRangeDays: 7, overRange: 'first', upperBound: 'exclusive' },
      'whole up to 7 days; of 31 days the last are left out in silence',
    ],
    [
      '500 from three days on',
      { maxRangeDays: 2, overRange: '500' },
      'whole up to 1 day; 7 days are refused with status 500',
    ],
    [
      'empty from three days on',
      { maxRangeDays: 2, overRange: 'empty' },
      'whole up to 1 day; 7 days are answered empty',
    ],
  ];
  it.each(oneIn(2, WIDTHS))('%s', async (_name, behaviour, expected) => {
    const { found, sandbox } = await probed({ behaviour });
    expect(widthIn(found)).toBe(expected);
    expect(found.parallelism).toBe('at least 8');
    expect(sandbox.stats().requests).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  it('even where everything takes the most requests: fewer are then tried in flight', async () => {
    const behaviour = { maxRangeDays: 7, overRange: 'empty', pageCap: 7 } as const;
    const { found, sandbox } = await probed({ receiptsPerDay: 300, behaviour });
    expect(widthIn(found)).toBe('whole up to 7 days; 31 days are answered empty');
    expect(found.parallelism).toBe('at least 4, no requests are left to try more');
    expect(found.requestLimit).toBeUndefined();
    expect(sandbox.stats().requests).toBeLessThanOrEqual(MAX_REQUESTS);
  });

  it('of one list only, the one with more rows', async () => {
    const receiptsPerDay = (_rut: string, direction: Direction) => (direction === 'emitidos' ? 60 : 40);
    const { found } = await probed({ receiptsPerDay });
    expect(found['emitidos.rangeWidth']).toBe('whole up to 366 days at least');
    expect(found['emitidos.resultWindow']).toBe('yes, behind row 10,000 too');
    expect(found).not.toHaveProperty('recibidos.rangeWidth');
    expect(found).not.toHaveProperty('recibidos.resultWindow');
  });
});

function widthIn(found: Record<string, string>): string | undefined {
  return found['recibidos.rangeWidth'] ?? found['emitidos.rangeWidth'];
}

describe('the probe finds out how deep a list is shown', () => {
  const fewDays = (_rut: string, _direction: Direction, day: string) => (day > '2026-11-01' ? 8 : 0);
  const DEPTHS: [string, string, SandboxOptions][] = [
    ['in pages of 100', 'yes, behind row 10,000 too', { receiptsPerDay: 300 }],
    ['in pages of 50', 'yes, behind row 10,000 too', { receiptsPerDay: 300, behaviour: { pageCap: 50 } }],
    ['in pages shorter than any full one', 'yes, behind row 10,000 too', { receiptsPerDay: 40 }],
    ['with 3,660 rows', 'yes, behind row 1,000 too', { receiptsPerDay: 10 }],
    ['with few rows', 'unknown: the list has too few rows', { receiptsPerDay: fewDays }],
    [
      'up to 10,000 rows',
      'presumably not: the list ends with row 10,000',
      { receiptsPerDay: 300, behaviour: { resultWindow: 10_000 } },
    ],
    [
      'up to 5,000 rows',
      'presumably not: the list ends with row 5,000',
      { receiptsPerDay: 40, behaviour: { resultWindow: 5_000 } },
    ],
    [
      'up to 1,000 rows, with 404 behind them',
      'presumably not: the list ends with row 1,000',
      { receiptsPerDay: 300, behaviour: { resultWindow: 1_000, pastEnd: '404' } },
    ],
    [
      'with a last page that repeats',
      'unknown: a page past the end has rows',
      { receiptsPerDay: 300, behaviour: { pastEnd: 'repeat' } },
    ],
    [
      'in pages of one size only',
      'unknown: no page size is surely honoured',
      { receiptsPerDay: 300, behaviour: { pageSizeIgnored: 20 } },
    ],
    [
      'with no wide range',
      'unknown: no wide range is answered',
      { receiptsPerDay: 300, behaviour: { maxRangeDays: 2 } },
    ],
  ];
  it.each(oneIn(2, DEPTHS))('%s', async (_name, expected, options) => {
    const { found } = await probed(options);
    expect(found['recibidos.resultWindow']).toBe(expected);
  });
});

describe('of a service that', () => {
  /** Probes a service whose receipts are all of one day and, by default, one number. `answer` returns the status. */
  async function probedService(
    answer: (query: URLSearchParams, firstRow: number) => number,
    numero: (query: URLSearchParams) => number = () => 7,
  ): Promise<Record<string, string>> {
    const server = await startHttpServer(({ query }) => {
      const size = Number(query.get('PageSize') ?? query.get('pageSize') ?? 20);
      const start = (Number(query.get('PageNumber') ?? query.get('pageNumber')) - 1) * size;
      const status = answer(query, start);
      const count = start < 8_000 ? size : 0;
      const items = Array.from({ length: count }, (_, row) => ({
        id: start + row + 1,
        tipo_comprobante: 111,
        serie: 'A',
        numero: numero(query),
        fecha_emision: '2026-11-19T00:00:00',
        fecha_firma: '2026-11-19T10:00:00',
      }));
      const body = JSON.stringify({ items, page_number: start / size + 1, page_size: count });
      return { status, headers: { 'content-type': 'application/json' }, body };
    });
    const report = await probe({
      address: server.address,
      pool,
      rut: RUT,
      token: TOKEN,
      requestTimeoutMs: 5000,
      clock: new HurriedClock(),
      days: ['2026-11-19'],
    });
    return foundIn(report);
  }

  it('refuses deep pages, the status is told', async () => {
    const found = await probedService((_query, start) => (start >= 4_000 ? 400 : 200));
    expect(found['recibidos.resultWindow']).toBe('yes, behind row 1,000 too; row 5,000: status 400');
  });

  it('refuses days that lie ahead, that is told apart from wide ranges', async () => {
    const found = await probedService((query) =>
      (query.get('FechaHasta') ?? '') > '2026-11-20' ? 422 : 200,
    );
    expect(found['recibidos.rangeWidth']).toBe(
      '366 days are answered; whether whole is unknown: days ahead are refused with status 422',
    );
  });

  it('does not honour the filters, the width is unknown', async () => {
    const found = await probedService(
      () => 200,
      (query) => (query.has('NumeroDesde') ? 8 : 7),
    );
    expect(found['recibidos.rangeWidth']).toMatch(/^unknown: /);
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

  it('not at all where there are none; the rest is still found out, within the limit', async () => {
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
    pool,
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
