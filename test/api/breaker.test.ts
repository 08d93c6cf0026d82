import { describe, expect, it } from 'vitest';
import { NoTokenError, openApiSession, type TokenSource } from '../../lib/api/access.ts';
import { Breaker, type BreakerOptions, type Wait } from '../../lib/api/breaker.ts';
import { type ApiClient, companyClient, trialOf } from '../../lib/api/client.ts';
import { ApiDownError, HttpStatusError, NoAnswerError } from '../../lib/api/errors.ts';
import { anyRequest, CONTEXT, FakeTokens, freePermits, newPool } from '../support/api/api-client.ts';
import { type Answer, json, type Responder, startHttpServer } from '../support/api/http-server.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';

const DOWN = new HttpStatusError(CONTEXT, 503, 12);
const [ONE, OTHER, THIRD] = ['210000000011', '210000000022', '210000000033'] as const;
/** With the first, and the one after the last wait. */
const MOST_TRIALS = 11;

/** A breaker whose trials a test answers, and whose requests only fail. */
function startBreaker(options: Partial<BreakerOptions> = {}) {
  const clock = new FakeClock();
  const breaker = new Breaker({ clock, ...options });
  breaker.isReached = true;
  const trials: { rut: string; answer: () => void; fail: (error: Error) => void }[] = [];
  breaker.trial = ({ rut }) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    trials.push({ rut, answer: resolve, fail: reject });
    return promise;
  };
  const askOnce = () => Promise.reject(new Error('the run has a trial of its own'));
  const fail = (rut: string = ONE, error: Error = DOWN, signal?: AbortSignal) =>
    breaker.isWorthAgain(error, { rut, askOnce }, signal);
  return { breaker, clock, trials, fail };
}

/** Fails the newest trial, and the time until the next one passes. */
async function failTrial({ clock, trials }: ReturnType<typeof startBreaker>, error: Error = DOWN) {
  trials.at(-1)?.fail(error);
  await settled();
  await clock.advance(30_000);
}

describe('the breaker', () => {
  it('asks by one trial, at once, whether what failed is the fault of the API', async () => {
    const { breaker, clock, trials, fail } = startBreaker();
    const failed = [fail(OTHER), fail(), fail()];
    expect({ isOpen: breaker.isOpen, trials: trials.map(({ rut }) => rut) }).toEqual({
      isOpen: false,
      trials: [OTHER],
    });
    trials[0]?.answer();
    expect(await Promise.all(failed)).toEqual([false, false, false]);
    const again = fail();
    breaker.noteAnswer();
    expect(await again).toBe(false);
    trials[1]?.fail(DOWN);
    await settled();
    expect({ isOpen: breaker.isOpen, delays: clock.delays }).toEqual({ isOpen: false, delays: [] });
  });

  it('tries every 30 s, and says why; what had failed is worth sending again', async () => {
    const waits: Wait[] = [];
    const world = startBreaker({ onWait: (wait) => waits.push(wait) });
    const failed = [world.fail(), world.fail()];
    await failTrial(world, new NoAnswerError(CONTEXT, 'the connection was closed', 1));
    const held = world.breaker.hold(CONTEXT);
    expect(world.breaker.isOpen).toBe(true);
    await failTrial(world);
    world.trials[2]?.answer();
    expect(await Promise.all(failed)).toEqual([true, true]);
    await held;
    expect({ delays: world.clock.delays, isOpen: world.breaker.isOpen }).toEqual({
      delays: [30_000, 30_000],
      isOpen: false,
    });
    expect(waits).toMatchObject([
      { fault: 'the connection was closed', delayMs: 30_000, tryNumber: 1, mostTries: 10 },
      { fault: 'status 503', delayMs: 30_000, tryNumber: 2, mostTries: 10, isRefusal: false },
    ]);
  });

  it('waits as long as a trial is asked to, within reason', async () => {
    const world = startBreaker();
    const failed = world.fail();
    world.trials[0]?.fail(new HttpStatusError(CONTEXT, 429, 1, 60_000));
    await settled();
    await world.clock.advance(60_000);
    expect(world.clock.delays).toEqual([60_000]);
    world.trials[1]?.fail(new HttpStatusError(CONTEXT, 429, 1, 3_600_000));
    expect(await failed).toBe(false);
    await expect(world.breaker.hold(CONTEXT)).rejects.toThrow(ApiDownError);
  });

  it('closes with the answer to a request that was still under way', async () => {
    const world = startBreaker();
    const failed = world.fail();
    await failTrial(world);
    world.breaker.noteAnswer();
    expect(await failed).toBe(true);
    world.trials[1]?.fail(DOWN);
    await settled();
    expect({ isOpen: world.breaker.isOpen, sleeperCount: world.clock.sleeperCount }).toEqual({
      isOpen: false,
      sleeperCount: 0,
    });
  });

  it.each([
    [502, /not asked, because the API is down: status 502/],
    [429, /not asked, because the API refuses all requests: status 429/],
  ])('gives up after ten waits: the rest fails with the last fault, status %d', async (status, words) => {
    const world = startBreaker();
    const failed = world.fail();
    for (let trial = 1; trial < MOST_TRIALS; trial += 1) await failTrial(world);
    const held = expect(world.breaker.hold(CONTEXT)).rejects.toThrow(words);
    await failTrial(world, new HttpStatusError(CONTEXT, status, 1));
    await held;
    expect({ answer: await failed, trials: world.trials.length }).toEqual({
      answer: false,
      trials: MOST_TRIALS,
    });
    await expect(world.breaker.hold(CONTEXT)).rejects.toThrow(ApiDownError);
  });

  it('does not wait for an API that was never reached', async () => {
    const clock = new FakeClock();
    const breaker = new Breaker({ clock });
    const refused = new NoAnswerError(CONTEXT, 'nothing listens at that address and port', 6);
    const askOnce = () => Promise.reject(refused);
    expect(await breaker.isWorthAgain(refused, { rut: ONE, askOnce })).toBe(false);
    expect(clock.delays).toEqual([]);
    await expect(breaker.hold(CONTEXT)).rejects.toThrow(
      /the API has answered nothing so far: nothing listens at that address and port\./,
    );
  });

  it('ends the wait of a request whose signal is aborted, and all tries once nobody waits', async () => {
    const world = startBreaker();
    const [abort, other] = [new AbortController(), new AbortController()];
    const failed = expect(world.fail(ONE, DOWN, abort.signal)).rejects.toThrow('time is up');
    world.trials[0]?.fail(DOWN);
    await settled();
    const held = expect(world.breaker.hold(CONTEXT, other.signal)).rejects.toThrow('enough');
    abort.abort(new Error('time is up'));
    await failed;
    expect({ isOpen: world.breaker.isOpen, sleeperCount: world.clock.sleeperCount }).toEqual({
      isOpen: true,
      sleeperCount: 1,
    });
    other.abort(new Error('enough'));
    await held;
    await settled();
    expect({ isOpen: world.breaker.isOpen, sleeperCount: world.clock.sleeperCount }).toEqual({
      isOpen: false,
      sleeperCount: 0,
    });
  });
});

