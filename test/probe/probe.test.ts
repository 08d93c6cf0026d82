import { afterAll, describe, expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { probeText, sharedText } from '../../lib/cli/commands/probe.ts';
import { MAX_REQUESTS, type ProbeOptions, probe, type ServiceReport } from '../../lib/probe/probe.ts';
import { addDays, type Day } from '../../lib/time/days.ts';
import type { Direction } from '../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour, type SandboxOptions } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import {
  always,
  confined,
  every,
  html200,
  movingRows,
  redirect,
  refusing,
  rewritten,
  status429,
  status500,
} from '../support/api/faults.ts';
import { startHttpServer } from '../support/api/http-server.ts';
import { oneIn } from '../support/campaign.ts';
import { HurriedClock } from '../support/fake-clock.ts';

const RUT = '219999830019';
const TOKEN = 'QXZJ-the-token-KWVY';
const NOW = '2026-11-20T03:00:00';
/** The newest first, as the command line tries them. */
const DAYS = Array.from({ length: 10 }, (_, index) => addDays('2026-11-19', -index));
/** More than a page, and few enough that a day is soon read. */
const RECEIPTS = 40;

const pool = new ConnectionPool();
afterAll(() => pool.destroy());

/** Probes the API at this address, on a clock that doesn't wait. */
async function probedAt(url: string, token = TOKEN, changes: Partial<ProbeOptions> = {}) {
  const clock = new HurriedClock();
  const session = openApiSession({ address: new URL(url), pool, clock, requestTimeoutMs: 5000 });
  const tokens = { current: async () => token, renew: async () => token };
  const { looked: days, report } = await probe({ session, rut: RUT, tokens, days: DAYS, ...changes });
  const names = report.findings.map(({ name, direction, finding }) => [`${direction}.${name}`, finding]);
  const found: Record<string, string> = Object.fromEntries(names);
  expect(probeText(report) + JSON.stringify(report)).not.toContain(token);
  return { days, report, found };
}

/** Sandboxes by their receipts a day: what is made for one probe serves the next one. */
const sandboxes = new Map<SandboxOptions['receiptsPerDay'], Promise<Sandbox>>();
afterAll(async () => {
  for (const sandbox of sandboxes.values()) await (await sandbox).close();
});

/** Probes a sandbox with this behaviour, and so many receipts a day. */
async function probed(
  behaviour: Partial<SandboxBehaviour> = {},
  receiptsPerDay: SandboxOptions['receiptsPerDay'] = RECEIPTS,
  changes: Partial<ProbeOptions> = {},
) {
  const starting = sandboxes.get(receiptsPerDay) ?? startSandbox({ now: NOW, receiptsPerDay });
  sandboxes.set(receiptsPerDay, starting);
  const sandbox = await starting;
  sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...behaviour });
  sandbox.resetStats();
  const answer = await probedAt(sandbox.url, tokenOf(sandbox), changes);
  const { requests } = sandbox.stats();
  const limit = 2 * (changes.maxRequests ?? MAX_REQUESTS);
  expect(answer.report.requests).toMatchObject({ sent: requests, limit });
  expect(requests).toBeLessThanOrEqual(limit);
  return { ...answer, sandbox };
}

function tokenOf({ companies }: Sandbox): string {
  return companies.find(({ rut }) => rut === RUT)?.token ?? '';
}

const USUAL = {
  list: '100 rows on the first page',
  repeat: 'yes',
  pageSize: 'as asked, up to 100',
  day: `yes: ${RECEIPTS} rows`,
  upperBound: expect.stringMatching(/^yes/),
  rangeWidth: 'whole up to 366 days at least',
  depth: 'yes, behind row 10,000 too',
};

function ofBoth(facts: Record<string, unknown>): Record<string, unknown> {
  const both = Object.entries(facts).map(([name, fact]) => [
    [`recibidos.${name}`, fact],
    [`emitidos.${name}`, fact],
  ]);
  return Object.fromEntries(both.flat());
}

