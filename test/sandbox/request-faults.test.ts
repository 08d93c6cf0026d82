import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { ask, DAY, LEGACY, LIST, NOW, pageOf, rutOf, truthOf } from './support.ts';

let sandbox: Sandbox;
let monotonicMs = 0;
const delays: number[] = [];
beforeAll(async () => {
  sandbox = await startSandbox({
    now: NOW,
    receiptsPerDay: 250,
    wallClockMs: () => Date.UTC(2026, 10, 20, 6, 0, 0),
    monotonicMs: () => monotonicMs,
    delay: (send, ms) => {
      delays.push(ms);
      send();
    },
  });
});
afterEach(() => {
  sandbox.behave(DEFAULT_BEHAVIOUR);
  delays.length = 0;
});
afterAll(() => sandbox.close());

/** Turns the event loop until the condition holds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

const FIRST = pageOf('emitidos', 1, 100);

type Every = Partial<SandboxBehaviour>;

describe('every n-th request', () => {
  it.each([
    ['429', { tooManyRequestsEvery: 3 }, 429],
    ['500', { serverErrorEvery: 3 }, 500],
    ['502', { badGatewayEvery: 3 }, 502],
    ['302', { redirectEvery: 3 }, 302],
  ] satisfies [string, Every, number][])(
    'answers %s, and its repetition 200',
    async (_name, behaviour, status) => {
      sandbox.behave(behaviour);
      const statuses: number[] = [];
      for (const page of [1, 2, 3, 3, 2, 1, 1])
        statuses.push((await ask(sandbox, pageOf('emitidos', page, 10))).status);
      expect(statuses).toEqual([200, 200, status, 200, 200, status, 200]);
    },
  );

  it('lets a retry through, whatever its number is', async () => {
    sandbox.behave({ serverErrorEvery: 2 });
    await ask(sandbox, FIRST);
    expect((await ask(sandbox, pageOf('emitidos', 2, 10))).status).toBe(500);
    expect((await ask(sandbox, pageOf('emitidos', 3, 10))).status).toBe(200);
    expect((await ask(sandbox, pageOf('emitidos', 2, 10))).status).toBe(200);
  });

  it('is each request when n is 1', async () => {
    sandbox.behave({ serverErrorEvery: 1 });
    for (const _ of [1, 2, 3]) expect((await ask(sandbox, FIRST)).status).toBe(500);
  });

  it('answers 502 and 200 with HTML', async () => {
    for (const [behaviour, status] of [
      [{ badGatewayEvery: 1 }, 502],
      [{ htmlEvery: 1 }, 200],
    ] as const) {
      sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...behaviour });
      const reply = await ask(sandbox, FIRST);
      expect(reply.status).toBe(status);
      expect(reply.headers.get('content-type')).toContain('text/html');
      expect(reply.text).toMatch(/^<!DOCTYPE html>/);
    }
  });

  it('answers JSON that is cut off, including that of details and legacy lists', async () => {
    sandbox.behave({ truncatedEvery: 1 });
    const detail = `${LIST.emitidos}/${truthOf(sandbox, 'emitidos')[0]?.id}`;
    const legacy = `${LEGACY.emitidos}?FechaDesde=${DAY}&FechaHasta=${DAY}`;
    for (const path of [FIRST, detail, legacy]) {
      const { status, text } = await ask(sandbox, path);
      expect(status).toBe(200);
      expect(text).not.toBe('');
      expect(() => JSON.parse(text)).toThrow(SyntaxError);
    }
  });

  it('resets the connection', async () => {
    sandbox.behave({ resetEvery: 2 });
    expect((await ask(sandbox, FIRST)).status).toBe(200);
    await expect(ask(sandbox, pageOf('emitidos', 2, 10))).rejects.toThrow();
    expect((await ask(sandbox, pageOf('emitidos', 2, 10))).status).toBe(200);
  });

  it('never answers, and counts as unanswered once the client gives up', async () => {
    sandbox.behave({ hangEvery: 1 });
    sandbox.resetStats();
    const client = new AbortController();
    const unanswered = fetch(sandbox.url + FIRST, { signal: client.signal });
    const refusal = expect(unanswered).rejects.toThrow('aborted');
    await until(() => sandbox.stats().requests === 1);
    expect(sandbox.stats().byStatus).toEqual({});
    client.abort();
    await refusal;
    await until(() => sandbox.stats().byStatus[0] === 1);
  });

  it('that is never answered does not keep the sandbox from closing', async () => {
    const hanging = await startSandbox({ now: NOW, behaviour: { hangEvery: 1 } });
    const refusal = expect(fetch(hanging.url + FIRST)).rejects.toThrow();
    await until(() => hanging.stats().requests === 1);
    await hanging.close();
    await refusal;
  });

  it('says when to retry, or not', async () => {
    const retryAfter = async (behaviour: Every): Promise<string | null> => {
      sandbox.behave({ ...DEFAULT_BEHAVIOUR, tooManyRequestsEvery: 1, retryAfterSeconds: 7, ...behaviour });
      return (await ask(sandbox, FIRST)).headers.get('retry-after');
    };
    expect(await retryAfter({ retryAfter: 'seconds' })).toBe('7');
    expect(await retryAfter({ retryAfter: 'date' })).toBe('Fri, 20 Nov 2026 06:00:07 GMT');
    expect(await retryAfter({ retryAfter: 'none' })).toBeNull();
  });

  it('counts the requests of its target only', async () => {
    sandbox.behave({ serverErrorEvery: 1, faultTarget: { direction: 'recibidos' } });
    expect((await ask(sandbox, FIRST)).status).toBe(200);
    expect((await ask(sandbox, pageOf('recibidos', 1, 10))).status).toBe(500);
  });
});

describe('the rate limit', () => {
  const statusOf = async (company = 0): Promise<number> => (await ask(sandbox, FIRST, { company })).status;

  it('lets a burst of one second’s worth through, then keeps to the rate', async () => {
    sandbox.behave({ rateLimit: 2 });
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429]);
    monotonicMs += 500;
    expect([await statusOf(), await statusOf()]).toEqual([200, 429]);
    monotonicMs += 60_000;
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429]);
  });

  it('asks to wait until there is room', async () => {
    sandbox.behave({ rateLimit: 0.1, retryAfterSeconds: 0 });
    await statusOf();
    expect((await ask(sandbox, FIRST)).headers.get('retry-after')).toBe('10');
  });
});

it('latency comes before every answer', async () => {
  sandbox.behave({ latencyMs: 50 });
  await ask(sandbox, FIRST);
  await ask(sandbox, `${LIST.emitidos}/${truthOf(sandbox, 'emitidos')[0]?.id}`);
  expect(delays).toEqual([50, 50]);
});

describe('500', () => {
  const statusOf = async (path: string, company = 0): Promise<number> =>
    (await ask(sandbox, path, { company })).status;
  const range = (from: string, to: string): string => `${LIST.emitidos}?FechaDesde=${from}&FechaHasta=${to}`;

  it('always comes for the failing day, alone or within a range', async () => {
    sandbox.behave({ failingDay: { rut: rutOf(sandbox), direction: 'emitidos', day: DAY } });
    for (const _ of [1, 2]) expect(await statusOf(FIRST)).toBe(500);
    expect(await statusOf(range('2026-11-01', '2026-11-30'))).toBe(500);
    expect(await statusOf(`${LEGACY.emitidos}?FechaDesde=${DAY}&FechaHasta=${DAY}`)).toBe(500);
    expect(await statusOf(range('2026-11-01', '2026-11-18'))).toBe(200);
    expect(await statusOf(pageOf('recibidos', 1, 10))).toBe(200);
    expect(await statusOf(FIRST, 1)).toBe(200);
  });
});

it('rewrite changes bodies before they are sent, and knows what they answer', async () => {
  const rewritten: object[] = [];
  const changed = await startSandbox({
    now: NOW,
    rewrite: (body, request) => {
      rewritten.push(request);
      return body.replace('"id":', '"otro":');
    },
  });
  const paths = [
    ['list', pageOf('emitidos', 2, 10)],
    ['detail', `${LIST.emitidos}/${truthOf(changed, 'emitidos')[0]?.id}`],
    ['legacy', `${LEGACY.emitidos}?FechaDesde=${DAY}`],
  ] as const;
  for (const [, path] of paths) expect((await ask(changed, path)).text).toContain('"otro":');
  const common = { rut: rutOf(changed), direction: 'emitidos' };
  expect(rewritten).toEqual(paths.map(([kind, address]) => ({ ...common, kind, address })));
  await changed.close();
});
