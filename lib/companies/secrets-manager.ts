import {
  BatchGetSecretValueCommand,
  GetSecretValueCommand,
  paginateBatchGetSecretValue,
  paginateListSecrets,
  type SecretsManagerClient,
  type SecretValueEntry,
} from '@aws-sdk/client-secrets-manager';
import type { TokenSource } from '../api/access.ts';
import { CfeLakeError } from '../system/errors.ts';
import { addressText } from '../text/api-address.ts';
import type { Rut } from '../units/rut.ts';
import {
  type CompanyProblem,
  describeProblem,
  type ParsedCompanies,
  parseCompaniesText,
  unusable,
} from './company.ts';
import type { RenewedToken } from './renew-due.ts';
import { type RenewedTokens, readRenewedTokens, refusalOf, renewedTokenOf } from './renewed-tokens.ts';
import { type Token, tokenExpiry } from './token.ts';
import { DENIED, UnreadableSecretError } from './unreadable-secret.ts';

/**
 * How companies are spread over secrets, so that a worker finds its company without reading every secret. The digits at
 * the end of a secret's name are the first digits of its companies' RUTs: `cfe-lake/companies` may hold any company,
 * `cfe-lake/companies/2140` those whose RUT begins with 2140, and `cfe-lake/companies/214000010019` that one.
 */

const RUT_LENGTH = 12;

/** Every name that a company's secret may have, most specific first. */
export function namesFor(baseName: string, rut: string): string[] {
  const specific = Array.from({ length: RUT_LENGTH }, (_, index) => `${baseName}/${rut.slice(0, index + 1)}`);
  return [baseName, ...specific].reverse();
}

/**
 * The first digits of every RUT in this secret: '' for the base name, 'unusable' if the name is below the base name
 * but doesn't end in digits, undefined if the secret is not ours.
 */
export function beginningOfRuts(baseName: string, secretName: string): string | undefined {
  if (secretName === baseName) return '';
  if (!secretName.startsWith(`${baseName}/`)) return undefined;
  const digits = secretName.slice(baseName.length + 1);
  return /^\d{1,12}$/.test(digits) ? digits : 'unusable';
}

/** The name within a secret's id. The id may be a whole ARN, which ends in a dash and six characters. */
export function nameOfSecret(secretId: string): string {
  return /^arn:[\w-]+:secretsmanager:[\w-]*:\d*:secret:(.+)-\w{6}$/.exec(secretId)?.[1] ?? secretId;
}

/** The companies of an account's secrets, without their tokens. */
export interface CompanyList {
  /** The RUTs in ascending order, each once. */
  ruts: Rut[];
  /** What a person has to fix. These companies are not in `ruts`, but for a RUT in two secrets. */
  problems: CompanyProblem[];
  /** The expiry of each token that gives one, by RUT. */
  expiries: ReadonlyMap<string, Date>;
  /** The companies without a token of their own, by RUT: what the login gave for them. */
  renewed?: ReadonlyMap<string, RenewedToken>;
  /** Why the login gives none any more, if it doesn't. */
  loginProblem?: string;
}

/** The service's maximum. */
const SECRETS_AT_ONCE = 20;

/**
 * Every RUT in the secret of this name and in the secrets below it, for the API at this address. Tokens are dropped
 * as soon as a page of secrets is parsed. Companies without one are those of the login. A fault in one secret or entry becomes a problem of the list. Throws a
 * CfeLakeError if the secrets can't be listed, or there are none.
 */
export async function listCompanies(
  client: SecretsManagerClient,
  baseName: string,
  api?: URL,
  tokensSecret?: string,
): Promise<CompanyList> {
  const found = foundCompanies(baseName, api);
  try {
    await readAll(client, baseName, found);
    // For some minutes, a new secret can be read but is not listed.
    if (!found.hasSecret(baseName)) await readOne(client, baseName, found);
  } catch (error) {
    throw new UnreadableSecretError(baseName, error);
  }
  if (found.isEmpty()) {
    throw new CfeLakeError(`There is no secret named ${baseName}.`, {
      advice:
        `Create it: aws secretsmanager create-secret --name ${baseName} ` +
        '--secret-string file://companies.json',
    });
  }
  if (tokensSecret === undefined) return found.list(undefined);
  if (!found.needsLogin()) return found.list({ tokens: [] });
  return found.list(
    await readRenewedTokens(client, tokensSecret).catch((error: unknown) => {
      // The companies with a token of their own are exported all the same.
      if (error instanceof UnreadableSecretError && error.isOfThisSecret) return error;
      throw error;
    }),
  );
}

