import type { Direction } from '../api/directions.ts';
import type { Unit } from '../export/units.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { addDays, CHANGING_DAYS, dayNumber, daysBetween } from '../time/days.ts';
import type { Run } from './keys.ts';
import { type AuditQuestion, type AuditReading, readAudit } from './read.ts';
import { type AuditRow, unitName } from './row.ts';

/**
 * What earlier runs found of units that have no object. Their receipts appeared since, if the list was empty
 * then; else this is their first export. Made for one company's part of a run: audits are read as they are
 * asked for, and once.
 */
export class ExportHistory {
  private readonly store: LakeStore;
  private readonly run: Run;
  /** Units that were found empty, by company and day of the run. */
  private readonly emptyUnits = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(store: LakeStore, run: Run) {
    this.store = store;
    this.run = run;
  }

  /**
   * Whether an earlier run found the unit's list empty. Not looked up for yesterday, which every night exports
   * for the first time, nor for days that are no longer read again.
   */
  async wasEmpty(unit: Unit): Promise<boolean> {
    const { day: today } = this.run;
    if (unit.fecha >= addDays(today, -1) || unit.fecha < addDays(today, -CHANGING_DAYS)) return false;
    for (const runDay of daysBetween(unit.fecha, today)) {
      const empty = await this.emptyUnitsOf(unit.rut, runDay);
      if (empty.has(unitName(unit.rut, unit.direccion, dayNumber(unit.fecha)))) return true;
    }
    return false;
  }

  private emptyUnitsOf(rut: string, runDay: string): Promise<ReadonlySet<string>> {
    const name = `${rut} ${runDay}`;
    const known = this.emptyUnits.get(name) ?? this.readEmptyUnits(rut, runDay);
    this.emptyUnits.set(name, known);
    return known;
  }

  private async readEmptyUnits(rut: string, runDay: string): Promise<ReadonlySet<string>> {
    const empty = new Set<string>();
    const question = {
      runDays: { from: runDay, to: runDay },
      ruts: new Set([rut]),
      // It knows already what it finds itself, and has parts that come and go.
      otherThan: this.run,
      columns: ['estado'],
    } as const;
    // A damaged object does not say that a list was empty: receipts matter more than the note that they are late.
    await readAudit(this.store, question, ({ direccion, fecha, estado }) => {
      if (estado === 'vacio') empty.add(unitName(rut, direccion, fecha));
    });
    return empty;
  }
}

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
