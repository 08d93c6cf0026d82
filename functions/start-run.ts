import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { assertCertificateChecked, openApiSession, parseApiAddress } from '../lib/api/access.ts';
import { Breaker } from '../lib/api/breaker.ts';
import { companyClient } from '../lib/api/client.ts';
import { ConnectionPool } from '../lib/api/connection-pool.ts';
import { PlanKeeper } from '../lib/audit/plan.ts';
import { awsConnections } from '../lib/aws-connections.ts';
import { type FoundLengths, secretTokenSource } from '../lib/companies/secret-token.ts';
import { listCompanies } from '../lib/companies/secrets-manager.ts';
import { apiSource } from '../lib/lake/source.ts';
import { claimLake } from '../lib/lake/source-claim.ts';
import type { LakeStore } from '../lib/lake/store/store.ts';
import { once, openLake, readEnvironment, StarterEnvironmentSchema } from '../lib/lambda/environment.ts';
import { count, logger, observed } from '../lib/lambda/telemetry.ts';
import {
  type CheckedRun,
  type CheckRunTools,
  checkRun,
  isCheck,
  isTokenReview,
  type ReviewedTokens,
  reviewTokens,
} from '../lib/run/checks.ts';
import { type ProvedRun, type ProvingApi, proveRun, type RunToProve } from '../lib/run/prove-run.ts';
import {
  keepLastCompanies,
  readLastCompanies,
  type StartedRun,
  type StartRunTools,
  startExecution,
  startRun,
} from '../lib/run/start-run.ts';
import { systemClock } from '../lib/time/clock.ts';

const openedTools = once(openTools);
/** A person waits for the answer. */
const GIVE_UP_CHECK_MS = 45_000;

/**
 * Starts a run, on schedule or by hand; see lib/run/run-request.ts for its events. Also reviews tokens in the evening,
 * and tells `cfe-lake check` whether a run would succeed.
 */
export const handler = observed<StartedRun | ReviewedTokens | CheckedRun>(async (event, context) => {
  const { lake, openApi, ...opened } = openedTools();
  const tools = { ...opened, nowMs: systemClock.now() };
  const remainingMs = () => context.getRemainingTimeInMillis();
  if (isCheck(event)) {
    return await checkRun(event, { ...tools, remainingMs, signal: AbortSignal.timeout(GIVE_UP_CHECK_MS) });
  }
  if (isTokenReview(event)) {
    const reviewed = await reviewTokens(event, tools);
    countEndingTokens(reviewed);
    return reviewed;
  }
  const prove = async (run: RunToProve) => {
    const proved = await proveRun(run, { store: lake, openApi, remainingMs });
    logProved(proved);
    return proved.facts;
  };
  const started = await startRun(event, { ...tools, prove });
  const { problemas, avisos, ...run } = started;
  count('RunsStarted', run.repetida ? 0 : 1);
  count('CompanyProblems', problemas.length);
  for (const problema of problemas) logger.warn('a company cannot be exported', { problema });
  countEndingTokens(started);
  logger.info('run started', run);
  return started;
});

/** A run that is started without a proof only asks for more, so this is no alarm. */
function logProved({ facts, requests, faults }: ProvedRun): void {
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

function countEndingTokens({ avisos }: ReviewedTokens): void {
  count('TokensEnding', avisos.length);
  for (const aviso of avisos) logger.warn('a token ends too early', { aviso });
}

/** Few: a check reads one company's day, and a proof some pages. */
const REQUESTS_IN_FLIGHT = 2;

interface Tools extends Omit<StartRunTools, 'nowMs' | 'prove'>, Pick<CheckRunTools, 'readerOf'> {
  lake: LakeStore;
  openApi(): ProvingApi;
}

/** What start-run needs from AWS, and from the API for a check and a proof. */
function openTools(): Tools {
  const environment = readEnvironment(StarterEnvironmentSchema);
  const api = parseApiAddress(environment.API_ADDRESS);
  const lake = openLake(environment.LAKE_BUCKET);
  const secrets = new SecretsManagerClient({ maxAttempts: 5, requestHandler: awsConnections() });
  const stepFunctions = new SFNClient({ maxAttempts: 5, requestHandler: awsConnections() });
  const foundLengths: FoundLengths = new Set();
  const openApi = (breaker?: Breaker): ProvingApi => {
    assertCertificateChecked(api);
    const pool = new ConnectionPool();
    const session = openApiSession({ address: api, pool, breaker });
    const clientOf = (rut: string) => {
      const tokens = secretTokenSource(secrets, environment.COMPANIES_SECRET, rut, { api, foundLengths });
      return companyClient(session, rut, tokens, REQUESTS_IN_FLIGHT);
    };
    return { clientOf, clock: session.clock, close: () => pool.destroy() };
  };
  return {
    lake,
    firstDay: environment.FIRST_DAY,
    listCompanies: () => listCompanies(secrets, environment.COMPANIES_SECRET, api),
    readerOf: (rut) => {
      const { clientOf, ...opened } = openApi();
      return { client: clientOf(rut), ...opened };
    },
    claimLake: (claim) => claimLake(lake, apiSource(api), claim),
    readLastCompanies: () => readLastCompanies(lake),
    keepLastCompanies: (ruts, standing) => keepLastCompanies(lake, ruts, standing),
    // An API that is down is not asked for every company.
    openApi: () => openApi(new Breaker({ clock: systemClock, mostTries: 0 })),
    keepPlan: (run, companies) => new PlanKeeper(lake, run, companies, systemClock).renew(),
    startExecution: (input) => startExecution(stepFunctions, environment.STATE_MACHINE_ARN, input),
  };
}
