import type { ApiSession } from '../api/access.ts';
import { companyClient, trialOf } from '../api/client.ts';
import type { RunCompany } from '../export/export-tools.ts';
import { type ListedUnit, listedByLegacy } from '../export/legacy-unit.ts';
import { proveService } from '../export/reading/prove-service.ts';
import { daysToReadOf, readCompany } from '../export/reading/read-company.ts';
import { dayKey } from '../lake/layout.ts';
import { DamagedObjectError, readIntact } from '../lake/parquet/reader.ts';
import { type LakeStore, readObject, undefinedIfMissing } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF } from '../lake/tables.ts';
import { laggingRuts, type TableDay } from '../publish/publish-day.ts';
import { forEachConcurrent, Semaphore } from '../system/concurrency.ts';
import { messageOf } from '../system/errors.ts';
import type { Day } from '../time/days.ts';
import { type Direction, planUnits, type Unit } from '../units/unit.ts';
import { type UnitVerification, verifyUnit } from './verify-unit.ts';

/** Few, since the rows of a unit are in memory twice. A legacy list is one body of up to 134 MB: then one at a time. */
const COMPANIES_AT_ONCE = 4;

export interface VerifyOptions {
  companies: readonly RunCompany[];
  directions: readonly Direction[];
  days: readonly Day[];
  session: ApiSession;
  store: LakeStore;
  isLegacy: boolean;
  maxExamples: number;
  /** Requests in flight per company. */
  maxInFlight: number;
  onUnitEnd?: (verification: UnitVerification) => void;
  signal?: AbortSignal;
}

/**
 * Reads the units from the API again and compares them with the lake. Writes nothing. Results come in no particular
 * order; a unit that cannot be compared is a result too. Throws when aborted. What earlier runs proved of the service
 * is not used: where it no longer holds, it would hide here what it hid from them.
 */
export async function verifyLake(options: VerifyOptions): Promise<UnitVerification[]> {
  const { session, companies, directions, days, isLegacy, maxInFlight, store, signal } = options;
  if (session.breaker !== undefined) session.breaker.trial = trialOf(session, companies);
  const results: UnitVerification[] = [];
  const verify = async (unit: Unit, list: () => Promise<ListedUnit>): Promise<void> => {
    const result = await verifyUnit(unit, list, options);
    results.push(result);
    options.onUnitEnd?.(result);
  };
  const { clock } = session;
  const ended = signal ?? new AbortController().signal;
  const clientOf = (asked: string) => {
    const company = companies.find(({ rut }) => rut === asked);
    if (company === undefined) throw new TypeError('only the companies to verify are asked');
    return companyClient(session, company.rut, company.tokens, maxInFlight);
  };
  const [from, ...laterDays] = [...days].sort();
  const range = from && { from, to: laterDays.at(-1) ?? from };
  const daysOf = isLegacy ? {} : Object.fromEntries(directions.map((direction) => [direction, range]));
  const ruts = companies.map(({ rut }) => rut);
  const { facts } = await proveService({ store, ruts, daysOf, clientOf, clock, signal: ended });
  const largeUnits = new Semaphore(1);
  await forEachConcurrent(companies, isLegacy ? 1 : COMPANIES_AT_ONCE, async ({ rut, tokens }) => {
    const client = companyClient(session, rut, tokens, maxInFlight);
    const units = planUnits(rut, directions, days);
    if (isLegacy) {
      for (const unit of units) await verify(unit, () => listedByLegacy(unit, client, signal));
      return;
    }
    await readCompany(
      rut,
      daysToReadOf(units),
      {
        client,
        facts,
        clock,
        signal: ended,
        isTimeUp: () => false,
        largeUnits,
      },
      {
        onUnit: (unit, read) =>
          verify(unit, async () => {
            if ('error' in read) throw read.error;
            return { ...read, ignored: new Set() };
          }),
      },
    );
    signal?.throwIfAborted();
  });
  return results;
}

/** A day of a table that does not show what its units hold: SQL fails there, or misses rows. */
export interface WrongDay extends TableDay {
  /** What is wrong, and what to do. */
  reason: string;
}

const DAYS_AT_ONCE = 4;

const LAGS = 'it lags behind its units. An export is running, or was interrupted, or its object is gone. Run';

export interface AskedTables {
  ruts: ReadonlySet<string>;
  directions: readonly Direction[];
  days: readonly Day[];
  signal: AbortSignal;
}

/** The tables' days that are damaged, or lag behind these companies' units. Compares each object with its checksum. */
export async function wrongDays(
  store: LakeStore,
  { ruts, directions, days, signal }: AskedTables,
): Promise<WrongDay[]> {
  const tables = directions.flatMap((direction) => [TABLE_OF[direction], DETAIL_TABLE_OF[direction]]);
  const asked = tables.flatMap((table) => days.map((day): TableDay => ({ table, day })));
  const reasons = new Map<TableDay, string>();
  await forEachConcurrent(asked, DAYS_AT_ONCE, async (tableDay) => {
    signal.throwIfAborted();
    const reason = await reasonOf(store, tableDay, ruts);
    if (reason !== undefined) reasons.set(tableDay, reason);
  });
  return asked.flatMap((tableDay) => {
    const reason = reasons.get(tableDay);
    return reason === undefined ? [] : [{ ...tableDay, reason }];
  });
}

async function reasonOf(
  store: LakeStore,
  tableDay: TableDay,
  ruts: ReadonlySet<string>,
): Promise<string | undefined> {
  const { table, day } = tableDay;
  const publish = `publish --from ${day}`;
  try {
    await readObject(store, dayKey(table.name, day), readIntact).catch(undefinedIfMissing);
    const lagging = await laggingRuts(store, tableDay);
    return lagging.some((rut) => ruts.has(rut)) ? `${LAGS} ${publish}.` : undefined;
  } catch (error) {
    return error instanceof DamagedObjectError
      ? `${error.whatHappened} Move it away, then run ${publish}: its rows are in the units, too.`
      : messageOf(error);
  }
}
