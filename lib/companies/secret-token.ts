import { BatchGetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { TokenSource } from '../api/access.ts';
import type { CompanyProblem } from './problem.ts';
import { CompanyMissingError, SecretReadError } from './secret-errors.ts';
import { namesFor } from './secret-names.ts';
import { parseSecret } from './secrets-manager.ts';

/**
 * One company's token for the API at an address, from the most specific of the secrets that may hold it. They are asked for by name in
 * one request, so that no other company's secret is read where each has its own. Throws SecretReadError and
 * CompanyMissingError.
 */
export class SecretTokenSource implements TokenSource {
  private readonly client: SecretsManagerClient;
  private readonly baseName: string;
  private readonly rut: string;
  private readonly api: URL | undefined;
  private token: Promise<string> | undefined;

  constructor(client: SecretsManagerClient, baseName: string, rut: string, api?: URL) {
    this.client = client;
    this.baseName = baseName;
    this.rut = rut;
    this.api = api;
  }

  current(): Promise<string> {
    this.token ??= this.read();
    return this.token;
  }

  renew(): Promise<string> {
    this.token = this.read();
    return this.token;
  }

  private async read(): Promise<string> {
    const names = namesFor(this.baseName, this.rut);
    const { SecretValues: secrets = [], Errors: errors = [] } = await this.client
      .send(new BatchGetSecretValueCommand({ SecretIdList: names }))
      .catch((error: unknown) => {
        throw new SecretReadError(this.baseName, error);
      });
    const problems: CompanyProblem[] = [];
    for (const name of names) {
      const secret = secrets.find(({ Name }) => Name === name);
      if (secret === undefined) continue;
      const parsed = parseSecret(secret, this.api);
      const company = parsed.companies.find(({ rut }) => rut === this.rut);
      if (company !== undefined) return company.token.reveal();
      problems.push(...parsed.problems.filter(({ rut }) => rut === undefined || rut === this.rut));
    }
    const failure = errors.find(({ ErrorCode }) => ErrorCode !== 'ResourceNotFoundException');
    if (failure !== undefined) {
      throw new SecretReadError(failure.SecretId ?? this.baseName, failure.ErrorCode ?? 'unknown error');
    }
    throw new CompanyMissingError(this.rut, this.baseName, problems);
  }
}
