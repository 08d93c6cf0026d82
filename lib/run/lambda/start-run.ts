import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { assertCertificateChecked, openApiSession } from '../../api/access.ts';
import type { Breaker } from '../../api/breaker.ts';
import { companyClient } from '../../api/client.ts';
import { ConnectionPool } from '../../api/connection-pool.ts';
import { type FoundLengths, listCompanies, secretTokenSource } from '../../companies/secrets-manager.ts';
import { apiSource, claimLake } from '../../lake/source.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { parseApiAddress } from '../../text/api-address.ts';
import { PAUSE_BEFORE_END_MS, systemClock } from '../../time/clock.ts';
import { MINUTE_MS } from '../../time/days.ts';
import type { ReviewedTokens } from '../checks.ts';
import { openLeases } from '../leases.ts';
import { DaySchema } from '../messages.ts';
import { slowDays } from '../pace.ts';
import type { OpenApi, ProvedRun } from '../prove-run.ts';
import { type StartedRun, type StartRunTools, startExecution } from '../start-run.ts';
import { openLake, placePace, readEnvironment, Text, WholeNumber } from './environment.ts';
import { count, logger } from './telemetry.ts';

/** The variables of start-run. */
export const StarterEnvironmentSchema = v.object({
  API_ADDRESS: Text,
  /** Name of the secret of companies; more secrets may be below it. */
  COMPANIES_SECRET: Text,
  LAKE_BUCKET: Text,
  STATE_MACHINE_ARN: Text,
  /** The first issue date that Athena sees. */
  FIRST_DAY: v.pipe(Text, DaySchema),
  /** Places and requests per second of all who ask the API; absent without a cap. */
  COMPANIES_AT_ONCE: v.optional(WholeNumber, '1'),
  API_REQUESTS_PER_SECOND: v.optional(WholeNumber),
  /** How long one invocation of a worker may take. */
  WORKER_MINUTES: v.optional(WholeNumber, '15'),
});

/** Few: a check reads one company's day, and a proof some pages. */
const REQUESTS_IN_FLIGHT = 2;

interface Starter extends Omit<StartRunTools, 'prove'> {
  openApi: OpenApi;
}

/** What start-run needs from AWS, and from the API for a check and a proof. */
export function openStarter(): Starter {
  const environment = readEnvironment(StarterEnvironmentSchema);
  const api = parseApiAddress(environment.API_ADDRESS);
  const lake = openLake(environment.LAKE_BUCKET);
  const secrets = new SecretsManagerClient({ maxAttempts: 5, requestHandler: awsConnections() });
  const stepFunctions = new SFNClient({ maxAttempts: 5, requestHandler: awsConnections() });
  const foundLengths: FoundLengths = new Set();
  const maxRequestsPerSecond = placePace(environment);
  const places = { most: environment.COMPANIES_AT_ONCE, clock: systemClock };
  const leases = maxRequestsPerSecond === undefined ? undefined : openLeases(lake, places);
  const openApi = async (remainingMs: number, breaker?: Breaker) => {
    assertCertificateChecked(api);
    // Under a cap, whoever asks the API has one of the places that share it. It is for seconds, so nobody goes before.
    const lease = await leases?.tryAcquire({ runId: 'start-run', rut: '' }, remainingMs);
    if (leases !== undefined && lease === undefined) return undefined;
    const pool = new ConnectionPool();
    const session = openApiSession({ address: api, pool, breaker, maxRequestsPerSecond });
    const clientOf = (rut: string) => {
      const tokens = secretTokenSource(secrets, environment.COMPANIES_SECRET, rut, { api, foundLengths });
      return companyClient(session, rut, tokens, REQUESTS_IN_FLIGHT);
    };
    const close = async () => {
      await pool.destroy();
      await lease?.release();
    };
    return { clientOf, clock: session.clock, close };
  };
  return {
    lake,
    clock: systemClock,
    firstDay: environment.FIRST_DAY,
    listCompanies: () => listCompanies(secrets, environment.COMPANIES_SECRET, api),
    claimLake: (claim) => claimLake(lake, apiSource(api), claim),
    openApi,
    slowDays: async (ruts, lastDay) => {
      const { API_REQUESTS_PER_SECOND: requestsPerSecond, WORKER_MINUTES: minutes } = environment;
      if (requestsPerSecond === undefined) return [];
      const readingMs = minutes * MINUTE_MS - PAUSE_BEFORE_END_MS;
      const pace = { requestsPerSecond, places: environment.COMPANIES_AT_ONCE, readingMs };
      return await slowDays(lake, ruts, lastDay, pace).catch(() => []);
    },
    startExecution: (input) => startExecution(stepFunctions, environment.STATE_MACHINE_ARN, input),
  };
}

export function reportStarted(started: StartedRun): void {
  const { problemas, avisos, dias_lentos: slow = [], ...run } = started;
  count('RunsStarted', run.repetida ? 0 : 1);
  count('CompanyProblems', problemas.length);
  for (const problema of problemas) logger.warn('a company cannot be exported', { problema });
  for (const dia of slow) logger.warn('a day is too large for the pace', { dia });
  reportEndingTokens(started);
  logger.info('run started', run);
}

/** A run that is started without a proof only asks for more, so this is no alarm. */
export function reportProved({ facts, requests, faults }: ProvedRun): void {
  for (const { direction, reason } of faults) {
    logger.warn('the service could not be proved', { direccion: direction, reason });
  }
  if (facts === undefined) return;
  const widths = Object.entries(facts).map(([direction, { provedWidthDays }]) => [
    direction,
    provedWidthDays,
  ]);
  logger.info('service proved', { anchoProbado: Object.fromEntries(widths), solicitudes: requests });
}

export function reportEndingTokens({ avisos }: ReviewedTokens): void {
  count('TokensEnding', avisos.length);
  for (const aviso of avisos) logger.warn('a token ends too early', { aviso });
}
