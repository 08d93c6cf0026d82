import { beforeEach, describe, expect, it } from 'vitest';
import { Breaker, type Wait } from '../../lib/api/breaker.ts';
import { apiPages } from '../../lib/api/list/api-pages.ts';
import { readLogin } from '../../lib/companies/login.ts';
import { LoginTokens } from '../../lib/companies/login-tokens.ts';
import { DAY, newClient } from '../support/api/api-client.ts';
import { startHttpServer } from '../support/api/http-server.ts';
import { PASSWORD, TokenServer } from '../support/companies/token-server.ts';
import { HurriedClock } from '../support/fake-clock.ts';

const RUTS = ['219999830019', '214844360018'] as const;

let clock: HurriedClock;
let server: TokenServer;
beforeEach(async () => {
  clock = new HurriedClock();
  server = await TokenServer.start(clock);
});

/** What becomes of a page of each of two companies of one login, which are asked for at once. */
async function readings(tokenUrl = () => server.url, breaker?: Breaker): Promise<string[]> {
  const login = () => {
    const { login: read } = readLogin({ tokenUrl: tokenUrl(), username: 'ana', password: PASSWORD });
    if (read === undefined) throw new Error('no login');
    return read;
  };
  const place = { read: async () => login(), keep: async () => true };
  const tokens = new LoginTokens(place, login(), clock);
  const api = await startHttpServer(() => ({ body: '{"page_number":1,"page_size":100,"items":[{"id":1}]}' }));
  const read = async (rut: string) => {
    const client = newClient(api.address, { clock, breaker, tokens: tokens.sourceOf(rut, undefined) });
    const filters = { FechaDesde: DAY, FechaHasta: DAY };
    await apiPages(client, 'recibidos', filters).read({ pageNumber: 1, pageSize: 100, start: 0 });
    return `read, ${client.takeCounts().retries} retries`;
  };
  return await Promise.all(RUTS.map((rut) => read(rut).catch(String)));
}

describe('the pause after a login that failed', () => {
  it('is waited for, and is no try', async () => {
    server.beforeAnswer = async () => {
      server.status = server.asked.length === 1 ? 500 : undefined;
    };
    expect(await readings()).toEqual(['read, 1 retries', 'read, 1 retries']);
    expect(server.asked).toHaveLength(2);
    expect(clock.delays.some((ms) => ms > 50_000 && ms <= 60_000)).toBe(true);
  });

  it('is waited for twice: what is told is how often it was asked', async () => {
    server.status = 503;
    for (const outcome of await readings()) expect(outcome).toMatch(/status 503 \(asked 3 times\)/);
    // Eight times at first.
    expect(server.asked).toHaveLength(10);
  });

  it.each([
    ['not at all where the login asks for an hour', 3_600, 1, 0],
    ['ten times more where nothing else answers', undefined, 21, 10],
  ])('is waited for by trials, %s', async (_how, seconds, answers, trials) => {
    server.status = 503;
    server.retryAfterSeconds = seconds;
    const waits: Wait[] = [];
    const breaker = new Breaker({ clock, onWait: (wait) => waits.push(wait) });
    for (const outcome of await readings(undefined, breaker))
      expect(outcome).toMatch(/the login answered status 503/);
    const ofTrials = waits.filter(({ mostTries }) => mostTries === 10);
    expect({ asked: server.asked.length, trials: ofTrials.length }).toEqual({ asked: answers, trials });
  });

  it('is waited for where the connection broke', async () => {
    server.beforeAnswer = async () => {
      server.fault = server.asked.length === 1 ? 'reset' : undefined;
    };
    expect(await readings()).toEqual(['read, 1 retries', 'read, 1 retries']);
    expect(server.asked).toHaveLength(2);
  });
});

describe('a login that nothing could be sent to', () => {
  const NOWHERE = 'http://127.0.0.1:9/token';

  it('is tried again as the API is, without a pause', async () => {
    expect(await readings(() => (clock.delays.length < 2 ? NOWHERE : server.url))).toEqual(
      RUTS.map(() => expect.stringMatching(/^read, [12] retries$/)),
    );
    expect(server.asked).toHaveLength(1);
    expect(Math.max(...clock.delays)).toBeLessThan(10_000);
  });

  it('is not waited for where nothing has ever answered', async () => {
    for (const outcome of await readings(() => NOWHERE))
      expect(outcome).toMatch(/could not be asked: .* \(asked 6 times\)/);
    expect(Math.max(...clock.delays)).toBeLessThan(10_000);
  });
});
