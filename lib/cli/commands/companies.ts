import { companyClient } from '../../api/client.ts';
import { ApiError, UnauthorizedError } from '../../api/errors.ts';
import { apiPages } from '../../api/list/api-pages.ts';
import { windowOf } from '../../api/list/page.ts';
import { LoginRefusedError } from '../../companies/ask-token.ts';
import { problemInAws } from '../../companies/login.ts';
import type { LoginTokens } from '../../companies/login-tokens.ts';
import { tokenExpiry } from '../../companies/token.ts';
import { PROGRAM } from '../../system/program.ts';
import type { Language } from '../../text/language.ts';
import { printableLine } from '../../text/terminal.ts';
import { textTable } from '../../text/text-table.ts';
import { addDays, DAY_MS, uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { defineCommand, type Parsed, type Terminal } from '../command.ts';
import { companiesText, withoutContext } from '../export-report.ts';
import { askedAccess, CONNECTION_OPTIONS, type Connection, withConnection } from '../options/connection.ts';
import { COMPANIES, SAY } from '../phrases/companies.ts';
import { retold } from '../phrases/retold.ts';
import { optionWords } from './export.ts';

export const companiesCommand = defineCommand({
  words: '<check>',
  choices: ['check'],
  options: CONNECTION_OPTIONS,
  examples: ['companies check', 'companies check --api https://api.example.com --companies companies.json'],
  run: async (options, _words, terminal) => ((await checkTokens(options, terminal)).areAllValid ? 0 : 1),
});

/** Tells of each company whether its token works. */
export async function checkTokens(
  options: Parsed<typeof CONNECTION_OPTIONS>,
  terminal: Terminal,
): Promise<{ areAllValid: boolean; refusedRuts: readonly string[] }> {
  const access = await askedAccess(options);
  const loginCount = access.companies.filter(({ token }) => token === undefined).length;
  const problem = access.login && problemInAws(access.login, loginCount);
  if (problem !== undefined) terminal.stderr.writeWarning(SAY.refusedInAws(problem));
  return await withConnection(options, access, terminal, async (connection) => {
    const checks = await Promise.all(
      connection.companies.map((company) => check(company, connection, terminal)),
    );
    const { columns, language } = terminal.stdout;
    const say = COMPANIES[language];
    const rows = checks.map(({ rut, name, state, expiry, login }) => [
      rut,
      name,
      login !== undefined && state === 'refused' ? say.refusedLogin() : say[state](),
      expiry === undefined ? say.unknownEnd() : uruguayDateTime(expiry.getTime()),
    ]);
    const table = textTable(
      ['rut', say.company(), 'token', say.expires()],
      rows,
      ['left', 'left', 'left', 'right'],
      { droppableLast: [say.company()], columns },
    );
    const advice = adviceLines(checks, options, connection.session.clock.now(), language);
    terminal.stdout.writeColoured(`${[table, '', ...advice].join('\n')}\n`);
    return {
      areAllValid: checks.every(({ state }) => state === 'works'),
      refusedRuts: checks.flatMap(({ rut, isLoginRefused }) => (isLoginRefused === true ? [rut] : [])),
    };
  });
}

const SOON_DAYS = 14;

interface Check {
  rut: string;
  name: string;
  state: 'works' | 'refused' | 'unknown';
  /** The token's end, if it gives one. */
  expiry: Date | undefined;
  /** The login that gave the token. */
  login: LoginTokens | undefined;
  /** Why it is not known whether the token works. */
  reason?: string;
  isLoginRefused?: boolean;
}

/** Asks for one row of yesterday. It tests the token, so the list may be empty. */
async function check(
  { rut, name = '', token, tokens, login }: Connection['companies'][number],
  { session, maxInFlight }: Connection,
  { signal, stdout: { language } }: Terminal,
): Promise<Check> {
  const about = () => {
    const expiry = token === undefined ? login?.endOf(rut) : tokenExpiry(token);
    return { rut, name, login, expiry };
  };
  const yesterday = addDays(uruguayDay(session.clock.now()), -1);
  const client = companyClient(session, rut, tokens, maxInFlight);
  const filters = { FechaDesde: yesterday, FechaHasta: yesterday };
  try {
    await apiPages(client, 'recibidos', filters, { signal }).read(windowOf(1, 1));
    return { ...about(), state: 'works' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof UnauthorizedError) return { ...about(), state: 'refused' };
    const reason = retold(withoutContext(error.saidWithRemedy(language)), language);
    const { cause } = error;
    const isLoginRefused = cause instanceof LoginRefusedError && cause.refused !== 'scope';
    return { ...about(), state: 'unknown', reason, isLoginRefused };
  }
}

/** What to do next, for each outcome that occurred. */
function adviceLines(
  checks: readonly Check[],
  options: Parsed<typeof CONNECTION_OPTIONS>,
  nowMs: number,
  language: Language,
): string[] {
  const say = COMPANIES[language];
  const { works = [], refused = [], unknown = [] } = Object.groupBy(checks, ({ state }) => state);
  const soonMs = nowMs + SOON_DAYS * DAY_MS;
  const soon = works.filter(
    ({ expiry, login }) => login === undefined && expiry !== undefined && expiry.getTime() < soonMs,
  );
  const { token: refusedTokens = [], login: refusedLogins = [] } = Object.groupBy(refused, ({ login }) =>
    login === undefined ? 'token' : 'login',
  );
  const place = options.companies ?? say.companiesFile();
  const linesFor = (group: readonly Check[], line: (ruts: string) => string) =>
    group.length === 0
      ? []
      : [
          line(
            companiesText(
              group.map(({ rut }) => rut),
              language,
            ),
          ),
        ];
  const [next, command] =
    works.length === checks.length ? [say.allWork(), 'export'] : [say.thenCheck(), 'companies check'];
  return [
    ...loginLines(checks, language),
    ...linesFor(refusedLogins, say.loginsToken),
    ...linesFor(refusedTokens, (ruts) => say.token(ruts, place)),
    ...new Set(unknown.map(({ reason = '' }) => reason)),
    ...linesFor(unknown, say.notTried),
    ...linesFor(soon, (ruts) => say.soon(ruts, SOON_DAYS)),
    next,
    `  ${[PROGRAM, command, ...optionWords(options)].join(' ')}`,
  ].map(printableLine);
}

/** A line for each login that gave tokens: until when they are valid, and for how many companies the API answered. */
export function loginLines(
  checks: readonly Pick<Check, 'rut' | 'login' | 'expiry' | 'state'>[],
  language: Language = 'en',
): string[] {
  const byLogin = Map.groupBy(
    checks.filter(({ login, expiry }) => login !== undefined && expiry !== undefined),
    ({ login }) => login,
  );
  return [...byLogin.values()].map((checksOfLogin) => {
    const firstEndMs = Math.min(
      ...checksOfLogin.map(({ expiry }) => expiry?.getTime() ?? Number.POSITIVE_INFINITY),
    );
    const answered = checksOfLogin.filter(({ state }) => state === 'works').length;
    return COMPANIES[language].loginWorks(uruguayDateTime(firstEndMs), answered, checksOfLogin.length);
  });
}
