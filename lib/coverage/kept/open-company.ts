import { DIRECTIONS } from '../../api/directions.ts';
import { DAYS_AHEAD } from '../../export/last-results.ts';
import type { Unit } from '../../export/unit-plan.ts';
import { type LakeStore, ObjectMissingError } from '../../lake/store/store.ts';
import { addDays, dayNumber, daysBetween } from '../../time/days.ts';
import { type CompanyCoverage, calendarOf } from '../company-coverage.ts';
import { findCompanyName } from '../company-name.ts';
import { type CompanyReadings, readCompanyAudit } from '../company-readings.ts';
import { readDayTotals, type TypeTotal } from '../day-totals.ts';
import { type KeptCompany, type KeptTotals, packKeptCompany, unpackKeptCompany } from './kept-company.ts';

/** The folder of the lake in which the page is, and what it is made of; no table's. */
export const COVERAGE_FOLDER = 'cobertura';

/** What a page is to show of a company, and what there is to know it from. */
export interface AskedCompany {
  rut: string;
  /** Issue dates, both included. */
  from: string;
  to: string;
  /** The day that it is in Uruguay. */
  today: string;
  /** All audit objects that may have such a date. */
  auditKeys: readonly string[];
  /** A run that may have been gone on with since: its audit objects may have other rows than were kept. */
  runId: string;
}

/** One company while it is put on the page: what was kept of it, and what came since. */
export class OpenCompany {
  readonly coverage: CompanyCoverage;
  private readonly store: LakeStore;
  private readonly asked: AskedCompany;
  private readonly readings: CompanyReadings;
  private readonly totals: Map<string, KeptTotals>;
  private hasNews: boolean;

  static async read(store: LakeStore, asked: AskedCompany): Promise<OpenCompany> {
    const { rut, from, to, today, auditKeys } = asked;
    const kept = usable(await readKept(store, rut), asked);
    const known = new Set(kept?.auditKeys);
    const newKeys = auditKeys.filter((key) => !known.has(key));
    // Days ahead too: their turn on the page comes, and their audit objects are not read again.
    const range = { from, to: addDays(today, DAYS_AHEAD) };
    const readings = await readCompanyAudit(store, newKeys, range, kept?.units);
    const days = daysBetween(from, to);
    const calendars = DIRECTIONS.map((direction) => calendarOf(direction, days, today, readings));
    const received = calendars.flatMap((calendar) =>
      calendar.direction === 'recibidos' ? calendar.days : [],
    );
    const withReceipts = received.filter(({ receipts }) => (receipts ?? 0) > 0).map(({ day }) => day);
    const name = await findCompanyName(store, rut, withReceipts);
    const { damaged } = readings;
    const hasNews = newKeys.length > damaged.size;
    const coverage = { rut, name, calendars, damaged: [...damaged.values()] };
    return new OpenCompany(store, asked, coverage, { readings, kept, hasNews });
  }

  private constructor(
    store: LakeStore,
    asked: AskedCompany,
    coverage: CompanyCoverage,
    known: { readings: CompanyReadings; kept: KeptCompany | undefined; hasNews: boolean },
  ) {
    this.store = store;
    this.asked = asked;
    this.coverage = coverage;
    this.readings = known.readings;
    this.hasNews = known.hasNews;
    this.totals = new Map(
      known.kept?.units.flatMap(({ direction, day, totals }) =>
        totals === undefined ? [] : [[`${direction} ${day}`, totals]],
      ),
    );
  }

  /** Totals by type; read from the unit's object only if it was written since they were kept. */
  async totalsOf(unit: Unit): Promise<readonly TypeTotal[]> {
    const place = `${unit.direccion} ${dayNumber(unit.fecha)}`;
    const state = this.stateOf(unit);
    const kept = this.totals.get(place);
    if (kept !== undefined && kept.writtenAt === state.writtenAt && kept.receipts === state.receipts) {
      return kept.byType;
    }
    this.hasNews = true;
    const byType = await readDayTotals(this.store, unit);
    this.totals.set(place, { ...state, byType });
    return byType;
  }

  /** Keeps what is known now for the next page, if it is more than was kept. */
  async keep(put: (key: string, bytes: Uint8Array) => Promise<void>): Promise<void> {
    if (!this.hasNews) return;
    const { rut, from, auditKeys } = this.asked;
    const units = [...this.readings.all()].map(({ direction, day, readings }) => ({
      direction,
      day,
      readings: { shown: readings.shown, count: readings.count },
      totals: this.totals.get(`${direction} ${day}`),
    }));
    // A damaged one is read again: somebody may put it right.
    const readKeys = auditKeys.filter((key) => !this.readings.damaged.has(key));
    await put(keptKey(rut), packKeptCompany({ from, auditKeys: readKeys, units }));
  }

  private stateOf({ direccion, fecha }: Unit): Pick<KeptTotals, 'writtenAt' | 'receipts'> {
    const readings = this.readings.find(direccion, fecha);
    const written = readings?.shown.filter(({ estado }) => estado === 'exportado') ?? [];
    // All of them, not the newest: a run that began earlier may have written later.
    const writtenAt = written.reduce((sum, { inicio }) => sum + (inicio ?? 0), 0);
    return { writtenAt, receipts: readings?.lastGood?.filas ?? 0 };
  }
}

function keptKey(rut: string): string {
  return `${COVERAGE_FOLDER}/empresas/${rut}.json.gz`;
}

async function readKept(store: LakeStore, rut: string): Promise<KeptCompany | undefined> {
  try {
    const file = await store.open(keptKey(rut));
    try {
      return unpackKeptCompany(new Uint8Array(await file.slice(0)));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined;
    throw error;
  }
}

/** What begins later than the page lacks its first days. */
function usable(kept: KeptCompany | undefined, { from, runId, rut }: AskedCompany): KeptCompany | undefined {
  if (kept === undefined || kept.from > from) return undefined;
  return kept.auditKeys.some((key) => key.includes(`/${runId}-${rut}-`)) ? undefined : kept;
}
