import { DIRECTIONS } from '../api/directions.ts';
import { forEachAuditRow } from '../export/audit-rows.ts';
import type { DetailState, UnitState } from '../export/unit-result.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { addDays } from '../time/days.ts';

const COLUMNS = EXPORTACIONES.columns.filter(({ name }) =>
  ['direccion', 'fecha', 'estado', 'error', 'filas', 'detalle', 'detalle_motivo'].includes(name),
);

const STATES: readonly UnitState[] = ['exportado', 'sin_cambios', 'vacio', 'fallido'];
const DETAIL_STATES: readonly DetailState[] = ['completo', 'omitido', 'fallido'];

/** What the audit says of a unit. */
export interface AuditedUnit {
  estado: UnitState;
  filas: number;
  /** Absent where no details were asked for. */
  detalle?: DetailState;
  /** Why the list or its details failed. */
  error?: string;
}

/** Keys of a run's audit objects by company, in the order of the run's invocations. */
export async function auditKeysOfRun(
  store: LakeStore,
  runDay: string,
  runId: string,
): Promise<Map<string, string[]>> {
  const found: { rut: string; part: number; key: string }[] = [];
  const folder = `${EXPORTACIONES.name}/fecha_corrida=${runDay}`;
  for await (const key of store.list(folder)) {
    const name = key.slice(folder.length + 1);
    if (!name.startsWith(`${runId}-`)) continue;
    const match = /^(\d{12})-(\d+)\.parquet$/.exec(name.slice(runId.length + 1));
    const [, rut, part] = match ?? [];
    if (rut !== undefined) found.push({ rut, part: Number(part), key });
  }
  found.sort((a, b) => a.part - b.part);
  return new Map(
    [...Map.groupBy(found, ({ rut }) => rut)].map(([rut, parts]) => [rut, parts.map(({ key }) => key)]),
  );
}

/** What the audit says of one company. */
export interface CompanyAudit {
  /** The last word on each unit, by `<direction> <day>`. */
  units: ReadonlyMap<string, AuditedUnit>;
  /** Why objects could not be read: what they say is not known, also of units that others have. */
  damaged: readonly string[];
}

/** Reads the audit of one company from its objects, in their order. */
export async function readAudit(store: LakeStore, keys: readonly string[]): Promise<CompanyAudit> {
  const units = new Map<string, AuditedUnit>();
  const damaged: string[] = [];
  for (const key of keys) {
    const damage = await forEachAuditRow(store, key, COLUMNS, (row) => {
      const { direccion, fecha, estado, filas, detalle, error, detalle_motivo: detailError } = row;
      const direction = DIRECTIONS.find((known) => known === direccion);
      const state = STATES.find((known) => known === estado);
      const reason = error ?? (detalle === 'fallido' ? detailError : null);
      if (direction === undefined || state === undefined || typeof fecha !== 'number') return;
      units.set(unitName(direction, addDays('1970-01-01', fecha)), {
        estado: state,
        filas: Number(filas ?? 0),
        detalle: DETAIL_STATES.find((known) => known === detalle),
        ...(typeof reason === 'string' && { error: reason }),
      });
    });
    if (damage !== undefined) damaged.push(damage.message);
  }
  return { units, damaged };
}

export function unitName(direction: string, day: string): string {
  return `${direction} ${day}`;
}
