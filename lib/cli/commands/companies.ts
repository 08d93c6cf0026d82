import { ApiError, UnauthorizedError } from '../../api/errors.ts';
import { windowOf } from '../../api/list/page.ts';
import { ApiPageSource, newTally } from '../../api/list/page-request.ts';
import { tokenExpiry } from '../../companies/token-expiry.ts';
import { companyClient } from '../../export/company-session.ts';
import { STYLES } from '../../text/colour.ts';
import { textTable } from '../../text/text-table.ts';
import { addDays, uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { defineCommand } from '../command.ts';
import { withoutContext } from '../failed-units.ts';
import { CONNECTION_OPTIONS, type Connection, openConnection } from '../options/connection.ts';

export const companiesCommand = defineCommand({
  name: 'companies',
  summary: 'check: which tokens work, and when each expires.',
  argument: 'check',
  argumentChoices: ['check'],
  options: CONNECTION_OPTIONS,
  examples: ['companies check', 'companies check --api https://api.example.com --companies companies.json'],
  run: async (options, _words, terminal) => {
    const connection = await openConnection(options);
    try {
      const checks = await Promise.all(
        connection.companies.map((company) => check(company, connection, terminal.signal)),
      );
      const rows = checks.map(({ rut, name, answer, expiry }) => [rut, name, answer, expiry]);
      const reasons = new Set(checks.flatMap(({ reason }) => reason ?? []));
      const { columns, paint } = terminal.stdout;
      const table = textTable(['rut', 'company', 'token', 'expires (Uruguay)'], rows, [], {
        columns,
        paintCell: (text, heading) =>
          heading === 'token' ? paint(text === WORKS ? STYLES.good : STYLES.failure, text) : text,
      });
      terminal.stdout.writeColoured(`${[table, ...(reasons.size > 0 ? [''] : []), ...reasons].join('\n')}\n`);
      return checks.every(({ isGood }) => isGood) ? 0 : 1;
    } finally {
      await connection.close();
    }
  },
});

const WORKS = 'works';

interface Check {
  rut: string;
  name: string;
  answer: string;
  expiry: string;
  isGood: boolean;
  /** Why it is not known whether the token works. */
  reason?: string;
}

/** Asks for one row of yesterday: whatever the list holds, the token is what is tried. */
async function check(
  { rut, name = '', token, tokens }: Connection['companies'][number],
  { session, maxInFlight }: Connection,
  signal: AbortSignal,
): Promise<Check> {
  const expiry = tokenExpiry(token);
  const expiryText = expiry === undefined ? 'not said' : uruguayDateTime(expiry.getTime());
  const refused = { rut, name, expiry: expiryText, isGood: false };
  const yesterday = addDays(uruguayDay(session.clock.now()), -1);
  const client = companyClient(session, rut, tokens, maxInFlight);
  const filters = { FechaDesde: yesterday, FechaHasta: yesterday };
  try {
    await new ApiPageSource(client, 'recibidos', filters, newTally(), signal).read(windowOf(1, 1));
    return { rut, name, answer: WORKS, expiry: expiryText, isGood: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof UnauthorizedError) return { ...refused, answer: 'refused: renew it' };
    return { ...refused, answer: 'not tried', reason: withoutContext(error.message) };
  }
}
