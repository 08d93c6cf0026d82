import { assertCertificateChecked, openApiSession } from '../api/access.ts';
import { Breaker } from '../api/breaker.ts';
import { ConnectionPool } from '../api/connection-pool.ts';
import { companiesError, parseCompanies } from '../companies/company.ts';
import { DEFAULT_MAX_DETAILS_PER_UNIT } from '../export/export-tools.ts';
import { writeWithHyparquet } from '../lake/parquet/hyparquet.ts';
import { apiSource, claimedLake } from '../lake/source.ts';
import { withStoreToWrite } from '../lake/store/open-store.ts';
import { exportAndPublish } from '../run/export-and-publish.ts';
import { parseApiAddress } from '../text/api-address.ts';
import { systemClock } from '../time/clock.ts';
import type { Rut } from '../units/rut.ts';
import { DIRECTIONS, type Direction, inOrder, isFailed, planUnits, type UnitResult } from '../units/unit.ts';
import { checked, checkedExportDays, directionsOf, FunctionSchema, SignalSchema, text } from './arguments.ts';

export interface ExportDaysOptions {
  /** The API's base address: https, or http to this machine. */
  api: string;
  /** Whose receipts, each company with its token, which is kept in memory alone. */
  companies: readonly { rut: string; token: string; name?: string }[];
  /** A folder, or `s3://bucket/prefix` with the credentials and region of the environment. */
  lake: string;
  /** First and last issue date, `YYYY-MM-DD`, both included. */
  from: string;
  to: string;
  /** Both by default. */
  directions?: readonly Direction[];
  /** Of which directions receipts are also read whole, one request each; of none by default. */
  details?: readonly Direction[];
  /** Ends the export: what was read is kept and published, then the signal's reason is thrown. */
  signal?: AbortSignal;
  /** Called as each unit ends: how many have, of how many. */
  onProgress?: (progress: { unit: UnitResult; ended: number; total: number }) => void;
}

export interface ExportedDays {
  /** The run's id in the table exportaciones. */
  runId: string;
  /**
   * One per company, direction and day, in this order. A failed one has an `error`, one whose details failed a
   * `detailReason`.
   */
  units: readonly UnitResult[];
  /** A sentence for each thing that could not be published, and for each damaged part of an audit. */
  problems: readonly string[];
  /** Whether every unit was exported, and every day published. */
  isComplete: boolean;
}

const MAX_REQUESTS_PER_COMPANY = 8;
/** For another writer of the folder. */
const LAKE_WAIT_MS = 600_000;

export async function exportDays({
  signal = new AbortController().signal,
  directions: given = DIRECTIONS,
  details = [],
  onProgress,
  ...options
}: ExportDaysOptions): Promise<ExportedDays> {
  const address = parseApiAddress(
    checked('api', text('text, such as https://api.example.com'), options.api),
    'api',
  );
  assertCertificateChecked(address);
  checked('lake', text("text: a folder, or 's3://bucket/prefix'"), options.lake);
  const { companies, problems: wrong } = parseCompanies({ companies: options.companies }, 'companies');
  if (wrong.length > 0) throw companiesError(wrong);
  const days = checkedExportDays(options, systemClock.now());
  checked('directions', directionsOf(DIRECTIONS), given);
  const directions = DIRECTIONS.filter((direction) => given.includes(direction));
  checked('details', directionsOf(directions), details);
  checked('signal', SignalSchema, signal);
  checked('value of onProgress', FunctionSchema, onProgress);
  const total = companies.length * directions.length * days.length;
  const request = { command: 'exportDays', waitMs: LAKE_WAIT_MS, signal, onWait: () => undefined };
  return await withStoreToWrite(options.lake, request, async (written) => {
    const pool = new ConnectionPool();
    let ended = 0;
    try {
      const run = await exportAndPublish({
        ...(await claimedLake(written.store, apiSource(address))),
        companies: companies.map(({ rut, token, name }) => {
          const read = async () => token.reveal();
          return { rut, tokens: { current: read, renew: read, companyName: name } };
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
        signal: written.signal,
      });
      written.signal.throwIfAborted();
      if (run.fault !== undefined) throw run.fault;
      const { runId, results, problems } = run;
      const isComplete = problems.length === 0 && !results.some(isFailed);
      return { runId, units: inOrder(results), problems, isComplete };
    } finally {
      await pool.destroy();
    }
  });
}
