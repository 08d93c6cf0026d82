import type { ApiClient } from '../../api/client.ts';
import { companyClient } from '../../api/session.ts';
import type { Option, Parsed } from '../option.ts';
import { UsageError } from '../usage.ts';
import { CONNECTION_OPTIONS, openConnection } from './connection.ts';

/** Of commands that ask the API for one company, one request after the other. */
export const ONE_COMPANY_OPTIONS = {
  rut: { kind: 'value', placeholder: 'RUT', help: 'whose receipts' },
  api: CONNECTION_OPTIONS.api,
  companies: CONNECTION_OPTIONS.companies,
  'request-timeout-ms': CONNECTION_OPTIONS['request-timeout-ms'],
} as const satisfies Record<string, Option>;

/** More companies than these are not named in a message. */
const MOST_NAMED = 5;

/** Opens the API for the company that the options name, and closes it after the work. Throws what openConnection does. */
export async function withOneCompany<T>(
  { rut, ...options }: Parsed<typeof ONE_COMPANY_OPTIONS>,
  work: (client: ApiClient) => Promise<T>,
): Promise<T> {
  const connection = await openConnection({ ...options, rut: rut === undefined ? undefined : [rut] });
  try {
    const { companies, session } = connection;
    const [company, other] = companies;
    if (company === undefined || other !== undefined) {
      const ruts = companies.map((known) => known.rut);
      const some = `${ruts.slice(0, MOST_NAMED).join(', ')}${ruts.length > MOST_NAMED ? ' …' : ''}`;
      throw new UsageError(`Whose receipts? Add --rut RUT; known: ${some}.`);
    }
    return await work(companyClient(session, company.rut, company.tokens, 1));
  } finally {
    await connection.close();
  }
}
