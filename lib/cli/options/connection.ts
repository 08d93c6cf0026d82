import {
  type ApiSession,
  assertCertificateChecked,
  DEFAULT_MAX_ROWS_PER_LIST,
  DEFAULT_REQUEST_TIMEOUT_MS,
  openApiSession,
} from '../../api/access.ts';
import { Breaker, type Wait } from '../../api/breaker.ts';
import { type ApiClient, companyClient } from '../../api/client.ts';
import { ConnectionPool } from '../../api/connection-pool.ts';
import { type CompaniesFile, type Company, readCompaniesFile } from '../../companies/company.ts';
import type { Login } from '../../companies/login.ts';
import type { LoginTokens } from '../../companies/login-tokens.ts';
import { Token } from '../../companies/token.ts';
import type { RunCompany } from '../../export/export-tools.ts';
import { apiSource, type LakeSource } from '../../lake/source.ts';
import { WrongInputError } from '../../system/errors.ts';
import { ENDING } from '../../system/under-way.ts';
import { addressText, parseApiAddress } from '../../text/api-address.ts';
import { joined, type Localized } from '../../text/language.ts';
import { nearest } from '../../text/typed-words.ts';
import { systemClock } from '../../time/clock.ts';
import { isValidRut } from '../../units/rut.ts';
import { flag, oneValue, type Parsed, type Terminal, tokensFile, wholeNumber } from '../command.ts';
import { OPTION } from '../phrases/options.ts';
import { DEFAULT_LAKE, SANDBOX_LAKE } from './lake.ts';
import { notARut, RUTS_OPTION } from './units.ts';

const INSIDE_SEED = 1;
const API_VARIABLE = 'CFE_LAKE_API';
/** A message names at most this many companies. */
const MOST_NAMED = 5;

export interface AccessCompany extends RunCompany {
  name: string | undefined;
  token: Token | undefined;
  login: LoginTokens | undefined;
}

/** The API and the companies that the options name; nothing is opened yet. */
export interface Access {
  /** The built-in sandbox, still to be started, has none. */
  address: URL | undefined;
  companies: readonly AccessCompany[];
  /** The login of companies that have neither a token nor a login of their own. */
  login?: Login | undefined;
  source: LakeSource;
  /** One for your companies, another for those of the sandbox. */
  defaultLake: string;
}

/** The API and the companies in the options, the companies file and the environment. Throws WrongInputError. */
export async function askedAccess({
  api: typed,
  sandbox: isFlagged = false,
  companies: path,
  rut: ruts,
}: Parsed<Pick<typeof CONNECTION_OPTIONS, 'api' | 'sandbox' | 'companies' | 'rut'>>): Promise<Access> {
  // `--api sandbox` is the same as --sandbox.
  const isSandbox = isFlagged || typed === 'sandbox';
  const api = typed === 'sandbox' ? undefined : typed;
  if (isSandbox && api !== undefined) throw new WrongInputError(OPTION.apiOrSandbox());
  if (isSandbox && path !== undefined) throw new WrongInputError(OPTION.sandboxHasCompanies());
  const file = path === undefined ? undefined : await readCompaniesFile(path);
  const address = isSandbox ? undefined : askedAddress(api, file && { ...file, path });
  if (address !== undefined) assertCertificateChecked(address);
  const known = file?.companies ?? (await sandboxCompanies(address));
  const hasLogins = file?.login !== undefined || known.some(({ login }) => login !== undefined);
  const loginOf = hasLogins ? await openLoginsOf(file, path) : () => undefined;
  return {
    address,
    companies: chosen(known, ruts).map((company) => accessOf(company, loginOf(company), path, file?.api)),
    login: file?.login,
    source: address === undefined ? { sandbox: { seed: String(INSIDE_SEED) } } : apiSource(address),
    defaultLake: file === undefined ? SANDBOX_LAKE : DEFAULT_LAKE,
  };
}

/** The module is loaded only for files that have a login. */
async function openLoginsOf(file: CompaniesFile | undefined, path = '') {
  const [{ loginInFile }, { openLogins }] = await Promise.all([
    import('../../companies/login-file.ts'),
    import('../../companies/login-tokens.ts'),
  ]);
  return openLogins(file?.login, (rut) => loginInFile(path, file?.api, rut), systemClock, ENDING);
}

function accessOf(
  { rut, token, name }: Company,
  login: LoginTokens | undefined,
  path: string | undefined,
  api: URL | undefined,
): AccessCompany {
  const tokensOfFile = {
    companyName: name,
    current: async () => token?.reveal() ?? '',
    renew: async () => ((await tokenNow(path, api, rut)) ?? token)?.reveal() ?? '',
  };
  return { rut, token, name, login, tokens: login?.sourceOf(rut, name) ?? tokensOfFile };
}

/** The API's address. The command line overrides the environment; a file's own address belongs to its tokens. */
function askedAddress(
  typed: string | undefined,
  file: (CompaniesFile & { path?: string }) | undefined,
): URL | undefined {
  const name = typed === undefined ? API_VARIABLE : '--api';
  // An empty variable counts as unset.
  const text = typed ?? (process.env[API_VARIABLE] || undefined);
  const given = text === undefined ? undefined : parseApiAddress(text, name);
  if (file === undefined) return given;
  if (given === undefined && file.api === undefined) {
    throw new WrongInputError(OPTION.addressMissing(API_VARIABLE));
  }
  if (given !== undefined && file.api !== undefined && addressText(given) !== addressText(file.api)) {
    throw new WrongInputError(OPTION.otherAddress(name, file.path ?? ''));
  }
  return given ?? file.api;
}

