import { assertCertificateChecked, NoTokenError, openApiSession, type TokenSource } from '../api/access.ts';
import { Breaker } from '../api/breaker.ts';
import { ConnectionPool } from '../api/connection-pool.ts';
import { type CompaniesFile, companiesError, parseCompanies } from '../companies/company.ts';
import type { LoginPlace } from '../companies/log-in.ts';
import { isSentAlike, type Login, type LoginGiven } from '../companies/login.ts';
import { openLogins } from '../companies/login-tokens.ts';
import type { Token } from '../companies/token.ts';
import { DEFAULT_MAX_DETAILS_PER_UNIT } from '../export/export-tools.ts';
import { writeWithHyparquet } from '../lake/parquet/hyparquet.ts';
import { apiSource, claimedLake } from '../lake/source.ts';
import { withStoreToWrite } from '../lake/store/open-store.ts';
import { exportAndPublish } from '../run/export-and-publish.ts';
import { Mutex } from '../system/concurrency.ts';
import { CfeLakeError, WrongInputError } from '../system/errors.ts';
import { addressText, parseApiAddress } from '../text/api-address.ts';
import { systemClock } from '../time/clock.ts';
import type { Rut } from '../units/rut.ts';
import { DIRECTIONS, type Direction, inOrder, isFailed, planUnits, type UnitResult } from '../units/unit.ts';
import { checked, checkedExportDays, directionsOf, FunctionSchema, SignalSchema, text } from './arguments.ts';

export interface ExportDaysOptions {
  /** The API's base address: https, or http to this machine. */
  api: string;
  /**
   * Whose receipts: companies, each with its token, or with a login that gives tokens; or what a companies file holds,
   * with a login for all. Tokens and passwords are kept in memory alone.
   */
  companies:
    | readonly CompanyGiven[]
    | { api?: string; login?: LoginGiven; companies: readonly CompanyGiven[] };
  /**
   * Called with a refresh token that came anew, and the one that it replaces, before its access token is used; the old one
   * may be void. If it throws, or takes more than 30 seconds, it is called again before that login is asked, and in the end;
   * what is stored nowhere then is told in `problems`, or thrown as a RefreshTokenNotStoredError. Needed with logins that have a refreshToken.
   */
  onRefreshToken?: (refreshToken: string, replaced: string) => void | Promise<void>;
  /** A folder, or `s3://bucket/prefix` with the credentials and region of the environment. */
  lake: string;
  /** First and last issue date, `YYYY-MM-DD`, both included. */
  from: string;
  to: string;
  /** Both by default. */
  directions?: readonly Direction[];
  /** The directions whose receipts are also read whole, one request each; none by default. */
  details?: readonly Direction[];
  /** Ends the export: what was read is kept and published, then the signal's reason is thrown, or is the cause of what is. */
  signal?: AbortSignal;
  /** What is called as each unit ends: how many have, of how many. */
  onProgress?: (progress: { unit: UnitResult; ended: number; total: number }) => void;
}

interface CompanyGiven {
  rut: string;
  token?: string;
  login?: LoginGiven;
  name?: string;
}

export interface ExportedDays {
  /** The run's id in the table exportaciones. */
  runId: string;
  /**
   * One per company, direction and day, in this order. A failed one has an `error`, one whose details failed a
   * `detailReason`.
   */
  units: readonly UnitResult[];
  /**
   * A sentence for each thing that could not be published, for each damaged part of an audit, and for new refresh tokens that
   * onRefreshToken did not store.
   */
  problems: readonly string[];
  /** Whether every unit was exported, every day published, and every new refresh token stored. */
  isComplete: boolean;
}

/** New refresh tokens of these logins are stored nowhere. */
export class RefreshTokenNotStoredError extends CfeLakeError {
  override name = 'RefreshTokenNotStoredError';
  /** `cause`: what ended the export. */
  constructor(whose: readonly string[], cause?: unknown) {
    super(`The new refresh token of ${whose.join(' and of ')} is stored nowhere: onRefreshToken failed.`, {
      advice: 'Get a new one, and store it in place of the old one, which may be void.',
      cause,
    });
  }
}

const MAX_REQUESTS_PER_COMPANY = 8;
/** How long another writer of the folder is waited for. */
const LAKE_WAIT_MS = 600_000;

