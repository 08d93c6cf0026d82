import type { Semaphore } from '../concurrency/semaphore.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { CompanyAccess, type TokenSource } from './access.ts';
import { ApiClient } from './client.ts';
import type { Direction } from './directions.ts';
import type { ConnectionPool } from './exchange.ts';
import { Governor } from './governor.ts';
import type { ListHabits } from './list/reading.ts';
import type { ApiReach, RetryPolicy } from './retry.ts';

/** The API as one process uses it: its address, a connection pool, and what its lists have proved so far. */
export interface ApiSession {
  address: URL;
  pool: ConnectionPool;
  habits: Readonly<Record<Direction, ListHabits>>;
  requestTimeoutMs?: number;
  retryPolicy?: RetryPolicy;
  /** A list with more rows than this is taken to be endless. */
  maxRowsPerList?: number;
  /** Called for each answer with how long it took to begin. */
  onAnswer?: (latencyMs: number) => void;
  /** Gives up early on an API that answers nothing at all. */
  reach?: ApiReach;
  clock: Clock;
}

export function openApiSession(
  options: Omit<ApiSession, 'habits' | 'clock'> & { clock?: Clock },
): ApiSession {
  return { clock: systemClock, ...options, habits: { recibidos: {}, emitidos: {} } };
}

/** A client for one company, with at most `maxInFlight` requests in flight, each with a permit of `shared` too. */
export function companyClient(
  session: ApiSession,
  rut: string,
  tokens: TokenSource,
  maxInFlight: number,
  shared?: Semaphore,
): ApiClient {
  return new ApiClient({
    ...session,
    access: new CompanyAccess(rut, tokens),
    governor: new Governor(maxInFlight, session.clock, shared),
  });
}
