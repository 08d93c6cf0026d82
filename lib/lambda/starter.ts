import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { assertCertificateChecked, openApiSession, parseApiAddress } from '../api/access.ts';
import { companyClient } from '../api/client.ts';
import { ConnectionPool } from '../api/connection-pool.ts';
import { SecretTokenSource } from '../companies/secret-token.ts';
import { listCompanies } from '../companies/secrets-manager.ts';
import { apiSource, claimLake } from '../lake/source.ts';
import type { CheckRunTools } from '../run/checks.ts';
import {
  keepLastCompanies,
  readLastCompanies,
  type StartRunTools,
  startExecution,
} from '../run/start-run.ts';
import { openLake, readEnvironment, StarterEnvironmentSchema } from './environment.ts';

/** Few, since a check reads one company's day only. */
const REQUESTS_OF_CHECK = 2;

export type Starter = Omit<StartRunTools, 'nowMs'> & Pick<CheckRunTools, 'readerOf'>;

/** What start-run needs from AWS, and from the API for a check. */
export function openStarter(): Starter {
  const environment = readEnvironment(StarterEnvironmentSchema);
  const api = parseApiAddress(environment.API_ADDRESS);
  const lake = openLake(environment.LAKE_BUCKET);
  const secrets = new SecretsManagerClient({ maxAttempts: 5 });
  const stepFunctions = new SFNClient({ maxAttempts: 5 });
  return {
    listCompanies: () => listCompanies(secrets, environment.COMPANIES_SECRET, api),
    readerOf: (rut) => {
      assertCertificateChecked(api);
      const session = openApiSession({ address: api, pool: new ConnectionPool() });
      const tokens = new SecretTokenSource(secrets, environment.COMPANIES_SECRET, rut, { api });
      const { habits, clock } = session;
      return { client: companyClient(session, rut, tokens, REQUESTS_OF_CHECK), habits, clock };
    },
    claimLake: (claim) => claimLake(lake, apiSource(api), claim),
    readLastCompanies: () => readLastCompanies(lake),
    keepLastCompanies: (ruts, standing) => keepLastCompanies(lake, ruts, standing),
    startExecution: (input) => startExecution(stepFunctions, environment.STATE_MACHINE_ARN, input),
  };
}
