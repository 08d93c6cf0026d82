import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { findMissingUnits, type MissingUnit } from '../audit/history.ts';
import { isTwelveDigits, type Rut } from '../companies/company.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import { PROGRAM } from '../program.ts';
import { type AskedDatabase, ask } from '../query/question.ts';
import { plural } from '../text/terminal.ts';
import { addDays, type Day, type DayRange, daysBetween, isDay } from '../time/days.ts';

/** What an answer may lack: the days and companies that were asked for, and the tables that it is made of. */
export interface AskedAnswer extends DayRange {
  ruts: readonly Rut[];
  tables: readonly Table[];
}

/** Days, and receipts without details, that a list lacks. */
interface Gap {
  text: string;
  days: readonly Day[];
}

/**
 * Notes on days of these companies, or of all in a folder, that no export has read, and on receipts without details
 * where the answer needs these, each with the command that reads them. None if the audit can't be read: not everyone who
 * may query may read it.
 */
export async function gapNotes(
  store: LakeStore,
  database: AskedDatabase,
  asked: AskedAnswer,
): Promise<string[]> {
  try {
    const isAsked = (table: Table) => asked.tables.includes(table);
    const directions = DIRECTIONS.filter((of) => isAsked(TABLE_OF[of]) || isAsked(DETAIL_TABLE_OF[of]));
    if (directions.length === 0) return [];
    const ofRuts = asked.ruts.map((rut) => ` --rut ${rut}`).join('');
    const command = `${await readAgainCommand(PROGRAM, store)}${ofRuts}`;
    const ruts = asked.ruts.length > 0 ? asked.ruts : await knownCompanies(store, asked);
    const { missing } = await findMissingUnits(store, ruts, directions, daysBetween(asked.from, asked.to));
    const notes: string[] = [];
    for (const direction of directions) {
      const areDetailsAsked = isAsked(DETAIL_TABLE_OF[direction]);
      const gaps = [
        ...missingDays(missing, direction, ruts.length),
        ...(areDetailsAsked ? await missingDetails(database, direction, asked) : []),
      ];
      const days = gaps.flatMap((gap) => gap.days).sort();
      const details = areDetailsAsked ? ` --details ${direction}` : '';
      const range = `--from ${days[0]} --to ${days.at(-1)} --direction ${direction}${details}`;
      if (gaps.length > 0)
        notes.push(`${gaps.map(({ text }) => text).join(', and ')}. To read them:\n  ${command} ${range}`);
    }
    return notes;
  } catch {
    return [];
  }
}

/** All companies in the audit, if none was asked for; none for a bucket, whose audit takes many requests. */
async function knownCompanies(store: LakeStore, { from, to }: AskedAnswer): Promise<readonly Rut[]> {
  if (store.address.startsWith('s3://')) return [];
  const { otherRuts } = await findMissingUnits(store, [], DIRECTIONS, daysBetween(from, to));
  return [...otherRuts].filter(isTwelveDigits);
}

function missingDays(missing: readonly MissingUnit[], direction: Direction, companyCount: number): Gap[] {
  return (['never', 'failed'] as const).flatMap((reason) => {
    const units = missing.filter((unit) => unit.direction === direction && unit.reason === reason);
    const days = [...new Set(units.map(({ day }) => day))];
    const companies = new Set(units.map(({ rut }) => rut)).size;
    if (days.length === 0) return [];
    const what = reason === 'never' ? 'never exported' : 'not exported, because their export failed';
    const which = `${plural(days.length, 'day')} of ${direction} in this period`;
    const whose = companyCount > 1 ? ` (${companies} of ${companyCount} companies)` : '';
    return [{ text: `${which} ${days.length === 1 ? 'was' : 'were'} ${what}${whose}`, days }];
  });
}

async function missingDetails(
  database: AskedDatabase,
  direction: Direction,
  { ruts, from, to }: AskedAnswer,
): Promise<Gap[]> {
  const ofCompanies = ruts.length === 0 ? '' : `AND l.rut IN (${ruts.map((rut) => `'${rut}'`)})`;
  const { rows } = await ask(
    database,
    `SELECT count(*), min(l.fecha), max(l.fecha) FROM ${TABLE_OF[direction].name} l
    WHERE l.fecha BETWEEN DATE '${from}' AND DATE '${to}' ${ofCompanies}
      AND l.visto_por_ultima_vez IS NULL
      AND NOT EXISTS (SELECT 1 FROM ${DETAIL_TABLE_OF[direction].name} d
        WHERE d.fecha = l.fecha AND d.rut = l.rut AND d.id = l.id)`,
  );
  const [count, first, last] = rows[0] ?? [];
  if (typeof first !== 'string' || typeof last !== 'string' || !isDay(first) || !isDay(last)) return [];
  const text = `${plural(Number(count), 'receipt has', 'receipts have')} no details`;
  return [{ text, days: [first, last] }];
}

/** The days that may be in the lake: those before today of a period with a first day. */
export function pastDays(from: Day, to: Day | undefined, today: Day): DayRange | undefined {
  const yesterday = addDays(today, -1);
  const last = to === undefined || to > yesterday ? yesterday : to;
  return from <= last ? { from, to: last } : undefined;
}
