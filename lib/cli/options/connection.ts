import { parseApiAddress } from '../../api/address.ts';
import { openConnectionPool } from '../../api/connection-pool.ts';
import type { Company } from '../../companies/company.ts';
import { readCompaniesFile } from '../../companies/file.ts';
import { rutProblem } from '../../companies/rut.ts';
import { Token } from '../../companies/token.ts';
import { type ApiSession, openApiSession } from '../../export/company-session.ts';
import type { RunCompany } from '../../export/run.ts';
import { didYouMean, nearest } from '../nearest.ts';
import type { Option, Parsed } from '../option.ts';
import { namedRut } from '../typed-word.ts';
import { UsageError, wholeNumber } from '../usage.ts';

export const CONNECTION_OPTIONS = {
  api: { kind: 'value', placeholder: 'URL', help: 'address of the API (default: a sandbox, started inside)' },
  companies: {
    kind: 'value',
    placeholder: 'FILE',
    help: 'JSON file of RUTs and tokens (default: those of the sandbox)',
    path: 'file',
    holdsTokens: true,
  },
  rut: { kind: 'values', placeholder: 'RUT', help: 'only this company; may be repeated' },
  concurrency: { kind: 'value', placeholder: 'N', help: 'requests in flight of one company (default 8)' },
  'request-timeout-ms': {
    kind: 'value',
    placeholder: 'N',
    help: 'how long to wait for an answer (default 30000)',
  },
} as const satisfies Record<string, Option>;

/** More companies than these are not named in a message. */
const MOST_NAMED = 5;
const DEFAULT_CONCURRENCY = 8;
const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;

/** A company that the options name. */
export type AskedCompany = RunCompany & { name?: string; token: Token };

/** The API, open, and the companies to ask it for. */
export interface Connection {
  session: ApiSession;
  companies: readonly AskedCompany[];
  maxInFlight: number;
  /** Whether the API is a sandbox started inside. */
  isSandbox: boolean;
  close(): Promise<void>;
}

/** Opens what the options say. Throws UsageError, CompaniesFileError or InsecureAddressError. */
export async function openConnection(options: Parsed<typeof CONNECTION_OPTIONS>): Promise<Connection> {
  const maxInFlight =
    options.concurrency === undefined
      ? DEFAULT_CONCURRENCY
      : wholeNumber('concurrency', options.concurrency, 1, 256);
  const requestTimeoutMs =
    options['request-timeout-ms'] === undefined
      ? DEFAULT_REQUEST_TIMEOUT_MS
      : wholeNumber('request-timeout-ms', options['request-timeout-ms'], 1, 3_600_000);
  const companies = await askedCompanies(options);
  const sandbox =
    options.api === undefined ? await (await import('../../sandbox/sandbox.ts')).startSandbox() : undefined;
  const dispatcher = openConnectionPool();
  return {
    session: openApiSession({
      address: parseApiAddress(sandbox?.url ?? options.api ?? ''),
      dispatcher,
      requestTimeoutMs,
    }),
    companies,
    maxInFlight,
    isSandbox: sandbox !== undefined,
    close: async () => {
      await dispatcher.destroy();
      await sandbox?.close();
    },
  };
}

/** The companies that the options name; the API is not opened. Throws UsageError or CompaniesFileError. */
export async function askedCompanies({
  api,
  companies: file,
  rut: ruts,
}: Pick<Parsed<typeof CONNECTION_OPTIONS>, 'api' | 'companies' | 'rut'>): Promise<AskedCompany[]> {
  return chosen(await knownCompanies(api, file), ruts).map(({ rut, token, name }) => ({
    rut,
    token,
    name,
    tokens: {
      current: async () => token.reveal(),
      renew: async () => (await tokenNow(file, rut))?.reveal() ?? token.reveal(),
    },
  }));
}

async function knownCompanies(api: string | undefined, file: string | undefined): Promise<Company[]> {
  if (file !== undefined) return await readCompaniesFile(file);
  if (api !== undefined && parseApiAddress(api).protocol === 'https:') {
    throw new UsageError('Which companies? Give a file of RUTs and tokens: --companies FILE');
  }
  const { sandboxCompanies } = await import('../../sandbox/companies.ts');
  return sandboxCompanies().map(({ rut, token, name }) => ({ rut, name, token: new Token(token) }));
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

/** The token that the file gives now; tokens are renewed there while a long export runs. */
async function tokenNow(file: string | undefined, rut: string): Promise<Token | undefined> {
  if (file === undefined) return undefined;
  return (await readCompaniesFile(file)).find((company) => company.rut === rut)?.token;
}
