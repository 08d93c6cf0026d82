import type { ApiClient } from '../api/client.ts';
import type { FactsByDirection } from '../export/reading/facts.ts';
import { proveService } from '../export/reading/prove-service.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { CfeLakeError, messageOf } from '../system/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { DayRange } from '../time/days.ts';
import type { Direction } from '../units/direction.ts';

export interface RunToProve {
  ruts: readonly string[];
  days: DayRange;
  directions: readonly Direction[];
}

/** The API, opened for one proof. */
export interface ProvingApi {
  clientOf(rut: string): ApiClient;
  clock: Clock;
  /** Ends its connections. */
  close(): Promise<void>;
}

export interface ProveRunTools {
  store: LakeStore;
  /** Undefined if others have all the places that may ask it. */
  openApi(remainingMs: number): Promise<ProvingApi | undefined>;
  remainingMs(): number;
}

export interface ProvedRun {
  /** For all workers; undefined if nothing is proved because something failed: each then asks a witness of its own. */
  facts: FactsByDirection | undefined;
  requests: number;
  /** Why nothing is proved of a direction. Holds no token. */
  faults: readonly { direction: Direction; reason: string }[];
}

/** The rest of start-run's time is for starting the run. */
const SHARE_OF_TIME = 0.6;

/** The witness took too long. */
class ProofTimeUpError extends CfeLakeError {
  override name = 'ProofTimeUpError';
  constructor(limitMs: number) {
    super(`The service was not proved within ${Math.round(limitMs / 1000)} seconds.`, {
      advice:
        'The run is started all the same. If this repeats, look at how fast the API and the bucket answer.',
    });
  }
}

/** What a witness shows about the service before a run is started. Never rejects, and leaves time to start the run. */
export async function proveRun(
  { ruts, days, directions }: RunToProve,
  tools: ProveRunTools,
): Promise<ProvedRun> {
  const timeUp = new AbortController();
  const limitMs = tools.remainingMs() * SHARE_OF_TIME;
  const timer = setTimeout(() => timeUp.abort(new ProofTimeUpError(limitMs)), limitMs);
  let api: ProvingApi | undefined;
  try {
    api = await tools.openApi(tools.remainingMs());
    if (api === undefined) {
      const reason = 'Not asked: other runs have all the places that apiRequestsPerSecond allows.';
      return {
        facts: undefined,
        requests: 0,
        faults: directions.map((direction) => ({ direction, reason })),
      };
    }
    const { clock, clientOf } = api;
    const { facts, faults, tally } = await proveService({
      store: tools.store,
      ruts,
      daysOf: Object.fromEntries(directions.map((direction) => [direction, days])),
      clientOf,
      clock,
      signal: timeUp.signal,
      isReadFirst: false,
    });
    return {
      facts: faults.size < directions.length ? facts : undefined,
      requests: tally.requests,
      faults: [...faults].map(([direction, fault]) => ({ direction, reason: messageOf(fault) })),
    };
  } catch (error) {
    const faults = directions.map((direction) => ({ direction, reason: messageOf(error) }));
    return { facts: undefined, requests: 0, faults };
  } finally {
    clearTimeout(timer);
    await api?.close();
  }
}
