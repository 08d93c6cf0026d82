import type { Unit } from '../export/units.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { addDays, CHANGING_DAYS, dayNumber, daysBetween } from '../time/days.ts';
import type { Run } from './keys.ts';
import { readAudit } from './read.ts';
import { unitName } from './row.ts';

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
