import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  assertCertificateChecked,
  openApiSession,
  parseApiAddress,
  type TokenSource,
} from '../api/access.ts';
import { ConnectionPool } from '../api/connection-pool.ts';
import { awsConnections } from '../aws-connections.ts';
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

/** What all invocations of a process share: the connections, and which secrets have companies. */
export function openWorker(environment = readEnvironment(WorkerEnvironmentSchema)): Worker {
  const secrets = new SecretsManagerClient({ maxAttempts: 5, requestHandler: awsConnections() });
  const foundLengths: FoundLengths = new Set();
  const watch = workerWatch(systemClock);
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

export type WorkerWatch = ReturnType<typeof workerWatch>;

/** What an invocation of the worker observes: how fast the API is, and when the token expires. */
export function workerWatch(clock: Clock) {
  /** Milliseconds until answers began. */
  const latencies = startSample();
  let expiry: Date | undefined;

  async function look(reading: Promise<string>): Promise<string> {
    const token = await reading;
    expiry = tokenExpiry(new Token(token));
    return token;
  }

  return {
    latencies,
    /** Must be called when an invocation begins: it may be for another company. */
    begin(): void {
      latencies.clear();
      expiry = undefined;
    },
    /** Days until the last token seen expires, negative once it has; undefined if it gives no expiry. */
    get tokenDaysLeft(): number | undefined {
      return expiry === undefined ? undefined : (expiry.getTime() - clock.now()) / DAY_MS;
    },
    /** The same source, but each token's expiry is noted as it passes. Nothing else of it is kept. */
    watchTokens: (source: TokenSource): TokenSource => ({
      current: () => look(source.current()),
      renew: () => look(source.renew()),
      get companyName() {
        return source.companyName;
      },
    }),
  };
}

/**
 * An evenly spread sample of many numbers: all of them while they are few, then every second, every fourth and so on.
 * A metric takes 100 values at a time, and a large company's worker sees thousands.
 */
export function startSample(capacity = 64) {
  let kept: number[] = [];
  let seen = 0;
  let every = 1;

  function keep(value: number): void {
    if (kept.length === capacity) {
      kept = kept.filter((_, index) => index % 2 === 0);
      every *= 2;
      if (seen % every !== 0) return;
    }
    kept.push(value);
  }

  return {
    get values(): readonly number[] {
      return kept;
    },
    add(value: number): void {
      if (seen % every === 0) keep(value);
      seen += 1;
    },
    clear(): void {
      kept = [];
      seen = 0;
      every = 1;
    },
  };
}
