import type { LakeStore } from '../lake/store/store.ts';
import { heldDays, heldDaysSql } from '../query/held-days.ts';
import type { LakeDatabase } from '../query/lake-database.ts';
import { ask } from '../query/question.ts';
import { addDays, type Day, type DayRange, monthOf, type Period } from '../time/days.ts';
import {
  daysOf,
  type Lack,
  lackOfFigures,
  listings,
  listingsSql,
  MonthNotReadError,
  readDays,
} from './read-days.ts';

/** Files that somebody declares: of a month of which days were not read, none is written unless that is accepted. */

/** A file of these days; `name`: where it goes. */
export interface DeclaredFile extends DayRange {
  name: string;
  /** Today in Uruguay. */
  today: Day;
  isAccepted: boolean;
  /** Whether it can say itself that nothing is known of its days, as a workbook, and unlike a form. */
  canWarn: boolean;
}

/** What the file may lack; undefined if nothing. Throws MonthNotReadError where it must not be written. */
export function acceptedLack(lack: Lack | undefined, file: DeclaredFile): Lack | undefined {
  const { from, to, today, isAccepted, canWarn, name } = file;
  const month = monthOf(from);
  const isWholeMonth = month.from === from && month.to === to && to < today;
  const isRefused = lack !== undefined && (lack.isOpen ?? !canWarn);
  if (isRefused && isWholeMonth && !isAccepted) throw new MonthNotReadError(name, lack);
  return lack;
}

/** The days of a declared query: those asked for, else its own, twelve whole months and the current one. */
export function declaredPeriod({ from, to }: Period, today: Day): DayRange {
  return { from: from ?? monthOf(addDays(monthOf(today).from, -365)).from, to: to ?? today };
}

export interface DeclaredDays {
  /** The names of the companies that the audit has, by RUT. */
  names: ReadonlyMap<string, string>;
  /** What is asked of the tables, besides the query. */
  questions: readonly string[];
  /** What is lacking, once the tables are open. */
  lackIn(database: LakeDatabase): Promise<Lack | undefined>;
}

/**
 * Reads what the audit says of the days of a query, before its tables are opened. Where the audit can't be read (not
 * everyone who may query may), `onUnreadable` is told why, and of the days nothing is known.
 */
export async function declaredDays(
  store: LakeStore,
  { from, to, today, ruts }: DayRange & { today: Day; ruts: readonly string[] },
  onUnreadable: (error: unknown) => void,
): Promise<DeclaredDays> {
  try {
    const read = await readDays(store, {
      from,
      to,
      today,
      ...(ruts.length > 0 && { ruts }),
    });
    const sql = heldDaysSql(ruts, { from, to });
    const ofListings = listingsSql(ruts, { from, to });
    const lackIn = async (database: LakeDatabase) => {
      const { companies, period } = await read.afterTables();
      const held = heldDays(await ask(database, sql));
      const listingsOf = listings(await ask(database, ofListings));
      const known = companies.map((company) => ({
        rut: company.rut,
        days: daysOf(company, period, held.countOf(company.rut)),
        listings: listingsOf(company.rut),
      }));
      const unknown = held.ruts.filter((rut) => !read.ruts.includes(rut));
      const noDays = unknown.map((rut) => ({ rut, days: undefined, listings: listingsOf(rut) }));
      return lackOfFigures([...known, ...noDays], period);
    };
    const names = new Map(
      read.companies.flatMap(({ rut, name }) => (name === undefined ? [] : [[rut, name]])),
    );
    return { names, questions: [sql, ofListings], lackIn };
  } catch (error) {
    onUnreadable(error);
    const text = 'No se pudo leer la auditoría: no se sabe qué días se leyeron.';
    return {
      names: new Map(),
      questions: [],
      lackIn: async () => ({ text, command: undefined, isOpen: undefined }),
    };
  }
}
