import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  assertCertificateChecked,
  openApiSession,
  parseApiAddress,
  type TokenSource,
} from '../api/access.ts';
import { ConnectionPool } from '../api/connection-pool.ts';
import { limitedWaits } from '../aws-waits.ts';
import { Token, tokenExpiry } from '../companies/company.ts';
import { type FoundLengths, secretTokenSource } from '../companies/secret-token.ts';
import { writeWithHyparquet } from '../lake/parquet/hyparquet.ts';
import { apiSource } from '../lake/source.ts';
import { checkSource } from '../lake/source-claim.ts';
import type { ExportInTurnTools } from '../run/export-part.ts';
import { openLeases } from '../run/leases.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { DAY_MS } from '../time/days.ts';
import { openLake, readEnvironment, WorkerEnvironmentSchema } from './environment.ts';

export interface Worker {
  tools: Omit<ExportInTurnTools, 'remainingMs'>;
  watch: WorkerWatch;
  /**
   * Checks that the lake is the API's. Called in every invocation, since a lake may move to another API while this
   * process lives.
   */
  checkSource(): Promise<void>;
}

/** What all invocations of a process share: the connections, and what the API's lists have proved. */
export function openWorker(environment = readEnvironment(WorkerEnvironmentSchema)): Worker {
  const secrets = new SecretsManagerClient({ maxAttempts: 5, requestHandler: limitedWaits() });
  const foundLengths: FoundLengths = new Set();
  const watch = new WorkerWatch(systemClock);
  const address = parseApiAddress(environment.API_ADDRESS);
  assertCertificateChecked(address);
  const store = openLake(environment.LAKE_BUCKET);
  const tools = {
    session: openApiSession({
      address,
      pool: new ConnectionPool(),
      maxRowsPerList: environment.MAX_ROWS_PER_LIST,
      onAnswer: (latencyMs) => watch.latencies.add(latencyMs),
    }),
    store,
    // Only this writer: a choice at run time would put both into the bundle.
    writer: writeWithHyparquet,
    tokensOf: (rut: string) =>
      watch.watchTokens(
        secretTokenSource(secrets, environment.COMPANIES_SECRET, rut, { api: address, foundLengths }),
      ),
    leases: openLeases(store, { most: environment.COMPANIES_AT_ONCE, clock: systemClock }),
    maxInFlight: environment.REQUESTS_PER_COMPANY,
    details: {
      directions: environment.DETAILS ?? [],
      maxPerUnit: environment.MAX_DETAILS_PER_UNIT,
      maxAgeDays: environment.DETAILS_MAX_AGE_DAYS,
    },
  };
  return { tools, watch, checkSource: async () => void (await checkSource(store, apiSource(address))) };
}

/** What an invocation of the worker observes: how fast the API is, and when the token expires. */
export class WorkerWatch {
  /** Milliseconds until answers began. */
  readonly latencies = new Sample();
  private readonly clock: Clock;
  private expiry: Date | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Must be called when an invocation begins: it may be for another company. */
  begin(): void {
    this.latencies.clear();
    this.expiry = undefined;
  }

  /** Days until the last token seen expires, negative once it has; undefined if it gives no expiry. */
  get tokenDaysLeft(): number | undefined {
    return this.expiry === undefined ? undefined : (this.expiry.getTime() - this.clock.now()) / DAY_MS;
  }

  /** The same source, but each token's expiry is noted as it passes. Nothing else of it is kept. */
  watchTokens(source: TokenSource): TokenSource {
    const look = async (reading: Promise<string>): Promise<string> => {
      const token = await reading;
      this.expiry = tokenExpiry(new Token(token));
      return token;
    };
    return {
      current: () => look(source.current()),
      renew: () => look(source.renew()),
      get companyName() {
        return source.companyName;
      },
    };
  }
}

/**
 * An evenly spread sample of many numbers: all of them while they are few, then every second, every fourth and so on.
 * A metric takes 100 values at a time, and a large company's worker sees thousands.
 */
export class Sample {
  private readonly capacity: number;
  private kept: number[] = [];
  private seen = 0;
  private every = 1;

  constructor(capacity = 64) {
    this.capacity = capacity;
  }

  get values(): readonly number[] {
    return this.kept;
  }

  add(value: number): void {
    if (this.seen % this.every === 0) this.keep(value);
    this.seen += 1;
  }

  clear(): void {
    this.kept = [];
    this.seen = 0;
    this.every = 1;
  }

  private keep(value: number): void {
    if (this.kept.length === this.capacity) {
      this.kept = this.kept.filter((_, index) => index % 2 === 0);
      this.every *= 2;
      if (this.seen % this.every !== 0) return;
    }
    this.kept.push(value);
  }
}
