import type { Direction } from '../api/directions.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { dayNumber } from '../time/days.ts';
import { type AuditQuestion, type AuditReading, readAudit } from './read.ts';
import { type AuditRow, unitName } from './row.ts';

const COLUMNS = [
  'estado',
  'filas',
  'sha256',
  'error',
  'detalle',
  'detalle_motivo',
  'inicio',
] as const satisfies readonly (keyof AuditRow)[];

/** What the audit says last of a unit; names and values as in `exportaciones`. */
export interface LastResult extends Pick<AuditRow, 'estado' | 'error' | 'filas' | 'sha256'> {
  /** Of the last time that details were asked for, and of the list that it had; undefined when they never were. */
  details?: { detalle: string; motivo: string | null; sha256: string | null };
}

export interface LastResults extends AuditReading {
  find(rut: string, direction: Direction, day: string): LastResult | undefined;
}

/** What is said last of each unit's list, and of its details: not every run is asked for those. */
interface LastRows {
  list: AuditRow;
  details?: AuditRow;
}

/** The last word on each unit; memory grows with the units asked about and not with the runs. */
export async function readLastResults(
  store: LakeStore,
  question: Omit<AuditQuestion, 'columns'>,
): Promise<LastResults> {
  const units = new Map<string, LastRows>();
  const reading = await readAudit(store, { ...question, columns: COLUMNS }, (row) => {
    const name = unitName(row.rut, row.direccion, row.fecha);
    const known = units.get(name);
    const list = lastOf(known?.list, row, ({ estado }) => estado);
    const details =
      row.detalle === null ? known?.details : lastOf(known?.details, row, ({ detalle }) => detalle);
    units.set(name, { list, details });
  });
  return {
    ...reading,
    find: (rut, direction, day) => {
      const known = units.get(unitName(rut, direction, dayNumber(day)));
      if (known === undefined) return undefined;
      const { estado, error, filas, sha256 } = known.list;
      const { detalle, detalle_motivo: motivo = null, sha256: ofList = null } = known.details ?? {};
      const details = typeof detalle === 'string' ? { detalle, motivo, sha256: ofList } : undefined;
      return { estado, error, filas, sha256, details };
    },
  };
}

/** `inicio` counts whole seconds; of two within one, that which did not fail holds: its object is there. */
function lastOf(
  known: AuditRow | undefined,
  row: AuditRow,
  state: (row: AuditRow) => string | null,
): AuditRow {
  if (known === undefined) return row;
  const [before, after] = [known.inicio ?? -1, row.inicio ?? -1];
  const isLater = before === after ? state(known) === 'fallido' : after > before;
  return isLater ? row : known;
}
