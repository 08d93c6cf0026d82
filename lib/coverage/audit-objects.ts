import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import { DAYS_AHEAD } from '../export/last-results.ts';
import { auditKey } from '../lake/layout.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { addDays, daysBetween } from '../time/days.ts';

const DAYS_AT_ONCE = 16;

/** The run that an audit object is of; one object for all companies, since there are many of them. */
interface AuditedRun {
  day: string;
  id: string;
}

/** Which audit objects a company has. */
export interface AuditObjects {
  ruts(): readonly string[];
  keysOf(rut: string): string[];
}

/**
 * Lists the audit objects of all runs that may have had an issue date from `from` on. What is kept of each is
 * its run and its number, not its key: a year of a thousand companies then still fits.
 */
export async function listAuditObjects(store: LakeStore, from: string): Promise<AuditObjects> {
  return await auditObjectsAmong(store.list(EXPORTACIONES.name), from);
}

/**
 * The same, looking only for runs up to `today`, a day at a time: a lake that is years old has as many objects of
 * older runs, which are then not listed.
 */
export async function listRecentAuditObjects(
  store: LakeStore,
  from: string,
  today: string,
): Promise<AuditObjects> {
  const runDays = daysBetween(firstRunDayOf(from), today);
  const keys: string[] = [];
  await forEachAtOnce(runDays, DAYS_AT_ONCE, async (day) => {
    for await (const key of store.list(`${EXPORTACIONES.name}/fecha_corrida=${day}`)) keys.push(key);
  });
  return await auditObjectsAmong(keys, from);
}

function firstRunDayOf(from: string): string {
  return addDays(from, -DAYS_AHEAD);
}

async function auditObjectsAmong(
  keys: Iterable<string> | AsyncIterable<string>,
  from: string,
): Promise<AuditObjects> {
  const firstRunDay = firstRunDayOf(from);
  const runs = new Map<string, AuditedRun>();
  const byRut = new Map<string, { run: AuditedRun; part: number }[]>();
  for await (const key of keys) {
    const [, day, id, rut, part] =
      /\/fecha_corrida=(\d{4}-\d\d-\d\d)\/([^/]+)-(\d{12})-(\d+)\.parquet$/.exec(key) ?? [];
    if (day === undefined || id === undefined || rut === undefined || day < firstRunDay) continue;
    const run = runs.get(`${day}/${id}`) ?? { day, id };
    runs.set(`${day}/${id}`, run);
    const objects = byRut.get(rut) ?? [];
    objects.push({ run, part: Number(part) });
    byRut.set(rut, objects);
  }
  return {
    ruts: () => [...byRut.keys()].sort(),
    keysOf: (rut) =>
      (byRut.get(rut) ?? []).map(({ run, part }) => auditKey(EXPORTACIONES.name, run.day, run.id, rut, part)),
  };
}