const SWITCHES: Record<
  string,
  { behaviour: Partial<SandboxBehaviour>; receiptsPerDay?: number; expected: Record<string, unknown> }
> = {
  'nothing unusual': {
    behaviour: { lateArrivals: false },
    expected: USUAL,
  },
  'a cap of 50, an exclusive bound, 404 past the end, by signature': {
    behaviour: {
      pageCap: 50,
      upperBound: 'exclusive',
      pastEnd: '404',
      order: 'signature-desc',
      lateArrivals: false,
    },
    receiptsPerDay: 10,
    expected: {
      ...USUAL,
      day: 'yes: 10 rows',
      depth: 'yes, behind row 1,000 too',
      list: '50 rows on the first page',
      pageSize: 'as asked, up to 50',
      rangeWidth: 'whole up to 365 days at least',
      upperBound: 'no',
    },
  },
  'one page size, the last page for ever, no order': {
    behaviour: { pageSizeIgnored: 20, pastEnd: 'repeat', order: 'shuffled', lateArrivals: false },
    expected: { pageSize: 'other: 20 for 6, 20 for 100', day: expect.stringMatching(/^unknown: /) },
  },
  'newest first': {
    behaviour: { order: 'id-desc' },
    receiptsPerDay: 10,
    expected: { rangeWidth: USUAL.rangeWidth },
  },
  'page 1 whatever is asked': {
    behaviour: { pageParameterIgnored: 'one' },
    expected: { pageSize: 'unknown: page 2 (33 rows a page) came as page 1', repeat: 'yes' },
  },
  'page 1 whatever is asked, as the page that was asked for': {
    behaviour: { pageParameterIgnored: 'echo' },
    expected: { pageSize: 'page 2 is page 1 again', depth: 'unknown: a page past the end has rows' },
  },
};

describe('the probe finds out, with', () => {
  it.each(Object.entries(SWITCHES))('%s', async (_name, { behaviour, receiptsPerDay, expected }) => {
    expect((await probed(behaviour, receiptsPerDay)).found).toMatchObject(ofBoth(expected));
  });

  it('pages that differ each time', async () => {
    const removed = { kind: 'removed', afterListRequests: 1, count: 10, position: 'start' } as const;
    const { found } = await probed(movingRows(removed), 5);
    expect(found['recibidos.repeat']).toBe('no: other rows');
  });

  it.each(['1', undefined])('throttled answers, Retry-After: %s', async (retryAfter) => {
    const { found, report } = await probed({ intercept: every(10, status429(retryAfter)) });
    const throttled = report.requests.byStatus['429'] ?? 0;
    expect(throttled).toBeGreaterThan(0);
    expect(report.requests.withRetryAfter).toBe(retryAfter === undefined ? 0 : throttled);
    expect(found).toMatchObject(ofBoth({ pageSize: USUAL.pageSize, rangeWidth: USUAL.rangeWidth }));
  });

  const WIDTHS: [string, Partial<SandboxBehaviour>, string][] = [
    ['without a limit, the bound excluded', { upperBound: 'exclusive' }, 'whole up to 365 days at least'],
    ['400', { maxRangeDays: 31, overRange: '400' }, 'whole up to 22 days; 45 days: status 400'],
    ['500', { maxRangeDays: 92, overRange: '500' }, 'whole up to 91 days; 183 days: status 500'],
    ['empty', { maxRangeDays: 60, overRange: 'empty' }, 'whole up to 45 days; 91 days: no rows'],
    [
      'last',
      { maxRangeDays: 31, overRange: 'last' },
      'whole up to 31 days; 45 days: the first days show no rows',
    ],
    [
      'first',
      { maxRangeDays: 31, overRange: 'first' },
      'whole up to 31 days; 45 days: the last days show no rows',
    ],
    [
      'empty from three days on',
      { maxRangeDays: 2, overRange: 'empty' },
      'whole up to 2 days; 5 days: no rows',
    ],
  ];
  it.each(oneIn(2, WIDTHS))('lists that cover only some days: %s', async (_name, behaviour, expected) => {
    const { found } = await probed(behaviour);
    expect(found).toMatchObject(ofBoth({ rangeWidth: expected }));
  });

  it('an order that differs with the page size', async () => {
    const intercept = rewritten((body, { address }) => {
      const { items, ...page } = JSON.parse(body);
      return JSON.stringify({ ...page, items: /pagesize=100/i.test(address) ? items.reverse() : items });
    });
    const { found } = await probed({ intercept });
    expect(found).toMatchObject(ofBoth({ pageSize: 'as asked, but the order differs with it' }));
  });

  it('a bound that is the first moment of its day', async () => {
    const intercept = rewritten((body, { address }) => {
      const last = /FechaHasta=([\d-]+)/.exec(address)?.[1];
      const { items, ...others } = JSON.parse(body);
      // An id ends with the receipt's place in its day.
      const isShown = ({ id, fecha_emision }: { id: number; fecha_emision: string }) =>
        !fecha_emision.startsWith(String(last)) || id % 2 ** 24 < 3;
      return JSON.stringify({ ...others, items: items?.filter(isShown) });
    });
    const { found } = await probed({ intercept }, 20);
    expect(found).toMatchObject(ofBoth({ upperBound: 'no: its first rows alone come' }));
  });

  const DEPTHS: [string, string, Partial<SandboxBehaviour>, number?][] = [
    ['with 3,660 rows', 'yes, behind row 1,000 too', {}, 10],
    ['with few rows', 'unknown: too few rows', {}, 1],
    ['up to 10,000 rows', 'presumably not: the list ends with row 10,000', { resultWindow: 10_000 }],
    ['up to 5,000 rows', 'presumably not: the list ends with row 5,000', { resultWindow: 5_000 }],
    [
      'up to 1,000 rows, then 404',
      'presumably not: the list ends with row 1,000',
      { resultWindow: 1_000, pastEnd: '404' },
    ],
  ];
  it.each(oneIn(2, DEPTHS))('lists that are shown %s', async (_name, expected, behaviour, receiptsPerDay) => {
    expect((await probed(behaviour, receiptsPerDay)).found).toMatchObject(ofBoth({ depth: expected }));
  });
});

