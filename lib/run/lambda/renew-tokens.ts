import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { Renewal, RenewalSecrets } from '../../companies/renewed-tokens.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { messageOf } from '../../system/errors.ts';
import { readEnvironment, TextSchema } from './environment.ts';
import { count, logger } from './telemetry.ts';

/** The variables of renew-tokens. */
export const RenewerEnvironmentSchema = v.object({
  /** Name of the secret with the login. */
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

/** Whatever ends it with an error counts as a failed login: an error that is only thrown raises no alarm. */
export function reportBrokenRenewal(error: unknown): never {
  count('LoginsFailed', 1);
  logger.warn('login failed', { reason: messageOf(error) });
  throw error;
}

export function reportRenewal({ renewed, failure }: Renewal): void {
  count('LoginsFailed', failure === undefined ? 0 : 1);
  if (failure !== undefined) logger.warn('login failed', { reason: failure });
  else if (renewed > 0) logger.info('tokens renewed', { renewed });
}
