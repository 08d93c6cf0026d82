import { DAYS_AHEAD } from '../export/last-results.ts';
import { auditKey } from '../lake/layout.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { addDays } from '../time/days.ts';

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
  const firstRunDay = addDays(from, -DAYS_AHEAD);
  const runs = new Map<string, AuditedRun>();
  const byRut = new Map<string, { run: AuditedRun; part: number }[]>();
  for await (const key of store.list(EXPORTACIONES.name)) {
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
