import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { Renewal, RenewalSecrets } from '../../companies/renewed-tokens.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { readEnvironment, TextSchema } from './environment.ts';
import { count, logger } from './telemetry.ts';

/** The variables of renew-tokens. */
export const RenewerEnvironmentSchema = v.object({
  /** Name of the secret with the login, which need not exist. */
  LOGIN_SECRET: TextSchema,
  /** The secret with its tokens. */
  TOKENS_SECRET: TextSchema,
});

export function openRenewer(): RenewalSecrets {
  const { LOGIN_SECRET: loginSecret, TOKENS_SECRET: tokensSecret } =
    readEnvironment(RenewerEnvironmentSchema);
  const client = new SecretsManagerClient({ maxAttempts: 5, requestHandler: awsConnections() });
  return { client, loginSecret, tokensSecret };
}

export function reportRenewal({ renewed, failure }: Renewal): void {
  count('LoginsFailed', failure === undefined ? 0 : 1);
  if (failure !== undefined) logger.warn('login failed', { reason: failure });
  else if (renewed > 0) logger.info('tokens renewed', { renewed });
}
