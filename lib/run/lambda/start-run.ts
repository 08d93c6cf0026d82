import { randomUUID } from 'node:crypto';
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
import { systemClock } from '../../time/clock.ts';
import type { ReviewedTokens } from '../checks.ts';
import { DaySchema, isNight, NIGHTLY } from '../messages.ts';
import type { OpenApi, ProvedRun } from '../prove-run.ts';
import { giveBack, type Holder, requestsPerSecondOf, takeShare } from '../shares.ts';
import {
  CLOCK_SLACK_MS,
  hasExecutionEnded,
  RunUnderWayError,
  type StartedRun,
  type StartRunTools,
  startExecution,
} from '../start-run.ts';
import { openLake, readEnvironment, SharesEnvironment, sharesFrom, TextSchema } from './environment.ts';
import { count, logger } from './telemetry.ts';

/** The variables of start-run. */
export const StarterEnvironmentSchema = v.object({
  API_ADDRESS: TextSchema,
  /** Name of the secret of companies; more secrets may be below it. */
  COMPANIES_SECRET: TextSchema,
  /** The secret with the login's tokens, where there is a login. */
  TOKENS_SECRET: v.optional(TextSchema),
  LAKE_BUCKET: TextSchema,
  STATE_MACHINE_ARN: TextSchema,
  /** The first issue date that Athena sees. */
  FIRST_DAY: v.pipe(TextSchema, DaySchema),
  ...SharesEnvironment,
});

/** Few: a check reads one company's day, and a proof some pages. */
const REQUESTS_IN_FLIGHT = 2;

interface Starter extends Omit<StartRunTools, 'prove' | 'remainingMs'> {
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
  const { COMPANIES_SECRET: baseName, TOKENS_SECRET: tokensSecret } = environment;
  const shares = sharesFrom(environment);
  const maxRequestsPerSecond = requestsPerSecondOf(shares);
  const openApi = async (remainingMs: number, breaker?: Breaker) => {
    assertCertificateChecked(api);
    const holder = { name: randomUUID(), untilMs: systemClock.now() + remainingMs + CLOCK_SLACK_MS };
    // Under a cap, one start-run asks the API at a time.
    const isCapped = maxRequestsPerSecond !== undefined;
    if (isCapped && (await takeShare(lake, 'start', holder, isPast)) !== undefined) return undefined;
    const pool = new ConnectionPool();
    const session = openApiSession({ address: api, pool, breaker, maxRequestsPerSecond });
    const clientOf = (rut: string) => {
      const tokens = secretTokenSource(secrets, baseName, rut, { api, tokensSecret, foundLengths });
      return companyClient(session, rut, tokens, REQUESTS_IN_FLIGHT);
    };
    const close = async () => {
      await pool.destroy();
      // One that is not given back ends by itself.
      if (isCapped) await giveBack(lake, 'start', holder).catch(() => undefined);
    };
    return { clientOf, clock: session.clock, close };
  };
  return {
    lake,
    clock: systemClock,
    firstDay: environment.FIRST_DAY,
    listCompanies: () => listCompanies(secrets, baseName, api, tokensSecret),
    claimLake: (claim) => claimLake(lake, apiSource(api), claim),
    openApi,
    startExecution: (input) => startExecution(stepFunctions, environment.STATE_MACHINE_ARN, input),
    hasEnded: (holder) =>
      hasExecutionEnded(stepFunctions, environment.STATE_MACHINE_ARN, holder, systemClock.now()),
    shares,
  };
}

function isPast({ untilMs }: Holder): boolean {
  return systemClock.now() >= untilMs;
}

export function reportStarted(started: StartedRun): void {
  const { problemas, avisos, ...run } = started;
  count('CompanyProblems', problemas.length);
  for (const problema of problemas) logger.warn('a company cannot be exported', { problema });
  for (const aviso of avisos) logger.warn('a token has ended', { aviso });
  logger.info('run started', run);
}

/** The answer to a night that was not started, because the last one is under way. */
export interface NightNotStarted {
  no_iniciada: string;
  en_curso: string;
}

/**
 * Tells of a night that found an earlier one under way: it is not tried again. Any other error is thrown again.
 */
export function reportNotStarted(error: unknown, event: unknown): NightNotStarted {
  if (!(error instanceof RunUnderWayError) || !isNight(error.runId)) {
    countNight(event);
    throw error;
  }
  const { runId, otherId, message: reason } = error;
  logger.warn('night not started', { corrida: runId, enCurso: otherId, reason });
  return { no_iniciada: runId, en_curso: otherId };
}

/** Counts a night for its alarm, as one that failed too; not one that found another under way, of which nothing else tells. */
export function countNight(event: unknown): void {
  if (v.is(NightEventSchema, event)) count('NightsBegun', 1);
}

const NightEventSchema = v.looseObject({ nombre: v.literal(NIGHTLY) });

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

export function reportEndingTokens({ avisos, dias }: ReviewedTokens): void {
  for (const aviso of avisos) logger.warn('a token ends soon', { aviso });
  // A metric that has no data costs nothing.
  if (dias !== undefined) count('TokenDaysLeft', dias);
}
