import { parseApiAddress } from '../../api/access.ts';
import { DEFAULT_MAX_ROWS_PER_LIST, DEFAULT_REQUEST_TIMEOUT_MS } from '../../api/client.ts';
import { ConnectionPool } from '../../api/exchange.ts';
import { ApiReach } from '../../api/retry.ts';
import { type ApiSession, openApiSession } from '../../api/session.ts';
import type { Option, Parsed } from '../option.ts';
import { wholeNumber } from '../usage.ts';
import { type Access, API_VARIABLE, askedAccess, INSIDE, INSIDE_SEED } from './access.ts';

export const CONNECTION_OPTIONS = {
  api: {
    kind: 'value',
    placeholder: 'URL',
    help: `address of the API (default: the companies file's "api", else ${API_VARIABLE}, else "${INSIDE}", started inside)`,
  },
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
    help: `how long to wait for an answer (default ${DEFAULT_REQUEST_TIMEOUT_MS})`,
  },
  'max-rows': {
    kind: 'value',
    placeholder: 'N',
    help: `a list with rows past so many is taken to be endless, and fails (default ${DEFAULT_MAX_ROWS_PER_LIST})`,
  },
} as const satisfies Record<string, Option>;

const DEFAULT_CONCURRENCY = 8;

/** The API, open, and the companies to ask it for. */
export interface Connection extends Access {
  session: ApiSession;
  maxInFlight: number;
  close(): Promise<void>;
}

/** Opens what the options say. Throws UsageError, and what askedAccess does. */
export async function openConnection(
  options: Parsed<typeof CONNECTION_OPTIONS>,
  access?: Access,
): Promise<Connection> {
  const maxInFlight =
    options.concurrency === undefined
      ? DEFAULT_CONCURRENCY
      : wholeNumber('concurrency', options.concurrency, 1, 256);
  const requestTimeoutMs =
    options['request-timeout-ms'] === undefined
      ? DEFAULT_REQUEST_TIMEOUT_MS
      : wholeNumber('request-timeout-ms', options['request-timeout-ms'], 1, 3_600_000);
  const maxRows = options['max-rows'];
  const maxRowsPerList =
    maxRows === undefined ? undefined : wholeNumber('max-rows', maxRows, 1, 1_000_000_000);
  const asked = access ?? (await askedAccess(options));
  const sandbox = asked.address === undefined ? await startInside() : undefined;
  const pool = new ConnectionPool();
  return {
    ...asked,
    session: openApiSession({
      address: asked.address ?? parseApiAddress(sandbox?.url ?? ''),
      pool,
      requestTimeoutMs,
      maxRowsPerList,
      reach: new ApiReach(),
    }),
    maxInFlight,
    close: async () => {
      await pool.destroy();
      await sandbox?.close();
    },
  };
}

async function startInside() {
  const { startSandbox } = await import('../../sandbox/sandbox.ts');
  return await startSandbox({ seed: INSIDE_SEED });
}
