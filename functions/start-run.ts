import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { assertCertificateChecked, openApiSession, parseApiAddress } from '../lib/api/access.ts';
import { companyClient } from '../lib/api/client.ts';
import { ConnectionPool } from '../lib/api/connection-pool.ts';
import { awsConnections } from '../lib/aws-connections.ts';
import { secretTokenSource } from '../lib/companies/secret-token.ts';
import { listCompanies } from '../lib/companies/secrets-manager.ts';
import { proveService } from '../lib/export/reading/prove-service.ts';
import { apiSource } from '../lib/lake/source.ts';
import { claimLake } from '../lib/lake/source-claim.ts';
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
import {
  keepLastCompanies,
  readLastCompanies,
  type StartedRun,
  type StartRunTools,
  startExecution,
  startRun,
} from '../lib/run/start-run.ts';

const openedTools = once(openTools);
/** A run then begins without what a witness would have shown. */
const GIVE_UP_PROVING_MS = 60_000;
/** A person waits for the answer. */
const GIVE_UP_CHECK_MS = 45_000;

/**
 * Starts a run, on schedule or by hand; see lib/run/run-request.ts for its events. Also reviews tokens in the evening,
 * and tells `cfe-lake check` whether a run would succeed.
 */
export const handler = observed<StartedRun | ReviewedTokens | CheckedRun>(async (event, context) => {
  const tools = { ...openedTools(), nowMs: Date.now() };
  if (isCheck(event)) {
    const remainingMs = () => context.getRemainingTimeInMillis();
    return await checkRun(event, { ...tools, remainingMs, signal: AbortSignal.timeout(GIVE_UP_CHECK_MS) });
  }
  if (isTokenReview(event)) {
    const reviewed = await reviewTokens(event, tools);
    countEndingTokens(reviewed);
    return reviewed;
  }
  const started = await startRun(event, tools);
  const { problemas, avisos, ...run } = started;
  count('RunsStarted', run.repetida ? 0 : 1);
  count('CompanyProblems', problemas.length);
  for (const problema of problemas) logger.warn('a company cannot be exported', { problema });
  countEndingTokens(started);
  logger.info('run started', run);
  return started;
});

function countEndingTokens({ avisos }: ReviewedTokens): void {
  count('TokensEnding', avisos.length);
  for (const aviso of avisos) logger.warn('a token ends too early', { aviso });
}

/** Few, since a check reads one company's day only. */
const REQUESTS_OF_CHECK = 2;

/** What start-run needs from AWS, and from the API for a check. */
function openTools(): Omit<StartRunTools, 'nowMs'> & Pick<CheckRunTools, 'readerOf'> {
  const environment = readEnvironment(StarterEnvironmentSchema);
  const api = parseApiAddress(environment.API_ADDRESS);
  const lake = openLake(environment.LAKE_BUCKET);
  const secrets = new SecretsManagerClient({ maxAttempts: 5, requestHandler: awsConnections() });
  const stepFunctions = new SFNClient({ maxAttempts: 5, requestHandler: awsConnections() });
  return {
    firstDay: environment.FIRST_DAY,
    listCompanies: () => listCompanies(secrets, environment.COMPANIES_SECRET, api),
    readerOf: (rut) => {
      assertCertificateChecked(api);
      const pool = new ConnectionPool();
      const session = openApiSession({ address: api, pool });
      const tokens = secretTokenSource(secrets, environment.COMPANIES_SECRET, rut, { api });
      const { clock } = session;
      const client = companyClient(session, rut, tokens, REQUESTS_OF_CHECK);
      return { client, clock, close: () => pool.destroy() };
    },
    claimLake: (claim) => claimLake(lake, apiSource(api), claim),
    readLastCompanies: () => readLastCompanies(lake),
    keepLastCompanies: (ruts, standing) => keepLastCompanies(lake, ruts, standing),
    prove: async (ruts, days, directions) => {
      assertCertificateChecked(api);
      const pool = new ConnectionPool();
      const session = openApiSession({ address: api, pool });
      const signal = AbortSignal.timeout(GIVE_UP_PROVING_MS);
      try {
        const { facts } = await proveService({
          store: lake,
          ruts,
          daysOf: Object.fromEntries(directions.map((direction) => [direction, days])),
          toolsOf: (rut, of) => {
            const tokens = secretTokenSource(secrets, environment.COMPANIES_SECRET, rut, { api });
            const client = companyClient(session, rut, tokens, REQUESTS_OF_CHECK);
            const { clock } = session;
            return { client, facts: of, clock, signal, isTimeUp: () => false, disproved: new Set() };
          },
          isReadFirst: false,
        });
        return facts;
      } finally {
        pool.destroy();
      }
    },
    startExecution: (input) => startExecution(stepFunctions, environment.STATE_MACHINE_ARN, input),
  };
}