const FINE = json({ ok: true });

function tokensNamed(rut: string): TokenSource {
  return new FakeTokens(`token of ${rut}`);
}

/** Clients of several companies over one breaker, against a server of a test's own. Nothing is tried twice. */
async function startWorld(
  respond: Responder,
  maxInFlight = 8,
  tokensOf = tokensNamed,
  ruts: readonly string[] = [ONE, OTHER, THIRD],
) {
  const server = await startHttpServer(respond);
  const clock = new FakeClock();
  const session = openApiSession({
    address: server.address,
    pool: newPool(),
    clock,
    breaker: new Breaker({ clock }),
    retryPolicy: { maxTries: 1, baseDelayMs: 1, maxRetryAfterMs: 60_000 },
  });
  const companies = ruts.map((rut) => ({ rut, tokens: tokensOf(rut) }));
  if (session.breaker !== undefined) session.breaker.trial = trialOf(session, companies);
  const clientOf = (rut: string) => companyClient(session, rut, tokensOf(rut), maxInFlight);
  const asked = () => server.requests.map(({ headers }) => headers['x-emisor']);
  return { server, clock, clientOf, asked };
}

function ask(client: ApiClient, day = '2026-11-19', signal?: AbortSignal) {
  const query = new URLSearchParams({ FechaDesde: day });
  const context = { rut: client.rut, direction: 'recibidos', day } as const;
  return client.get(anyRequest({ query, context, signal }));
}

/** Only trials give an upper bound here. */
function isTrial(query: URLSearchParams): boolean {
  return query.has('FechaHasta');
}

async function untilAsleep(clock: FakeClock): Promise<void> {
  while (clock.sleeperCount === 0) await settled();
}

it('a company that fails alone does not stop all, nor do two: the trial asks others, and then the one that answered', async () => {
  const { clientOf, server, clock } = await startWorld(({ headers }) =>
    headers['x-emisor'] === THIRD ? FINE : { status: 503 },
  );
  const failures: unknown[] = [];
  for (const rut of [ONE, OTHER, ONE])
    failures.push(await ask(clientOf(rut)).catch(({ name }: Error) => name));
  expect({ failures, delays: clock.delays }).toEqual({
    failures: Array(3).fill('HttpStatusError'),
    delays: [],
  });
  const trials = server.requests.filter(({ query }) => isTrial(query));
  expect(trials.map(({ headers }) => headers['x-emisor']).slice(-2)).toEqual([THIRD, THIRD]);
});