async function readAll(client: SecretsManagerClient, baseName: string, found: FoundCompanies): Promise<void> {
  const pages = paginateBatchGetSecretValue(
    { client, pageSize: SECRETS_AT_ONCE },
    { Filters: [{ Key: 'name', Values: [baseName] }] },
  );
  for await (const { SecretValues = [], Errors = [] } of pages) {
    for (const secret of SecretValues) found.add(secret);
    for (const { SecretId = baseName, ErrorCode = 'unknown error' } of Errors) {
      found.addUnreadable(nameOfSecret(SecretId), ErrorCode);
    }
  }
}

async function readOne(client: SecretsManagerClient, name: string, found: FoundCompanies): Promise<void> {
  try {
    found.add(await client.send(new GetSecretValueCommand({ SecretId: name })));
  } catch (error) {
    const { awsCode, isOfThisSecret } = new UnreadableSecretError(name, error);
    if (awsCode === 'ResourceNotFoundException') return;
    if (awsCode === DENIED && !(await isListed(client, name))) return;
    // The companies of the other secrets are exported all the same.
    if (found.isEmpty() || !isOfThisSecret) throw error;
    found.addUnreadable(name, awsCode);
  }
}

async function isListed(client: SecretsManagerClient, name: string): Promise<boolean> {
  const pages = paginateListSecrets({ client }, { Filters: [{ Key: 'name', Values: [name] }] });
  for await (const { SecretList = [] } of pages) {
    if (SecretList.some(({ Name }) => Name === name)) return true;
  }
  return false;
}

/**
 * The companies of one secret. `source` in every problem is the secret's name. A secret whose tokens are for another
 * API yields no companies.
 */
export function parseSecret({ Name = '', SecretString }: SecretValueEntry, api?: URL): ParsedCompanies {
  const source = `secret ${Name}`;
  if (SecretString !== undefined) {
    const parsed = parseCompaniesText(SecretString, source, 'elsewhere');
    if (parsed.api === undefined || api === undefined || addressText(parsed.api) === addressText(api))
      return parsed;
    return unusable(
      source,
      'its "api" is not the stack\'s apiAddress, so its tokens are not used: correct one of the two',
    );
  }
  return unusable(source, 'it holds binary data: store the JSON as text (--secret-string)');
}

/** Collects secrets one by one. Keeps RUTs, problems and expiries, but no token. */
function foundCompanies(baseName: string, api: URL | undefined) {
  const secretNames = new Set<string>();
  const sourceByRut = new Map<Rut, string>();
  const problems: CompanyProblem[] = [];
  const expiries = new Map<string, Date>();
  /** Those without a token of their own. */
  const rutsOfLogin = new Set<Rut>();

  const reasonAgainst = (rut: Rut, beginning: string): string | undefined => {
    if (!rut.startsWith(beginning)) {
      return `this secret is for RUTs that begin with ${beginning}: move the entry to another`;
    }
    const earlier = sourceByRut.get(rut);
    return earlier === undefined ? undefined : `${earlier} has the same RUT: keep one of them`;
  };

  return {
    isEmpty: (): boolean => secretNames.size === 0,
    hasSecret: (name: string): boolean => secretNames.has(name),
    add(secret: SecretValueEntry): void {
      const { Name = '' } = secret;
      const beginning = beginningOfRuts(baseName, Name);
      // The service matches prefixes of names, so it also returns secrets that are not ours.
      if (beginning === undefined || secretNames.has(Name)) return;
      secretNames.add(Name);
      const source = `secret ${Name}`;
      if (beginning === 'unusable') {
        const reason = `its name must be ${baseName}/ and the first digits of the RUTs that it holds`;
        problems.push({ source, reason });
        return;
      }
      const parsed = parseSecret(secret, api);
      problems.push(...parsed.problems);
      for (const { rut, token } of parsed.companies) {
        const reason = reasonAgainst(rut, beginning);
        if (reason === undefined) sourceByRut.set(rut, source);
        else problems.push({ source, entry: parsed.entryByRut.get(rut), rut, reason });
        if (!rut.startsWith(beginning)) continue;
        if (token === undefined && reason === undefined) rutsOfLogin.add(rut);
        const expiry = token && tokenExpiry(token);
        const known = expiries.get(rut);
        // Of a RUT in two secrets, a worker may take either token.
        if (expiry !== undefined && (known === undefined || expiry < known)) expiries.set(rut, expiry);
      }
    },
    addUnreadable(name: string, code: string): void {
      if (beginningOfRuts(baseName, name) === undefined) return;
      secretNames.add(name);
      problems.push({ source: `secret ${name}`, reason: `it could not be read (${code})` });
    },
    needsLogin: (): boolean => rutsOfLogin.size > 0,
    list(given: RenewedTokens | UnreadableSecretError | undefined): CompanyList {
      const known = given instanceof UnreadableSecretError ? undefined : given;
      const renewed = new Map<string, RenewedToken>();
      for (const rut of rutsOfLogin) {
        const token = known && renewedTokenOf(known, rut);
        if (token === undefined) {
          problems.push({ source: sourceByRut.get(rut) ?? '', rut, reason: reasonOf(given, rut) });
          sourceByRut.delete(rut);
        } else {
          renewed.set(rut, token);
          expiries.set(rut, new Date(token.endsAtMs));
        }
      }
      return {
        ruts: [...sourceByRut.keys()].sort(),
        problems: problems.sort(
          (a, b) => a.source.localeCompare(b.source) || (a.entry ?? 0) - (b.entry ?? 0),
        ),
        expiries,
        ...(renewed.size > 0 && { renewed, loginProblem: known && refusalOf(known) }),
      };
    },
  };
}

