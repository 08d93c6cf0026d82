import { addressText, assertCertificateChecked, parseApiAddress } from '../../api/access.ts';
import type { Company } from '../../companies/company.ts';
import { type CompaniesFile, readCompaniesFile } from '../../companies/file.ts';
import { rutProblem } from '../../companies/rut.ts';
import { Token } from '../../companies/token.ts';
import type { RunCompany } from '../../export/company-exporter.ts';
import { apiSource, type LakeSource } from '../../lake/source.ts';
import { didYouMean, nearest } from '../nearest.ts';
import type { Parsed } from '../option.ts';
import { namedRut } from '../typed-word.ts';
import { UsageError } from '../usage.ts';
import type { CONNECTION_OPTIONS } from './connection.ts';
import { DEFAULT_LAKE, SANDBOX_LAKE } from './lake.ts';

/** In place of an address: the sandbox that a command starts inside, also where the environment names an API. */
export const INSIDE = 'sandbox';
/** What the receipts of the sandbox inside are made from. */
export const INSIDE_SEED = 1;
export const API_VARIABLE = 'CFE_LAKE_API';

/** More companies than these are not named in a message. */
const MOST_NAMED = 5;

/** A company that the options name. */
export type AskedCompany = RunCompany & { name?: string; token: Token };

/** Whom the options ask, and for whom; nothing is opened yet. */
export interface Access {
  /** Undefined: a sandbox, to be started inside. */
  address: URL | undefined;
  companies: readonly AskedCompany[];
  source: LakeSource;
  /** The lake where nobody says: one for your companies, another for those of the sandbox. */
  defaultLake: string;
}

type AccessOptions = Pick<Parsed<typeof CONNECTION_OPTIONS>, 'api' | 'companies' | 'rut'>;

/**
 * Reads what the options, the companies file and the environment say. Throws UsageError, CompaniesFileError,
 * InsecureAddressError or UncheckedCertificateError.
 */
export async function askedAccess({ api, companies: path, rut: ruts }: AccessOptions): Promise<Access> {
  const file = path === undefined ? undefined : await readCompaniesFile(path);
  const address = askedAddress(api, file && { ...file, path });
  if (address !== undefined) assertCertificateChecked(address);
  const known = file?.companies ?? (await sandboxCompanies(address));
  return {
    address,
    companies: chosen(known, ruts).map(({ rut, token, name }) => ({
      rut,
      token,
      name,
      tokens: {
        companyName: name,
        current: async () => token.reveal(),
        renew: async () => (await tokenNow(path, file?.api, rut))?.reveal() ?? token.reveal(),
      },
    })),
    source: address === undefined ? { sandbox: { seed: String(INSIDE_SEED) } } : apiSource(address),
    defaultLake: file === undefined ? SANDBOX_LAKE : DEFAULT_LAKE,
  };
}

/** The API that is meant. What is typed goes before the environment; a file's own address goes with its tokens. */
function askedAddress(
  typed: string | undefined,
  file: (CompaniesFile & { path?: string }) | undefined,
): URL | undefined {
  if (typed === INSIDE) {
    if (file === undefined) return undefined;
    throw new UsageError(`--api ${INSIDE} has companies of its own: leave --companies out.`);
  }
  const name = typed === undefined ? API_VARIABLE : '--api';
  // An empty variable is as good as none.
  const text = typed ?? (process.env[API_VARIABLE] || undefined);
  const given = text === undefined ? undefined : parseApiAddress(text, name);
  if (file === undefined) return given;
  if (given === undefined && file.api === undefined) {
    throw new UsageError(
      '--companies takes the address of their API too: add --api https://…, or write "api": "https://…" beside ' +
        `"companies" in the file, or set ${API_VARIABLE}.`,
    );
  }
  if (given !== undefined && file.api !== undefined && addressText(given) !== addressText(file.api)) {
    throw new UsageError(
      `${name} is not the "api" of ${file.path}: nothing was sent. Its tokens are for that one; leave ${name} out, or mend the file.`,
    );
  }
  return given ?? file.api;
}

async function sandboxCompanies(address: URL | undefined): Promise<Company[]> {
  if (address?.protocol === 'https:') {
    throw new UsageError('Which companies? Give a file of RUTs and tokens: --companies FILE');
  }
  const sandbox = await import('../../sandbox/companies.ts');
  return sandbox.sandboxCompanies().map(({ rut, token, name }) => ({ rut, name, token: new Token(token) }));
}

function chosen(known: readonly Company[], ruts: readonly string[] = []): readonly Company[] {
  const missing = ruts.find((rut) => !known.some((company) => company.rut === rut));
  if (missing !== undefined) {
    const names = known.map(({ rut }) => rut);
    const problem = rutProblem(missing);
    const near = nearest(missing.replaceAll(/\D/g, ''), names);
    const some = `known: ${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ' …' : ''}.`;
    throw new UsageError(
      problem === undefined
        ? `There is no company with the RUT ${missing}; ${some}${didYouMean(near)}`
        : `${namedRut(missing)} is no RUT: ${problem}.${didYouMean(near) || ` Those ${some}`}`,
    );
  }
  return known.filter(({ rut }) => ruts.length === 0 || ruts.includes(rut));
}

/** The token that the file gives now: tokens are renewed there while a long export runs. None for another API. */
async function tokenNow(
  path: string | undefined,
  api: URL | undefined,
  rut: string,
): Promise<Token | undefined> {
  if (path === undefined) return undefined;
  const now = await readCompaniesFile(path);
  return now.api?.href === api?.href
    ? now.companies.find((company) => company.rut === rut)?.token
    : undefined;
}
