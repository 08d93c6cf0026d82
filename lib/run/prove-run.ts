import { Breaker } from '../api/breaker.ts';
import type { ApiClient } from '../api/client.ts';
import { proveService } from '../export/reading/prove-service.ts';
import type { FactsByDirection } from '../export/reading/service-facts.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { CfeLakeError, messageOf } from '../system/errors.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { DayRange } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';

export interface RunToProve {
  ruts: readonly string[];
  days: DayRange;
  directions: readonly Direction[];
}

/** The API, opened for one proof or check. */
export interface OpenedApi {
  clientOf(rut: string): ApiClient;
  clock: Clock;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** Opens the API, unless another start-run has the share that both have. */
export type OpenApi = (remainingMs: number, breaker?: Breaker) => Promise<OpenedApi | undefined>;

export interface ProveRunTools {
  store: LakeStore;
  openApi: OpenApi;
  remainingMs(): number;
}

export interface ProvedRun {
  /** What is proved for all workers; undefined if something failed: each then asks a witness of its own. */
  facts: FactsByDirection | undefined;
  requests: number;
  /** Why nothing is proved of a direction. Holds no token. */
  faults: readonly { direction: Direction; reason: string }[];
}

/** The rest of start-run's time is for starting the run. */
const SHARE_OF_TIME = 0.6;

/** What a witness shows about the service before a run is started. Never rejects, and leaves time to start the run. */
export async function proveRun(
  { ruts, days, directions }: RunToProve,
  tools: ProveRunTools,
): Promise<ProvedRun> {
  const timeUp = new AbortController();
  const limitMs = tools.remainingMs() * SHARE_OF_TIME;
  const late = new CfeLakeError(`The service was not proved within ${Math.round(limitMs / 1000)} seconds.`, {
    advice:
      'The run is started all the same. If this repeats, look at how fast the API and the bucket answer.',
  });
  const timer = setTimeout(() => timeUp.abort(late), limitMs);
  const nothingProved = (reason: string): ProvedRun => {
    return { facts: undefined, requests: 0, faults: directions.map((direction) => ({ direction, reason })) };
  };
  let api: OpenedApi | undefined;
  try {
    // An API that is down is not asked for every company.
    api = await tools.openApi(tools.remainingMs(), new Breaker({ clock: systemClock, mostTries: 0 }));
    if (api === undefined)
      return nothingProved(
        'Not asked: a check or the start of another run has the share of apiRequestsPerSecond that is for both.',
      );
    const { clock, clientOf } = api;
    const { facts, faults, counts } = await proveService({
      store: tools.store,
      ruts,
      daysOf: Object.fromEntries(directions.map((direction) => [direction, days])),
      clientOf,
      clock,
      signal: timeUp.signal,
    });
    return {
      facts: faults.size < directions.length ? facts : undefined,
      requests: counts.requests,
      faults: [...faults].map(([direction, fault]) => ({ direction, reason: messageOf(fault) })),
    };
  } catch (error) {
    return nothingProved(messageOf(error));
  } finally {
    clearTimeout(timer);
    await api?.close();
  }
}
