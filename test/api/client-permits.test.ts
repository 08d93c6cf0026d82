import { describe, expect, it } from 'vitest';
import { anyRequest, FakeTokens, freePermits, newClient } from '../support/api/api-client.ts';
import { type Answer, inTurn, json, type Responder, startHttpServer } from '../support/api/http-server.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

/** Answers once `open` is called. */
function gate(answer: Answer): { respond: Responder; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { respond: () => opened.then(() => answer), open };
}

describe('a permit in flight', () => {
  it.each<[string, Answer[]]>([
    ['an answer', [json({})]],
    ['a refusal', [{ status: 400 }]],
    ['a redirect', [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }]],
    ['tokens that are refused', [{ status: 401 }, { status: 401 }]],
    ['failures to the end', Array.from({ length: 6 }, () => ({ fault: 'reset' }))],
  ])('is given back after %s', async (_name, answers) => {
    const server = await startHttpServer(inTurn(...answers));
    const client = newClient(server.address, { tokens: new FakeTokens('one', 'two') });
    await client.get(anyRequest()).catch(() => undefined);
    expect(server.requests).toHaveLength(answers.length);
    expect(await freePermits(client)).toBe(8);
  });

  it('is given back when there is no token', async () => {
    const server = await startHttpServer(() => json({}));
    const tokens = {
      current: () => Promise.reject(new Error('the secret is gone')),
      renew: () => Promise.reject(new Error('the secret is gone')),
    };
    const client = newClient(server.address, { tokens });
    await expect(client.get(anyRequest())).rejects.toThrow('the secret is gone');
    expect({ requests: server.requests.length, freePermits: await freePermits(client) }).toEqual({
      requests: 0,
      freePermits: 8,
    });
  });

  it('is given back when the caller gives up, before, while or after it is sent', async () => {
    const server = await startHttpServer(() => ({ fault: 'hang' }));
    const client = newClient(server.address);
    const early = client.get(anyRequest({ signal: AbortSignal.abort(new Error('enough')) }));
    await expect(early).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(0);

    const abort = new AbortController();
    const late = client.get(anyRequest({ signal: abort.signal }));
    const rejection = expect(late).rejects.toThrow('enough');
    while (server.requests.length === 0) await settled();
    abort.abort(new Error('enough'));
    await rejection;
    expect(await freePermits(client)).toBe(8);
  });

  it('is no longer waited for once the caller gives up', async () => {
    const server = await startHttpServer(
      inTurn({ status: 429, headers: { 'retry-after': '100' } }, json({}), json({})),
    );
    const clock = new FakeClock();
    const client = newClient(server.address, { clock });
    const paused = client.get(anyRequest());
    while (clock.sleeperCount === 0) await settled();
    const abort = new AbortController();
    const waiting = client.get(anyRequest({ signal: abort.signal }));
    const rejection = expect(waiting).rejects.toThrow('enough');
    await settled();
    abort.abort(new Error('enough'));
    await rejection;
    expect(server.requests).toHaveLength(1);
    await clock.advance(100_000);
    expect(await paused).toEqual({});
  });
});

describe('many requests', () => {
  it('are never more in flight than allowed, and reuse connections', async () => {
    const server = await startHttpServer(async (_request, index) => {
      for (let turn = 0; turn < index % 4; turn += 1) await settled();
      return index % 9 === 0 ? { status: 500, body: 'x'.repeat(1000) } : json({ index });
    });
    const client = newClient(server.address, { maxInFlight: 4 });
    await Promise.all(Array.from({ length: 200 }, () => client.get(anyRequest())));
    expect(server.requests.length).toBeGreaterThan(200);
    expect(server.maxInFlight()).toBeLessThanOrEqual(4);
    // A connection is free only a turn after its answer, so each permit may briefly use a second one.
    expect(server.socketCount()).toBeLessThanOrEqual(2 * 4);
    expect(await freePermits(client)).toBe(4);
  });

  it('are fewer at a time once the API asks for patience', async () => {
    const { respond, open } = gate({ status: 429 });
    const server = await startHttpServer((request, index) =>
      index < 8 ? respond(request, index) : json({}),
    );
    const client = newClient(server.address, { maxInFlight: 8 });
    const answers = Promise.all(Array.from({ length: 8 }, () => client.get(anyRequest())));
    while (server.requests.length < 8) await settled();
    open();
    await answers;
    // One wave of refusals halves the permits once.
    expect(await freePermits(client)).toBe(4);
  });
});

describe('a refused token', () => {
  it('is renewed once for a request, and a second refusal is final', async () => {
    const tokens = new FakeTokens('one', 'two', 'three');
    const server = await startHttpServer(() => ({ status: 401, body: '{}' }));
    const client = newClient(server.address, { tokens });
    await expect(client.get(anyRequest())).rejects.toThrow(
      'the API refused the token (status 401). Renew the token of this company',
    );
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
    expect(client.counts).toMatchObject({ requests: 2, retries: 1 });
  });

  it('is asked for again without a wait', async () => {
    const clock = new FakeClock();
    const server = await startHttpServer(inTurn({ status: 401 }, json({ ok: true })));
    const client = newClient(server.address, { clock, tokens: new FakeTokens('one', 'two') });
    expect(await client.get(anyRequest())).toEqual({ ok: true });
    expect(clock.delays).toEqual([]);
  });
});