export async function exportDays({
  signal = new AbortController().signal,
  directions: asked = DIRECTIONS,
  details = [],
  onProgress,
  onRefreshToken,
  ...options
}: ExportDaysOptions): Promise<ExportedDays> {
  const address = parseApiAddress(
    checked('api', text('text, such as https://api.example.com'), options.api),
    'api',
  );
  assertCertificateChecked(address);
  checked('lake', text("text: a folder, or 's3://bucket/prefix'"), options.lake);
  const { companies: givenCompanies } = options;
  const given =
    typeof givenCompanies === 'object' && givenCompanies !== null && 'companies' in givenCompanies
      ? givenCompanies
      : { companies: givenCompanies };
  const { companies, api: theirs, login, problems: wrong } = parseCompanies(given, 'companies');
  if (wrong.length > 0) throw companiesError(wrong);
  if (theirs !== undefined && addressText(theirs) !== addressText(address))
    throw new WrongInputError(
      'The "api" beside the companies is not the api that was given: leave one of them out.',
    );
  checked('value of onRefreshToken', FunctionSchema, onRefreshToken);
  const logins = [login, ...companies.map((company) => company.login)];
  if (onRefreshToken === undefined && logins.some((given) => given?.refreshToken !== undefined))
    throw new WrongInputError(
      'A login has a refreshToken: give onRefreshToken, which stores the one that replaces it.',
    );
  const days = checkedExportDays(options, systemClock.now());
  checked('directions', directionsOf(DIRECTIONS), asked);
  const directions = DIRECTIONS.filter((direction) => asked.includes(direction));
  checked('details', directionsOf(directions), details);
  checked('signal', SignalSchema, signal);
  checked('value of onProgress', FunctionSchema, onProgress);
  const total = companies.length * directions.length * days.length;
  const request = { command: 'exportDays', waitMs: LAKE_WAIT_MS, signal, onWait: () => undefined };
  return await withStoreToWrite(options.lake, request, async (store) => {
    const { placeOf, storeLeft } = inMemory({ companies, login }, onRefreshToken, signal);
    const loginOf = openLogins(login, placeOf, systemClock, signal);
    const pool = new ConnectionPool();
    const askings = new Set<Promise<string>>();
    let ended = 0;
    const work = async () => {
      const run = await exportAndPublish({
        ...(await claimedLake(store, apiSource(address))),
        companies: companies.map((company) => {
          const { rut, token, name } = company;
          const read = async () => token?.reveal() ?? '';
          const source = { current: read, renew: read, companyName: name };
          const tokens = loginOf(company)?.sourceOf(rut, name);
          return { rut, tokens: tokens === undefined ? source : noting(tokens, askings) };
        }),
        unitsOf: (rut: Rut) => planUnits(rut, directions, days),
        session: openApiSession({ address, pool, breaker: new Breaker({ clock: systemClock }) }),
        writer: writeWithHyparquet,
        details: { directions: details, maxPerUnit: DEFAULT_MAX_DETAILS_PER_UNIT },
        maxInFlight: MAX_REQUESTS_PER_COMPANY,
        onUnitEnd: (unit) => {
          ended += 1;
          onProgress?.({ unit, ended, total });
        },
        signal,
      });
      signal.throwIfAborted();
      if (run.fault !== undefined) throw run.fault;
      return run;
    };
    const [outcome] = await Promise.allSettled([work()]);
    // After an abort, a login may still give the next refresh token.
    await Promise.allSettled(askings);
    const lost = await storeLeft();
    await pool.destroy();
    if (outcome.status === 'rejected')
      throw lost.length === 0 ? outcome.reason : new RefreshTokenNotStoredError(lost, outcome.reason);
    const { runId, results, problems: others } = outcome.value;
    const problems = lost.length === 0 ? others : [...others, new RefreshTokenNotStoredError(lost).message];
    const isComplete = problems.length === 0 && !results.some(isFailed);
    return { runId, units: inOrder(results), problems, isComplete };
  });
}

/** The same tokens; each asking is in the set until it has its answer. */
function noting(source: TokenSource, askings: Set<Promise<string>>): TokenSource {
  const noted = async (asking: Promise<string>) => {
    askings.add(asking);
    try {
      return await asking;
    } finally {
      askings.delete(asking);
    }
  };
  return {
    ...source,
    current: () => noted(source.current()),
    renew: (refused) => noted(source.renew(refused)),
  };
}

