import { BatchGetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { TokenSource } from '../api/access.ts';
import { CfeLakeError } from '../system/errors.ts';
import { type CompanyProblem, describeProblem } from './company.ts';
import { nameOfSecret, namesFor, parseSecret, unreadableSecret } from './secrets-manager.ts';

/** Lengths of the secret names in which this process has found companies. Most accounts use one or two of thirteen. */
export type FoundLengths = Set<number>;

export interface SecretTokenOptions {
  api?: URL;
  /** Shared by all companies of a process. Absent: every name is tried. */
  foundLengths?: FoundLengths;
}

/**
 * One company's token, from the most specific secret that may hold it. Secrets are asked for by name, in one request,
 * so that no other company's secret is read if each has its own. CloudTrail records every name asked for. So names as
 * long as those that had other companies are tried first; all names are tried if these fail, or after the API refused
 * the token. CompanyAccess keeps the token; here each call reads. Throws CfeLakeError.
 */
export function secretTokenSource(
  client: SecretsManagerClient,
  baseName: string,
  rut: string,
  { api, foundLengths = new Set() }: SecretTokenOptions = {},
): TokenSource {
  const names = namesFor(baseName, rut);
  let companyName: string | undefined;

  async function read(asked: readonly string[]): Promise<string> {
    const { SecretValues: secrets = [], Errors: errors = [] } = await client
      .send(new BatchGetSecretValueCommand({ SecretIdList: [...asked] }))
      .catch((error: unknown) => {
        throw unreadableSecret(baseName, error);
      });
    const problems: CompanyProblem[] = [];
    for (const name of asked) {
      const secret = secrets.find(({ Name }) => Name === name);
      if (secret === undefined) continue;
      const parsed = parseSecret(secret, api);
      const company = parsed.companies.find((known) => known.rut === rut);
      if (company !== undefined) {
        foundLengths.add(name.length);
        companyName = company.name;
        return company.token.reveal();
      }
      problems.push(...parsed.problems.filter((problem) => problem.rut === undefined || problem.rut === rut));
    }
    const failure = errors.find(({ ErrorCode }) => ErrorCode !== 'ResourceNotFoundException');
    if (failure !== undefined) {
      const name = nameOfSecret(failure.SecretId ?? baseName);
      throw unreadableSecret(name, failure.ErrorCode ?? 'unknown error');
    }
    // The company has no token in any secret that may hold it.
    const reasons = problems.map(describeProblem).join('; ');
    throw new CfeLakeError(
      `RUT ${rut} has no usable entry in the secret ${baseName} or in one whose name is ${baseName}/ and the ` +
        `RUT's first digits${reasons === '' ? '' : ` (${reasons})`}.`,
      { advice: 'Add it there, then export it again.' },
    );
  }

  return {
    get companyName() {
      return companyName;
    },
    async current() {
      const likely = names.filter(({ length }) => foundLengths.has(length));
      if (likely.length > 0 && likely.length < names.length) {
        try {
          return await read(likely);
        } catch {
          // Its secret may have another name.
        }
      }
      return await read(names);
    },
    renew: () => read(names),
  };
}
