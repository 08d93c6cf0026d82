import { onTestFinished } from 'vitest';
import { type ApiSession, CompanyAccess, openApiSession, type TokenSource } from '../../../lib/api/access.ts';
import { AdaptiveLimiter, type Release } from '../../../lib/api/adaptive-limiter.ts';
import { ApiClient, type ApiRequest } from '../../../lib/api/client.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { HurriedClock, settled } from '../fake-clock.ts';

export const RUT = '219999830019';
export const DAY = '2026-11-19';
export const CONTEXT = { rut: RUT, direction: 'recibidos', day: DAY } as const;
export const TOKEN = 'QXZJ-the-token-KWVY';

/** Returns the first of these tokens and, after each renewal, the next one, up to the last. */
export class FakeTokens implements TokenSource {
  currentCalls = 0;
  renewals = 0;
  private readonly tokens: readonly string[];
  constructor(...tokens: readonly string[]) {
    this.tokens = tokens;
  }
  async current(): Promise<string> {
    this.currentCalls += 1;
    return this.tokens[0] ?? '';
  }
  async renew(): Promise<string> {
    this.renewals += 1;
    return this.tokens[Math.min(this.renewals, this.tokens.length - 1)] ?? '';
  }
}

export interface ClientSettings extends Partial<Omit<ApiSession, 'address'>> {
  tokens?: TokenSource;
  maxInFlight?: number;
}

/** A connection pool that is closed when the running test ends. */
export function newPool(): ConnectionPool {
  const pool = new ConnectionPool();
  onTestFinished(() => pool.destroy());
  return pool;
}

/** The exporter's client, on a clock that doesn't wait, with the longest waits that jitter allows. */
export function newClient(address: URL, settings: ClientSettings = {}): ApiClient {
  const { tokens = new FakeTokens(TOKEN), maxInFlight = 8, ...options } = settings;
  const clock = options.clock ?? new HurriedClock();
  const pool = options.pool ?? newPool();
  const session = openApiSession({ random: () => 1, ...options, pool, clock, address });
  return new ApiClient(session, new CompanyAccess(RUT, tokens), new AdaptiveLimiter(maxInFlight, clock));
}

/** A request that accepts any JSON. */
export function anyRequest(changes: Partial<ApiRequest<unknown>> = {}): ApiRequest<unknown> {
  return {
    path: '/v2/consulta/comprobantes/recibidos',
    context: CONTEXT,
    decode: (body) => body,
    ...changes,
  };
}

/** The number of permits of the client's limiter that are free now. */
export async function freePermits({ limiter }: ApiClient): Promise<number> {
  const permits: Release[] = [];
  const enough = new AbortController();
  for (let asked = 0; asked <= limiter.maxInFlight; asked += 1)
    limiter.acquire(enough.signal).then(
      (permit) => permits.push(permit),
      () => undefined,
    );
  await settled();
  enough.abort();
  for (const permit of permits) permit('failed');
  return permits.length;
}