it('tells for each fact what was asked, and what it means for an export', async () => {
  const { report } = await probed({ maxRangeDays: 31 });
  const { findings, requests, latencyMs } = report;
  expect(findings.reduce((sum, { asked }) => sum + asked.requests, 0)).toBe(requests.sent);
  expect(findings.find(({ name }) => name === 'day')?.asked).toMatchObject({ days: 1, rows: RECEIPTS });
  const width = findings.filter(({ name }) => name === 'rangeWidth');
  expect(width.map(({ means }) => means)).toEqual(Array(2).fill('lists are that narrow: more requests'));
  expect(latencyMs.min).toBeLessThanOrEqual(latencyMs.median);
  expect(latencyMs.median).toBeLessThanOrEqual(latencyMs.max);
  expect(probeText(report)).toMatch(
    /Is a day read whole\? +yes: 40 rows\n +1 day, 40 rows, \d requests, \d+ ms; .*stored/,
  );
});

describe('the day is picked', () => {
  it('where there are receipts', async () => {
    const receiptsPerDay = (_rut: string, direction: Direction, day: string) =>
      day === (direction === 'recibidos' ? '2026-11-14' : '2026-11-17') ? 40 : 0;
    const { days } = await probed({ lateArrivals: false }, receiptsPerDay);
    expect(days).toEqual({ recibidos: '2026-11-14', emitidos: '2026-11-17' });
  });

  it('not at all where there are none', async () => {
    const { days, found } = await probed({}, 0);
    expect(days).toEqual({ recibidos: null, emitidos: null });
    expect(found).toEqual(ofBoth({ list: 'unknown: none' }));
  });
});