/** How often one token is tried in vain until nobody waits for it: each wait is a minute, for each list of a company. */
const MOST_IN_VAIN = 3;
/** How often what could not be stored is offered again in the end. */
const LAST_TRIES = 3;
const LAST_PAUSE_MS = 1_000;
/** How long a call of onRefreshToken is waited for; from the end of the export, or its abort, on: all calls. */
const MOST_STORING_MS = 30_000;
/** And each that is begun later than that. */
const LEAST_STORING_MS = 1_000;

/**
 * The logins that a caller gave. Only the caller can store a refresh token for the next time. `storeLeft` offers what could
 * not be stored, and gives the logins whose new one then is stored nowhere.
 */
function inMemory(
  { companies, login: shared }: Pick<CompaniesFile, 'companies' | 'login'>,
  store: ExportDaysOptions['onRefreshToken'],
  signal: AbortSignal,
): { placeOf: (rut?: string) => LoginPlace; storeLeft: () => Promise<string[]> } {
  const logins = new Map<string | undefined, Login | undefined>([
    [undefined, shared],
    ...companies.map(({ rut, login }) => [rut, login] as const),
  ]);
  /** Those that came anew and are stored nowhere yet, each with the text of the one that it replaces. */
  const unstored = new Map<Token, string>();
  // One call at a time: it may well read and write one file with all logins.
  const turn = new Mutex();
  const overtime = new AbortController();
  const end = () => {
    const ended = systemClock.sleep(MOST_STORING_MS, undefined, true);
    void ended.then(() => overtime.abort());
  };
  signal.addEventListener('abort', end, { once: true });
  /** Throws what it throws, or once it takes too long: then it may still end, and has stored the token. */
  const call = async (anew: Token, replaced: string) => {
    const over = new AbortController();
    const stored = async () => {
      await store?.(anew.reveal(), replaced);
      unstored.delete(anew);
    };
    const tooLong = async () => {
      if (overtime.signal.aborted) await systemClock.sleep(LEAST_STORING_MS, over.signal);
      else await systemClock.sleep(MOST_STORING_MS, AbortSignal.any([over.signal, overtime.signal]));
      throw new Error('it takes too long');
    };
    await Promise.race([stored(), tooLong()]).finally(() => over.abort());
  };
  const inVain = new Map<Token, number>();
  const storeIfLeft = (anew: Token) =>
    turn.runExclusive(async () => {
      const replaced = unstored.get(anew);
      if (replaced === undefined) return;
      try {
        await call(anew, replaced);
      } catch {
        const failures = (inVain.get(anew) ?? 0) + 1;
        inVain.set(anew, failures);
        // What the caller's error says may have the token in it.
        throw new NoTokenError(
          'the new refresh token could not be stored: onRefreshToken failed.',
          'It is called again before this login is asked, and in the end.',
          failures > MOST_IN_VAIN ? undefined : { reason: 'failed', isReached: true, isUnstored: true },
        );
      }
    });
  const placeOf = (rut?: string): LoginPlace => ({
    async read() {
      const login = logins.get(rut);
      if (login === undefined) throw new TypeError('only logins that were given are read');
      const { refreshToken } = login;
      if (refreshToken !== undefined && unstored.has(refreshToken)) await storeIfLeft(refreshToken);
      return login;
    },
    async keep(sent, anew) {
      unstored.set(anew, sent.refreshToken?.reveal() ?? '');
      for (const [whose, login] of logins)
        if (login !== undefined && isSentAlike(login, sent))
          logins.set(whose, { ...login, refreshToken: anew });
      await storeIfLeft(anew);
      return true;
    },
  });
  const storeLeft = async () => {
    signal.removeEventListener('abort', end);
    end();
    for (let tries = 1; tries <= LAST_TRIES && unstored.size > 0; tries += 1) {
      await systemClock.sleep(LAST_PAUSE_MS);
      for (const anew of [...unstored.keys()]) await storeIfLeft(anew).catch(() => undefined);
    }
    return [...logins].flatMap(([rut, login]) => {
      if (login?.refreshToken === undefined || !unstored.has(login.refreshToken)) return [];
      return [rut === undefined ? 'the shared login' : `RUT ${rut}`];
    });
  };
  return { placeOf, storeLeft };
}