const NO_TOKEN =
  'the entry has no token, and the login has given none: add one, or see the runbook, "The login failed"';

const NO_LOGIN =
  'the entry has no token, and the stack has no login: add one, or set "login": true (docs/tokens.md) and deploy';

/** Why a company without a token of its own has none. */
function reasonOf(given: RenewedTokens | UnreadableSecretError | undefined, rut: Rut): string {
  if (given === undefined) return NO_LOGIN;
  if (given instanceof UnreadableSecretError) return `the entry has no token, and ${given.message}`;
  const refusal = refusalOf(given, rut);
  return refusal === undefined ? NO_TOKEN : `${NO_TOKEN} (${refusal})`;
}

type FoundCompanies = ReturnType<typeof foundCompanies>;

/** Empty if no name was denied. */
function deniedNote([first, ...moreNames]: readonly string[]): string {
  if (first === undefined) return '';
  const more = moreNames.length === 0 ? '' : ` and ${moreNames.length} more`;
  return (
    ` AWS denied ${nameOfSecret(first)}${more} (${DENIED}), as it does for names that no secret has: if one exists, ` +
    'allow secretsmanager:GetSecretValue on it, and kms:Decrypt on its key.'
  );
}

/** Lengths of the secret names in which this process has found companies. Most accounts use one or two of thirteen. */
export type FoundLengths = Set<number>;

export interface SecretTokenOptions {
  api?: URL;
  /** The secret with the login's tokens, for companies without one of their own. */
  tokensSecret?: string;
  /** What all companies of a process share. Without it every name is tried. */
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
  { api, tokensSecret, foundLengths = new Set() }: SecretTokenOptions = {},
): TokenSource {
  const names = namesFor(baseName, rut);
  let companyName: string | undefined;

  async function read(asked: readonly string[]): Promise<string> {
    const { SecretValues: secrets = [], Errors: errors = [] } = await client
      .send(new BatchGetSecretValueCommand({ SecretIdList: [...asked] }))
      .catch((error: unknown) => {
        throw new UnreadableSecretError(baseName, error);
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
        return (company.token ?? (await tokenOfLogin())).reveal();
      }
      problems.push(...parsed.problems.filter((problem) => problem.rut === undefined || problem.rut === rut));
    }
    const denied = errors.filter(({ ErrorCode }) => ErrorCode === DENIED);
    const failure = errors.find(
      ({ ErrorCode }) => ErrorCode !== DENIED && ErrorCode !== 'ResourceNotFoundException',
    );
    if (failure !== undefined) {
      const name = nameOfSecret(failure.SecretId ?? baseName);
      throw new UnreadableSecretError(name, failure.ErrorCode ?? 'unknown error');
    }
    // The company has no token in any secret that may hold it.
    const reasons = problems.map(describeProblem).join('; ');
    throw new CfeLakeError(
      `RUT ${rut} has no usable entry in the secret ${baseName} or in one whose name is ${baseName}/ and the ` +
        `RUT's first digits${reasons === '' ? '' : ` (${reasons})`}.`,
      {
        advice: `Add it there, then export it again.${deniedNote(denied.map(({ SecretId = '' }) => SecretId))}`,
      },
    );
  }

  async function tokenOfLogin(): Promise<Token> {
    const given = tokensSecret === undefined ? undefined : await readRenewedTokens(client, tokensSecret);
    const found = given && renewedTokenOf(given, rut);
    if (found !== undefined) return found.token;
    throw new CfeLakeError(`RUT ${rut}: ${given === undefined ? NO_LOGIN : NO_TOKEN}.`, {
      advice: 'Then export it again.',
    });
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
