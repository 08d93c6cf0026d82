import { BatchGetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { TokenSource } from '../api/access.ts';
import { CfeLakeError } from '../errors.ts';
import { type CompanyProblem, describeProblem } from './company.ts';
import { nameOfSecret, namesFor, parseSecret, SecretReadError } from './secrets-manager.ts';

/** The lengths of the names in which this process has found companies: most accounts have one or two of thirteen. */
export type FoundLengths = Set<number>;

export interface SecretTokenOptions {
  /** The address of the API that the token is for. */
  api?: URL;
  /** Shared by all companies of a process; every name is asked for when absent. */
  foundLengths?: FoundLengths;
}

/**
 * One company's token, from the most specific of the secrets that may hold it. They are asked for by name in one
 * request, so that no other company's secret is read where each has its own. Each name that is asked for is an entry in
 * CloudTrail, so names as long as those of other companies' secrets come first, and all of them only where those don't
 * have it, and after a refusal. Throws SecretReadError and CompanyMissingError.
 */
export class SecretTokenSource implements TokenSource {
  private readonly client: SecretsManagerClient;
  private readonly baseName: string;
  private readonly rut: string;
  private readonly api: URL | undefined;
  private readonly foundLengths: FoundLengths;
  private token: Promise<string> | undefined;
  private name: string | undefined;

  constructor(
    client: SecretsManagerClient,
    baseName: string,
    rut: string,
    { api, foundLengths = new Set() }: SecretTokenOptions = {},
  ) {
    this.client = client;
    this.baseName = baseName;
    this.rut = rut;
    this.api = api;
    this.foundLengths = foundLengths;
  }

  get companyName(): string | undefined {
    return this.name;
  }

  current(): Promise<string> {
    this.token ??= this.readLikely();
    return this.token;
  }

  renew(): Promise<string> {
    this.token = this.read(namesFor(this.baseName, this.rut));
    return this.token;
  }

  private async readLikely(): Promise<string> {
    const names = namesFor(this.baseName, this.rut);
    const likely = names.filter(({ length }) => this.foundLengths.has(length));
    if (likely.length > 0 && likely.length < names.length) {
      try {
        return await this.read(likely);
      } catch (error) {
        // Its secret may have another name.
        const isElsewhere = error instanceof CompanyMissingError || error instanceof SecretReadError;
        if (!isElsewhere) throw error;
      }
    }
    return await this.read(names);
  }

  private async read(names: readonly string[]): Promise<string> {
    const { SecretValues: secrets = [], Errors: errors = [] } = await this.client
      .send(new BatchGetSecretValueCommand({ SecretIdList: [...names] }))
      .catch((error: unknown) => {
        throw new SecretReadError(this.baseName, error);
      });
    const problems: CompanyProblem[] = [];
    for (const name of names) {
      const secret = secrets.find(({ Name }) => Name === name);
      if (secret === undefined) continue;
      const parsed = parseSecret(secret, this.api);
      const company = parsed.companies.find(({ rut }) => rut === this.rut);
      if (company !== undefined) {
        this.foundLengths.add(name.length);
        this.name = company.name;
        return company.token.reveal();
      }
      problems.push(...parsed.problems.filter(({ rut }) => rut === undefined || rut === this.rut));
    }
    const failure = errors.find(({ ErrorCode }) => ErrorCode !== 'ResourceNotFoundException');
    if (failure !== undefined) {
      const name = nameOfSecret(failure.SecretId ?? this.baseName);
      throw new SecretReadError(name, failure.ErrorCode ?? 'unknown error');
    }
    throw new CompanyMissingError(this.rut, this.baseName, problems);
  }
}

/** A company that the run knows has no token any more, or never had one where a worker looks for it. */
export class CompanyMissingError extends CfeLakeError {
  override name = 'CompanyMissingError';
  readonly rut: string;
  constructor(rut: string, baseName: string, problems: readonly CompanyProblem[]) {
    const reasons = problems.map(describeProblem).join('; ');
    super(
      `RUT ${rut} has no usable entry in the secret ${baseName} or in one whose name is ${baseName}/ and the ` +
        `RUT's first digits${reasons === '' ? '' : ` (${reasons})`}.`,
      { advice: 'Add it there, then export it again.' },
    );
    this.rut = rut;
  }
}
