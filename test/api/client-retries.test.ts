import { request as httpRequest } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { BodyError } from '../../lib/api/body.ts';
import { HttpStatusError, NoAnswerError, UnexpectedBodyError } from '../../lib/api/errors.ts';
import { anyRequest, freePermits, newClient } from '../support/api/api-client.ts';
import { type Answer, inTurn, json, startHttpServer } from '../support/api/http-server.ts';
import { FakeClock, HurriedClock, settled } from '../support/fake-clock.ts';

const html: Answer = { headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' };

const FAULTS: readonly [name: string, answer: Answer][] = [
  ['408', { status: 408 }],
  ['429', { status: 429 }],
  ['500', { status: 500, body: '{"message":"oops"}' }],
  ['502 with HTML', { ...html, status: 502 }],
  ['503', { status: 503 }],
  ['504', { status: 504 }],
  ['200 with HTML', html],
  ['an empty 200', {}],
  ['broken JSON', { body: '{"items":[{"id":1' }],
  ['a connection cut in the body', { body: '{"items":[{"id":1}]}', fault: 'truncate' }],
  ['a connection cut before the answer', { fault: 'reset' }],
  ['an error whose body is cut', { status: 500, body: 'x'.repeat(1000), fault: 'truncate' }],
];

describe('a passing fault', () => {
  it.each(FAULTS)('is asked again until there is an answer: %s', async (_name, fault) => {
    const server = await startHttpServer(inTurn(fault, fault, json({ ok: true })));
    const client = newClient(server.address);
    expect(await client.get(anyRequest())).toEqual({ ok: true });
    expect(client.counts).toMatchObject({ requests: 3, retries: 2 });
  });

  it.each<[string, Answer, number]>([
    ['no answer', { fault: 'hang' }, 4],
    ['a body that stops', { body: '{"items":[]}', fault: 'hangInBody' }, 4],
    // The status arrived in time, so this does not count as overload.
    ['an error whose body stops', { status: 500, body: 'x'.repeat(1000), fault: 'hangInBody' }, 8],
  ])('is waited for no longer than the time limit: %s', async (_name, fault, placesLeft) => {
    const server = await startHttpServer(inTurn(fault, json({ ok: true })));
    const client = newClient(server.address, { requestTimeoutMs: 400 });
    expect(await client.get(anyRequest())).toEqual({ ok: true });
    expect(await freePermits(client)).toBe(placesLeft);
  });

  it('is also a body of another shape', async () => {
    const server = await startHttpServer(() => json({ message: 'starting' }));
    const decode = () => {
      throw new BodyError('it is not a page of receipts');
    };
    const outcome = newClient(server.address).get(anyRequest({ decode }));
    await expect(outcome).rejects.toThrow(UnexpectedBodyError);
    await expect(outcome).rejects.toThrow(/it is not a page of receipts \(asked 6 times\)/);
  });
});

describe('no answer within the time limit', () => {
  it.each<[boolean, number]>([
    [true, 2],
    [false, 6],
  ])('where narrower lists can be asked for (%s): %i attempts', async (isDivisible, attempts) => {
    const server = await startHttpServer(() => ({ fault: 'hang' }));
    const client = newClient(server.address, { requestTimeoutMs: 2 });
    await expect(client.get(anyRequest({ isDivisible }))).rejects.toThrow(`(asked ${attempts} times)`);
  });

  it('counts apart from other faults', async () => {
    const hang: Answer = { fault: 'hang' };
    const server = await startHttpServer(inTurn(hang, { status: 500 }, { status: 429 }, hang, json({})));
    const client = newClient(server.address, { requestTimeoutMs: 200 });
    await expect(client.get(anyRequest({ isDivisible: true }))).rejects.toThrow('(asked 4 times)');
  });
});

it.each<[string, Answer, number, new (...args: never[]) => Error, RegExp]>([
  ['500', { status: 500 }, 6, HttpStatusError, /answered status 500 \(asked 6 times\)/],
  ['429', { status: 429 }, 6, HttpStatusError, /answered status 429 \(asked 6 times\)/],
  ['HTML', html, 6, UnexpectedBodyError, /could not be read: it is a web page, not JSON \(asked 6 times\)/],
  [
    'reset',
    { fault: 'reset' },
    6,
    NoAnswerError,
    /no answer from the API: the connection was closed, \w+ \(asked 6 times\)/,
  ],
])('a fault that stays fails after so many attempts: %s', async (_name, fault, attempts, kind, message) => {
  const server = await startHttpServer(() => fault);
  const client = newClient(server.address);
  const outcome = client.get(anyRequest());
  await expect(outcome).rejects.toThrow(kind);
  await expect(outcome).rejects.toThrow(message);
  expect(server.requests).toHaveLength(attempts);
});

describe('the wait before asking again', () => {
  it('is at least Retry-After, in seconds', async () => {
    const server = await startHttpServer(
      inTurn(
        { status: 429, headers: { 'retry-after': '7' } },
        { status: 503, headers: { 'retry-after': '0' } },
        json({}),
      ),
    );
    const clock = new FakeClock();
    const client = newClient(server.address, { clock });
    const answer = client.get(anyRequest());
    await untilAsleep(clock);
    await clock.advance(6999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await untilAsleep(clock);
    expect(clock.delays).toEqual([7000, 400]);
    await clock.advance(400);
    expect(await answer).toEqual({});
  });

  it('is at least Retry-After, as a date by the clock of the server', async () => {
    const clock = new HurriedClock(Date.UTC(2026, 10, 20, 12, 34, 56));
    const date = 'Fri, 20 Nov 2026 09:00:00 GMT';
    const server = await startHttpServer(
      inTurn({ status: 429, headers: { date, 'retry-after': 'Fri, 20 Nov 2026 09:00:45 GMT' } }, json({})),
    );
    expect(await newClient(server.address, { clock }).get(anyRequest())).toEqual({});
    expect(clock.delays).toEqual([45_000]);
  });

  it('is not a Retry-After of hours: this request fails, and the others need not wait either', async () => {
    const server = await startHttpServer(
      inTurn({ status: 429, headers: { 'retry-after': '86400' } }, json({ ok: true })),
    );
    const clock = new FakeClock();
    const client = newClient(server.address, { clock });
    await expect(client.get(anyRequest())).rejects.toThrow(/status 429 \(asked once\)/);
    expect(await client.get(anyRequest())).toEqual({ ok: true });
    expect(clock.delays).toEqual([]);
  });

  it('ends when the caller gives up', async () => {
    const server = await startHttpServer(() => ({ status: 500 }));
    const clock = new FakeClock();
    const client = newClient(server.address, { clock });
    const abort = new AbortController();
    const outcome = client.get(anyRequest({ signal: abort.signal }));
    const rejection = expect(outcome).rejects.toThrow('enough');
    await untilAsleep(clock);
    abort.abort(new Error('enough'));
    await rejection;
    expect({ requests: server.requests.length, freePermits: await freePermits(client) }).toEqual({
      requests: 1,
      freePermits: 8,
    });
  });
});

async function untilAsleep(clock: FakeClock): Promise<void> {
  while (clock.sleeperCount === 0) await settled();
}

it.each([
  ['given up', 0],
  ['refused', 6],
])('counts a request whose connection is %s before it is there %i times', async (end, count) => {
  const abort = new AbortController();
  const sockets: Socket[] = [];
  const createConnection = () => {
    const socket = new Socket();
    sockets.push(socket);
    setImmediate(() => {
      if (end === 'given up') abort.abort(new Error('enough'));
      else socket.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    });
    return socket;
  };
  const pool = { get: () => httpRequest({ createConnection }) };
  const client = newClient(new URL('http://127.0.0.1:1'), { pool });
  await expect(client.get(anyRequest({ signal: abort.signal }))).rejects.toThrow();
  expect({ requests: client.counts.requests, sockets: sockets.length }).toEqual({
    requests: count,
    sockets: Math.max(1, count),
  });
});
