import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { assertCertificateChecked, parseApiAddress } from '../api/access.ts';
import { ConnectionPool } from '../api/exchange.ts';
import { openApiSession } from '../api/session.ts';
import { type FoundLengths, SecretTokenSource } from '../companies/secret-token.ts';
import { writeWithHyparquet } from '../lake/parquet/hyparquet.ts';
import { apiSource, checkSource } from '../lake/source.ts';
import type { ExportInTurnTools } from '../run/export-in-turn.ts';
import { Leases } from '../run/leases.ts';
import { systemClock } from '../time/clock.ts';
import { readEnvironment, WorkerEnvironmentSchema } from './environment.ts';
import { openLake } from './lake.ts';
import { WorkerWatch } from './worker-watch.ts';

export interface Worker {
  tools: Omit<ExportInTurnTools, 'remainingMs'>;
  watch: WorkerWatch;
  /** Whether the lake is the API's; asked at every invocation, since a lake may be moved while this process lives. */
  checkSource(): Promise<void>;
}

/** What all invocations of a worker's process share: the connections, and what the API's lists have proved. */
export function openWorker(): Worker {
  const environment = readEnvironment(WorkerEnvironmentSchema);
  const secrets = new SecretsManagerClient({ maxAttempts: 5 });
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
    // This writer alone: a choice at run time would put both into the bundle.
    writer: writeWithHyparquet,
    tokensOf: (rut: string) =>
      watch.watchTokens(
        new SecretTokenSource(secrets, environment.COMPANIES_SECRET, rut, { api: address, foundLengths }),
      ),
    leases: new Leases(store, { most: environment.COMPANIES_AT_ONCE, clock: systemClock }),
    maxInFlight: environment.REQUESTS_PER_COMPANY,
    details: {
      directions: environment.DETAILS ?? [],
      maxPerUnit: environment.MAX_DETAILS_PER_UNIT,
      maxAgeDays: environment.DETAILS_MAX_AGE_DAYS,
    },
  };
  return { tools, watch, checkSource: async () => void (await checkSource(store, apiSource(address))) };
}
