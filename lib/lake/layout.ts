import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import { isDay } from '../time/days.ts';
import type { LakeStore } from './store/store.ts';
import { TABLE_OF, TABLES, type Table } from './tables.ts';

/** Where objects stand in the lake. The partition is in the key, as `name=value`, for Athena and DuckDB alike. */

/** Nothing that a path or a pattern gives a meaning to. */
const TABLE_OBJECT = /^(\w+)\/(\w+)=(\d{4}-\d\d-\d\d)\/[0-9A-Za-z][\w.-]*\.parquet$/;

/** Table and day of an object that a table is read from; undefined of every other key, whoever put it there. */
export function tableObject(key: string): { table: Table; day: string } | undefined {
  const [, name, partition, day = ''] = TABLE_OBJECT.exec(key) ?? [];
  const table = TABLES.find((known) => known.name === name && known.partition === partition);
  return table === undefined || !isDay(day) ? undefined : { table, day };
}

/** The units, which no table points at. */
export const UNITS_FOLDER = 'unidades';

/** All units of a table, or those of one issue date. */
export function unitsFolder(table: string, fecha?: string): string {
  const folder = `${UNITS_FOLDER}/${table}`;
  return fecha === undefined ? folder : `${folder}/fecha=${fecha}`;
}

/** The one object of a unit: a company's receipts of one issue date. */
export function unitKey(table: string, fecha: string, rut: string): string {
  return `${unitsFolder(table, fecha)}/${rut}.parquet`;
}

/** Whose unit it is; undefined of an object that is none, whoever put it there. */
export function rutOfUnit(key: string): string | undefined {
  return /^unidades\/\w+\/fecha=\d{4}-\d\d-\d\d\/(\d{12})\.parquet$/.exec(key)?.[1];
}

/** What the table has of an issue date: all companies' units of it in one object. */
export function dayKey(table: string, fecha: string): string {
  return `${table}/fecha=${fecha}/dia.parquet`;
}

/** A unit as it stood before there were day objects: among what the table is read from. */
export function oldUnit(key: string): { table: Table; day: string; rut: string } | undefined {
  const rut = /\/(\d{12})\.parquet$/.exec(key)?.[1];
  const found = rut === undefined ? undefined : tableObject(key);
  return rut === undefined || found?.table.partition !== 'fecha' ? undefined : { ...found, rut };
}

/** Which days may lag behind their units; no table's folder. */
export const LAGGING_FOLDER = '.lagging';

/** The days of one month and table that a run writes units of. */
export function laggingKey(table: string, month: string, runId: string): string {
  return `${LAGGING_FOLDER}/${table}/${month}/${runId}.json`;
}

/**
 * What runs wrote for `exportaciones` and `cambios` that is not in the tables yet, see lib/audit; no table's folder.
 * Nothing here grows old: it is moved, never dropped.
 */
export const OPEN_RUNS_FOLDER = '.open-runs';

/** What one invocation read of lists that it could not finish; no table's folder. */
export function stagedListsFolder(runId: string, rut: string, direction: string): string {
  return `.staging/${runId}/${rut}/${direction}`;
}

/** Details read so far of a unit whose object is not complete yet: parts that are numbered, and only added to. */
export function stagedDetailsFolder(table: string, { rut, fecha }: { rut: string; fecha: string }): string {
  return `.staging/detalle/${table}/${fecha}/${rut}`;
}

/** Who may export at this moment, see run/leases.ts; no table's folder. */
export const LEASES_FOLDER = '.leases';

export function leaseKey(number: number): string {
  return `${LEASES_FOLDER}/${number}`;
}

/** That runs of a rank wait for a lease. */
export function waitingKey(rank: string): string {
  return `${LEASES_FOLDER}/waiting-${rank}`;
}

/** What is known of the service that the lake's receipts are from; no table's folder. */
export const SOURCE_FOLDER = '.source';

/** The companies of the last run of all companies: one that is lost since then is told. */
export const COMPANIES_KEY = `${SOURCE_FOLDER}/companies.json`;

/** Which service that is: the lake's mark, see source/mark.ts. */
export const SOURCE_KEY = `${SOURCE_FOLDER}/source.json`;

/** What its lists have proved of it. */
export const HABITS_KEY = `${SOURCE_FOLDER}/habits.json`;

/** The lake's tables are read from its units, as it was before there were day objects. */
export class OutdatedLakeError extends CfeLakeError {
  override name = 'OutdatedLakeError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(address: string) {
    super(
      `The lake ${address} is of the layout before: an object a company and day. Nothing was read or written.`,
      {
        advice: `Convert it once: cfe-lake upgrade --lake ${address} (docs/upgrade.md); it takes no API, and can be interrupted.`,
      },
    );
  }
}

/**
 * Throws OutdatedLakeError. One look at each list's first key is enough: an upgrade converts the first day last.
 */
export async function assertCurrentLayout(store: LakeStore): Promise<void> {
  const areOld = await Promise.all(
    Object.values(TABLE_OF).map(async ({ name }) => {
      for await (const key of store.list(name)) {
        if (tableObject(key) !== undefined) return oldUnit(key) !== undefined;
      }
      return false;
    }),
  );
  if (areOld.includes(true)) throw new OutdatedLakeError(store.address);
}
