import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { listCompanies } from '../companies/secrets-manager.ts';
import { startExecution } from '../run/execution.ts';
import type { StartRunTools } from '../run/start-run.ts';
import { readEnvironment, StarterEnvironmentSchema } from './environment.ts';

/** What start-run needs of AWS. */
export function openStarter(): Omit<StartRunTools, 'nowMs'> {
  const environment = readEnvironment(StarterEnvironmentSchema);
  const secrets = new SecretsManagerClient({ maxAttempts: 5 });
  const stepFunctions = new SFNClient({ maxAttempts: 5 });
  return {
    listCompanies: () => listCompanies(secrets, environment.COMPANIES_SECRET),
    startExecution: (input) => startExecution(stepFunctions, environment.STATE_MACHINE_ARN, input),
  };
}