/** Says that receipts are invented, if they are, once nothing is wrong with the command. */
export function noteSandbox({ address }: Access, { stderr }: Pick<Terminal, 'stderr'>): void {
  if (address === undefined) stderr.say(OPTION.inventedReceipts());
}

async function sandboxCompanies(address: URL | undefined): Promise<Company[]> {
  if (address?.protocol === 'https:') throw new WrongInputError(OPTION.whichCompanies());
  const sandbox = await import('../../../sandbox/generator/parties.ts');
  return sandbox.sandboxCompanies().map(({ rut, token, name }) => ({ rut, name, token: new Token(token) }));
}

function chosen(known: readonly Company[], ruts: readonly string[] = []): readonly Company[] {
  const missing = ruts.find((rut) => !known.some((company) => company.rut === rut));
  if (missing !== undefined) {
    const names = known.map(({ rut }) => rut);
    const near = nearest(missing.replaceAll(/\D/g, ''), names);
    if (!isValidRut(missing)) throw notARut(missing, near, OPTION.thoseKnown(fewOf(names)));
    const meant = near === undefined ? [] : [OPTION.meant(near)];
    throw new WrongInputError(joined([OPTION.noCompany(missing, fewOf(names)), ...meant], ''));
  }
  return known.filter(({ rut }) => ruts.length === 0 || ruts.includes(rut));
}

export function fewOf(ruts: readonly string[]): string {
  return `${ruts.slice(0, MOST_NAMED).join(', ')}${ruts.length > MOST_NAMED ? ' …' : ''}`;
}

/** The token in the file now: tokens are renewed there while a long export runs. None if the file is for another API. */
async function tokenNow(path: string | undefined, api: URL | undefined, rut: string) {
  const now = path === undefined ? undefined : await readCompaniesFile(path);
  return now?.api?.href === api?.href
    ? now?.companies.find((company) => company.rut === rut)?.token
    : undefined;
}

const DEFAULT_CONCURRENCY = 8;

export const CONNECTION_OPTIONS = {
  api: oneValue('URL', OPTION.api(API_VARIABLE)),
  companies: tokensFile(OPTION.companies()),
  sandbox: flag(OPTION.sandbox()),
  ...RUTS_OPTION,
  concurrency: wholeNumber(1, 256, OPTION.concurrency(DEFAULT_CONCURRENCY)),
  'request-timeout-ms': wholeNumber(1, 3_600_000, OPTION.requestTimeout(DEFAULT_REQUEST_TIMEOUT_MS)),
  'max-requests-per-second': wholeNumber(1, 1_000, OPTION.maxRequests()),
  'max-rows': wholeNumber(1, 10 ** 9, OPTION.maxRows(DEFAULT_MAX_ROWS_PER_LIST)),
};

export interface Connection extends Access {
  session: ApiSession;
  maxInFlight: number;
}

/** Opens the API that the options name, and closes it after the work. With `waits`, for one that stops answering. */
export async function withConnection<T>(
  options: Parsed<typeof CONNECTION_OPTIONS>,
  access: Access,
  terminal: Pick<Terminal, 'stderr'>,
  work: (connection: Connection) => Promise<T>,
  { waits }: { waits: boolean } = { waits: false },
): Promise<T> {
  noteSandbox(access, terminal);
  const sandbox = access.address === undefined ? await startInside() : undefined;
  const pool = new ConnectionPool();
  try {
    const session = openApiSession({
      address: access.address ?? parseApiAddress(sandbox?.url ?? ''),
      pool,
      requestTimeoutMs: options['request-timeout-ms'],
      maxRowsPerList: options['max-rows'],
      maxRequestsPerSecond: options['max-requests-per-second'],
      breaker: new Breaker({
        clock: systemClock,
        mostTries: waits ? undefined : 0,
        onWait: (wait) => terminal.stderr.writeProblem(waitText(wait)),
      }),
    });
    return await work({ ...access, session, maxInFlight: options.concurrency ?? DEFAULT_CONCURRENCY });
  } finally {
    await pool.destroy();
    await sandbox?.close();
  }
}

function waitText({ fault, delayMs, tryNumber, mostTries, isRefusal }: Wait): Localized {
  return OPTION.waitingForApi(fault, isRefusal, Math.round(delayMs / 1000), tryNumber, mostTries);
}

async function startInside() {
  const { startSandbox } = await import('../../../sandbox/sandbox.ts');
  return await startSandbox({ seed: INSIDE_SEED });
}

const { concurrency: _one, 'max-rows': _few, ...ONE_REQUEST_OPTIONS } = CONNECTION_OPTIONS;

/** Options of commands that ask the API for one company, one request at a time. */
export const ONE_COMPANY_OPTIONS = { ...ONE_REQUEST_OPTIONS, rut: oneValue('RUT', 'whose receipts') };

/** Opens the API for the company that the options name, and closes it after the work. Throws WrongInputError. */
export async function withOneCompany<T>(
  { rut, ...accessOptions }: Parsed<typeof ONE_COMPANY_OPTIONS>,
  terminal: Pick<Terminal, 'stderr'>,
  work: (client: ApiClient) => Promise<T>,
): Promise<T> {
  const options = { ...accessOptions, rut: rut === undefined ? undefined : [rut] };
  const asked = await askedAccess(options);
  const [company, secondCompany] = asked.companies;
  if (company === undefined || secondCompany !== undefined) {
    const known = fewOf(asked.companies.map(({ rut }) => rut));
    throw new WrongInputError(OPTION.whoseReceipts(known));
  }
  // What a person asks for at once fails at once.
  return await withConnection(options, asked, terminal, ({ session }) =>
    work(companyClient({ ...session, breaker: undefined }, company.rut, company.tokens, 1)),
  );
}
