import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { parseApiAddress } from '../api/address.ts';
import { listCompanies } from '../companies/secrets-manager.ts';
import { claimLake } from '../lake/source/claim.ts';
import { apiSource } from '../lake/source/mark.ts';
import { startExecution } from '../run/execution.ts';
import { keepLastCompanies, readLastCompanies } from '../run/last-companies.ts';
import type { StartRunTools } from '../run/start-run.ts';
import { readEnvironment, StarterEnvironmentSchema } from './environment.ts';
import { openLake } from './lake.ts';

/** What start-run needs of AWS. */
export function openStarter(): Omit<StartRunTools, 'nowMs'> {
  const environment = readEnvironment(StarterEnvironmentSchema);
  const api = parseApiAddress(environment.API_ADDRESS);
  const lake = openLake(environment.LAKE_BUCKET);
  const secrets = new SecretsManagerClient({ maxAttempts: 5 });
  const stepFunctions = new SFNClient({ maxAttempts: 5 });
  return {
    listCompanies: () => listCompanies(secrets, environment.COMPANIES_SECRET, api),
    claimLake: (claim) => claimLake(lake, apiSource(api), claim),
    readLastCompanies: () => readLastCompanies(lake),
    keepLastCompanies: (ruts, standing) => keepLastCompanies(lake, ruts, standing),
    startExecution: (input) => startExecution(stepFunctions, environment.STATE_MACHINE_ARN, input),
  };
}
