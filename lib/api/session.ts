import type { Semaphore } from '../concurrency/semaphore.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { CompanyAccess, type TokenSource } from './access.ts';
import { ApiClient } from './client.ts';
import type { Direction } from './directions.ts';
import type { ConnectionPool } from './exchange.ts';
import { Governor } from './governor.ts';
import type { ListHabits } from './list/reading.ts';
import type { ApiReach, RetryPolicy } from './retry.ts';

/** The API as one process uses it: its address, the connection pool, and what its lists have proved. */
export interface ApiSession {
  address: URL;
  pool: ConnectionPool;
  habits: Readonly<Record<Direction, ListHabits>>;
  requestTimeoutMs?: number;
  retryPolicy?: RetryPolicy;
  /** A list that has rows past so many is taken to be endless. */
  maxRowsPerList?: number;
  /** Told of each answer how long it took to begin. */
  onAnswer?: (latencyMs: number) => void;
  /** Gives an API up early that answers nothing at all. */
  reach?: ApiReach;
  clock: Clock;
}

export function openApiSession(
  options: Omit<ApiSession, 'habits' | 'clock'> & { clock?: Clock },
): ApiSession {
  return { clock: systemClock, ...options, habits: { recibidos: {}, emitidos: {} } };
}

/** A client for one company, with at most `maxInFlight` requests at a time, and with those of `shared`. */
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