/** Why a company has no token. */
const NO_TOKEN: Record<string, NoTokenError['retry']> = {
  'is refused': undefined,
  'is down': { reason: 'failed', isReached: true },
  'takes too long': { reason: 'timedOut' },
  'asks for fewer requests': { reason: 'throttled', isReached: true, retryAfterMs: 60_000 },
  'is in maintenance': { reason: 'throttled', isReached: true, retryAfterMs: 900_000 },
  'is not asked for a minute': { reason: 'failed', isReached: true, isPause: true, retryAfterMs: 60_000 },
};

/** The tokens of companies, but for these, whose login gives none. */
function tokensBut(without: readonly string[], retry: NoTokenError['retry']) {
  const none = async () => {
    throw new NoTokenError('the login gives no token.', 'Correct it.', retry);
  };
  return (rut: string) => (without.includes(rut) ? { current: none, renew: none } : tokensNamed(rut));
}

describe('requests of several companies', () => {
  const LOGINS = Object.keys(NO_TOKEN).flatMap((login) =>
    [[THIRD], [OTHER, THIRD]].map((without) => [without, login] as const),
  );

  it.each(LOGINS)(
    'wait for the API though %j have no token, since their login %s, which says nothing of it',
    async (without, login) => {
      let answer: Answer = { status: 502 };
      const { clock, clientOf } = await startWorld(() => answer, 8, tokensBut(without, NO_TOKEN[login]));
      const failing = ask(clientOf(ONE));
      await untilAsleep(clock);
      answer = FINE;
      await clock.advance(30_000);
      expect(await failing).toEqual({ ok: true });
    },
  );

  it.each(LOGINS)(
    'do not wait for the API because of one day that it does not answer where %j have no token, since their login %s',
    async (without, login) => {
      const { clock, clientOf } = await startWorld(
        ({ query }) => (isTrial(query) ? FINE : { status: 503 }),
        8,
        tokensBut(without, NO_TOKEN[login]),
      );
      await expect(ask(clientOf(ONE))).rejects.toThrow(/status 503/);
      expect(clock.delays).toEqual([]);
    },
  );

  const MANY = Array.from({ length: 60 }, (_, index) => String(210000000100 + index));

  it.each(['is down', 'takes too long'])(
    'are sent though sixty companies before theirs have no token, since their login %s',
    async (login) => {
      const ruts = [...MANY, THIRD];
      const { clock, clientOf, asked } = await startWorld(
        () => FINE,
        8,
        tokensBut(MANY, NO_TOKEN[login]),
        ruts,
      );
      const asks = ruts.map((rut) => ask(clientOf(rut)).catch((error: unknown) => String(error)));
      const ends = await Promise.all(asks);
      expect(ends.pop()).toEqual({ ok: true });
      for (const end of ends) expect(end).toMatch(/no answer from the API: the login gives no token/);
      expect({ asked: new Set(asked()), delays: clock.delays }).toEqual({
        asked: new Set([THIRD]),
        delays: [],
      });
    },
  );

  it('wait for an API that is down, though the logins of sixty companies before theirs never answer', async () => {
    let answer: Answer = { status: 502 };
    const hanging: TokenSource = {
      isRenewing: true,
      current: () => new Promise(() => {}),
      renew: () => new Promise(() => {}),
    };
    const { clock, clientOf } = await startWorld(
      () => answer,
      8,
      (rut) => (MANY.includes(rut) ? hanging : tokensNamed(rut)),
      [...MANY, ONE, OTHER, THIRD],
    );
    const failing = ask(clientOf(ONE));
    await untilAsleep(clock);
    answer = FINE;
    await clock.advance(30_000);
    expect(await failing).toEqual({ ok: true });
  });

  it('ask an API that is down for five others and for themselves, of sixty', async () => {
    const { clock, clientOf, asked } = await startWorld(() => ({ status: 502 }), 8, tokensNamed, [
      ONE,
      ...MANY,
    ]);
    const failing = ask(clientOf(ONE)).catch(() => undefined);
    await untilAsleep(clock);
    expect(asked().filter((rut) => rut !== ONE)).toEqual(MANY.slice(0, 5));
    expect(asked().filter((rut) => rut === ONE)).toHaveLength(2);
    await clock.advance(30_000);
    await untilAsleep(clock);
    expect(new Set(asked())).toEqual(new Set([ONE, ...MANY.slice(0, 10)]));
    for (let trial = 2; trial < MOST_TRIALS; trial += 1) {
      await clock.advance(30_000);
      await settled();
      if (trial < MOST_TRIALS - 1) await untilAsleep(clock);
    }
    await failing;
  });

  it.each([429, 500])(
    'do not wait for the API because of one day where it answers all others with %i alone',
    async (status) => {
      const { clock, clientOf } = await startWorld(({ headers, query }) =>
        headers['x-emisor'] !== ONE ? { status } : isTrial(query) ? FINE : { status: 503 },
      );
      await expect(ask(clientOf(ONE))).rejects.toThrow(/status 503/);
      expect(clock.delays).toEqual([]);
    },
  );

  it('wait, without a permit, while a trial of other companies is not answered', async () => {
    let answer: Answer = { status: 502 };
    const { server, clock, clientOf, asked } = await startWorld(() => answer);
    const [clientOfOne, clientOfOther] = [clientOf(ONE), clientOf(OTHER)];
    const failing = ask(clientOfOne);
    await untilAsleep(clock);
    // That of the trial's others, and at last of whose request it was.
    expect(asked().sort()).toEqual([ONE, ONE, OTHER, THIRD]);
    expect(server.requests[1]?.query.get('PageSize')).toBe('1');

    const held = [ask(clientOfOne), ask(clientOfOther), ask(clientOfOther)];
    await settled();
    expect({ one: await freePermits(clientOfOne), other: await freePermits(clientOfOther) }).toEqual({
      one: 8,
      other: 8,
    });
    await clock.advance(29_999);
    expect(asked()).toHaveLength(4);
    answer = FINE;
    await clock.advance(1);
    expect(await Promise.all([failing, ...held])).toEqual(Array(4).fill({ ok: true }));
    // The second trial asks in the other direction.
    expect(server.requests[4]?.path).toMatch(/emitidos$/);
  });

  it.each([400, 401, 404])('go on after a trial that is answered, if only with %i', async (status) => {
    const { clock, clientOf } = await startWorld(({ query }) => ({
      status: isTrial(query) ? status : 503,
    }));
    await expect(ask(clientOf(ONE))).rejects.toThrow(/status 503/);
    expect(clock.delays).toEqual([]);
  });

  it.each([401, 403, 404])(
    'of one company bring no trial of another at status %i, which is no fault of the API',
    async (status) => {
      const { clock, clientOf, asked } = await startWorld(() => ({ status }));
      const client = clientOf(ONE);
      await Promise.all(Array.from({ length: 8 }, () => expect(ask(client)).rejects.toThrow()));
      expect({ asked: new Set(asked()), delays: clock.delays }).toEqual({
        asked: new Set([ONE]),
        delays: [],
      });
    },
  );

  it('of a company that alone is refused (429) are sent again some rounds, and the others go on', async () => {
    const { clock, clientOf, asked } = await startWorld(({ headers }) =>
      headers['x-emisor'] === ONE ? { status: 429 } : FINE,
    );
    const refused = expect(ask(clientOf(ONE))).rejects.toThrow(/status 429/);
    expect(await ask(clientOf(OTHER))).toEqual({ ok: true });
    await refused;
    expect({ askedOfOne: asked().filter((rut) => rut === ONE).length, delays: clock.delays }).toEqual({
      askedOfOne: 4,
      delays: [],
    });
  });

  it.each([1, 8])('never fail by a day that always answers 500 (%i in flight)', async (maxInFlight) => {
    const bad = '2026-11-11';
    const { clock, clientOf } = await startWorld(
      ({ query }) => (query.get('FechaDesde') === bad ? { status: 500 } : FINE),
      maxInFlight,
    );
    const clients = [clientOf(ONE), clientOf(OTHER)];
    const days = Array.from({ length: 40 }, (_, index) => (index % 4 === 3 ? '2026-11-12' : bad));
    const asks = clients.flatMap((client) => days.map((day) => ({ day, end: ask(client, day) })));
    const ends = await Promise.allSettled(asks.map(({ end }) => end));
    for (const [index, { status }] of ends.entries())
      expect(status).toBe(asks[index]?.day === bad ? 'rejected' : 'fulfilled');
    expect(clock.delays).toEqual([]);
  });

  it('are not sent again without end if they are what brings the API down', async () => {
    let downUntilMs = 0;
    const world = await startWorld(({ query }) => {
      if (!isTrial(query)) downUntilMs = world.clock.monotonicMs() + 10_000;
      return world.clock.monotonicMs() < downUntilMs ? { status: 502 } : FINE;
    });
    const outcome = expect(ask(world.clientOf(ONE))).rejects.toThrow(HttpStatusError);
    for (let outage = 1; outage <= 4; outage += 1) {
      await untilAsleep(world.clock);
      await world.clock.advance(30_000);
    }
    await outcome;
    expect(world.server.requests.filter(({ query }) => !isTrial(query))).toHaveLength(4);
  });
});