it('never sends more than it may, and says what it does not know therefore', async () => {
  const { found, report } = await probed({}, RECEIPTS, { maxRequests: 9 });
  expect(report.requests.sent).toBe(18);
  expect(found).toMatchObject(ofBoth({ day: expect.stringMatching(/^unknown: that takes/) }));
});

it.each([
  ['a refused token', { intercept: refusing(RUT) }, /refused the token \(status 401\).*Renew the token/],
  ['a redirect', { intercept: always(redirect) }, /redirect \(status 302\), which is never followed/],
  ['an error every time', { intercept: always(status500) }, /status 500/],
  ['HTML', { intercept: always(html200) }, /could not be read: .* Check the API address/],
  [
    'no answer',
    { intercept: always('reset') },
    /no answer from the API: .*Check the API address and the network/,
  ],
] satisfies [string, Partial<SandboxBehaviour>, RegExp][])(
  'the probe can’t begin, and says why: %s',
  async (_name, behaviour, message) => {
    await expect(probed(behaviour)).rejects.toThrow(message);
  },
);

it('reads one list where the other is refused', async () => {
  const intercept = confined({ direction: 'recibidos' }, always(status500));
  const { found } = await probed({ intercept });
  expect(found).toMatchObject({
    'recibidos.list': 'unknown: status 500',
    'emitidos.pageSize': USUAL.pageSize,
  });
});

describe('what is sent on', () => {
  const MARK = 'ZZPLANTED';
  /** Every text of a receipt is marked; its numbers are remembered, and so are its days. */
  function planted(item: object, values: Set<string>): object {
    const marked = (value: unknown, name: string): unknown => {
      if (Array.isArray(value)) return value.map((member) => marked(member, name));
      if (typeof value === 'object' && value !== null) {
        return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, marked(member, key)]));
      }
      if (typeof value === 'number' && value > 10_000) values.add(String(value));
      if (name.startsWith('fecha')) values.add(String(value).slice(0, 10));
      return typeof value !== 'string' || name.startsWith('fecha') || name === 'nro_doc'
        ? value
        : `${MARK}${value}`;
    };
    return {
      ...Object(marked(item, '')),
      canal: MARK,
      [`${MARK} & Cía`]: MARK,
      [RUT]: { [`f${RUT}`]: MARK },
    };
  }

  it('holds no value of any receipt, no RUT, no name, no token and no address', async () => {
    const values = new Set<string>();
    const rewrite = (body: string) => {
      const parsed = JSON.parse(body);
      if (!Array.isArray(parsed.items) || parsed.page_number === undefined)
        return JSON.stringify(planted(parsed, values));
      return JSON.stringify({ ...parsed, items: parsed.items.map((item: object) => planted(item, values)) });
    };
    const { report, sandbox } = await probed({ intercept: rewritten(rewrite) });
    const text = sharedText(report, []);
    const { token = '', name = '' } = sandbox.companies.find(({ rut }) => rut === RUT) ?? {};
    expect(values.size).toBeGreaterThan(100);
    for (const secret of [MARK, RUT, token, name, '127.0.0.1', sandbox.url, ...values])
      expect(text).not.toContain(secret);
  });

  it('is refused if it held a secret', () => {
    const report: ServiceReport = {
      requests: { sent: 1, limit: 1, byStatus: { eyj_secret: 1 }, withRetryAfter: 0 },
      latencyMs: { min: 0, median: 0, max: 0 },
      findings: [],
    };
    expect(() => sharedText(report, ['eyj_secret'])).toThrow('would hold a secret');
    expect(sharedText(report, [RUT])).toContain('eyj_secret');
  });

  it('shows nothing of a hostile answer, not even when the server sends the token back', async () => {
    const server = await startHttpServer(({ headers }) => ({
      headers: { 'content-type': 'application/json', 'retry-after': String(headers.authorization) },
      body: JSON.stringify({
        items: [{ id: 1, fecha_emision: '2026-11-19' satisfies Day, [TOKEN]: TOKEN }],
        page_number: 1,
      }),
    }));
    await expect(probedAt(String(server.address))).rejects.toThrow(/holds the token/);
  });
});
