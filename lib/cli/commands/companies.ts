import { companyClient } from '../../api/client.ts';
import { ApiError, UnauthorizedError } from '../../api/errors.ts';
import { windowOf } from '../../api/list/page.ts';
import { apiPages, newTally } from '../../api/list/page-request.ts';
import { tokenExpiry } from '../../companies/company.ts';
import { PROGRAM } from '../../program.ts';
import { printableLine, STYLES } from '../../text/terminal.ts';
import { textTable } from '../../text/text-table.ts';
import { addDays, DAY_MS, uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { defineCommand } from '../command.ts';
import { companiesText, withoutContext } from '../export-report.ts';
import type { Parsed } from '../option.ts';
import {
  askedAccess,
  CONNECTION_OPTIONS,
  type Connection,
  noteSandbox,
  withConnection,
} from '../options/connection.ts';
import { optionWords } from './export.ts';

export const companiesCommand = defineCommand({
  words: '<check>',
  choices: ['check'],
  options: CONNECTION_OPTIONS,
  examples: ['companies check', 'companies check --api https://api.example.com --companies companies.json'],
  run: async (options, _words, terminal) => {
    const access = await askedAccess(options);
    noteSandbox(access, terminal);
    return await withConnection(options, access, async (connection) => {
      const checks = await Promise.all(
        connection.companies.map((company) => check(company, connection, terminal.signal)),
      );
      const rows = checks.map(({ rut, name, state, expiry }) => [
        rut,
        name,
        ANSWERS[state],
        expiry === undefined ? 'unknown' : uruguayDateTime(expiry.getTime()),
      ]);
      const { columns, paint } = terminal.stdout;
      const table = textTable(
        ['rut', 'company', 'token', 'expires (Uruguay)'],
        rows,
        ['left', 'left', 'left', 'right'],
        {
          droppableLast: ['company'],
          columns,
          paintCell: (text, heading) =>
            heading === 'token' ? paint(text === ANSWERS.works ? STYLES.good : STYLES.failure, text) : text,
        },
      );
      const advice = adviceLines(checks, options, connection.session.clock.now());
      terminal.stdout.writeColoured(`${[table, '', ...advice].join('\n')}\n`);
      return checks.every(({ state }) => state === 'works') ? 0 : 1;
    });
  },
});

const ANSWERS = { works: 'works', refused: 'refused: renew it', unknown: 'not tried' } as const;
/** A token that expires within this many days should be renewed soon. */
const SOON_DAYS = 14;

interface Check {
  rut: string;
  name: string;
  state: keyof typeof ANSWERS;
  /** Undefined if the token gives none. */
  expiry: Date | undefined;
  /** Why it is not known whether the token works. */
  reason?: string;
}

/** Asks for one row of yesterday. It tests the token, so the list may be empty. */
async function check(
  { rut, name = '', token, tokens }: Connection['companies'][number],
  { session, maxInFlight }: Connection,
  signal: AbortSignal,
): Promise<Check> {
  const expiry = tokenExpiry(token);
  const yesterday = addDays(uruguayDay(session.clock.now()), -1);
  const client = companyClient(session, rut, tokens, maxInFlight);
  const filters = { FechaDesde: yesterday, FechaHasta: yesterday };
  try {
    await apiPages(client, 'recibidos', filters, newTally(), signal).read(windowOf(1, 1));
    return { rut, name, expiry, state: 'works' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof UnauthorizedError) return { rut, name, expiry, state: 'refused' };
    const reason = withoutContext(`${error.whatHappened} ${error.remedy}`);
    return { rut, name, expiry, state: 'unknown', reason };
  }
}

/** What to do next, for each outcome that occurred. */
function adviceLines(
  checks: readonly Check[],
  options: Parsed<typeof CONNECTION_OPTIONS>,
  nowMs: number,
): string[] {
  const { works = [], refused = [], unknown = [] } = Object.groupBy(checks, ({ state }) => state);
  const command = (name: string) => `  ${[PROGRAM, name, ...optionWords(options)].join(' ')}`;
  const soon = works.filter(
    ({ expiry }) => expiry !== undefined && expiry.getTime() < nowMs + SOON_DAYS * DAY_MS,
  );
  const place = options.companies ?? 'the companies file';
  return [
    ...(refused.length > 0
      ? [`The API refused the token of ${rutsOf(refused)}: get a new one and write it into ${place}.`]
      : []),
    ...new Set(unknown.map(({ reason = '' }) => reason)),
    ...(unknown.length > 0 ? [`The token of ${rutsOf(unknown)} could not be tried.`] : []),
    ...(soon.length > 0
      ? [`Renew soon: the token of ${rutsOf(soon)} expires within ${SOON_DAYS} days.`]
      : []),
    ...(works.length === checks.length
      ? ['All tokens work. Export the receipts of yesterday:', command('export')]
      : ['Then check again:', command('companies check')]),
  ].map(printableLine);
}

function rutsOf(checks: readonly Check[]): string {
  return companiesText(checks.map(({ rut }) => rut));
}
