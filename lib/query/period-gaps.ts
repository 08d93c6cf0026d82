import { findMissingUnits, type MissingUnit } from '../audit/history.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import { PROGRAM } from '../system/program.ts';
import { plural } from '../text/terminal.ts';
import { addDays, type Day, type DayRange, daysBetween, isDay, uruguayDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import { companyCondition, type Narrowing } from './named-queries.ts';
import type { AskedLake } from './open-lake.ts';
import { ask } from './question.ts';

/** Days, and receipts without details, that a list lacks. */
interface Gap {
  text: string;
  days: readonly Day[];
}

/**
 * Notes on days before today of the companies that were asked for, or of all in a folder, that do not count as read, and on
 * receipts without details where the tables of the answer need these, each with the command that reads them. None if no
 * days were asked for, or the audit can't be read: not everyone who may query may read it.
 */
export async function gapNotes(
  lake: AskedLake,
  tables: readonly Table[],
  { from, to, ruts: named }: Narrowing,
): Promise<string[]> {
  const yesterday = addDays(uruguayDay(Date.now()), -1);
  if (from === undefined || from > yesterday) return [];
  const asked = {
    from,
    to: to === undefined || to > yesterday ? yesterday : to,
    ruts: named.filter(isTwelveDigits),
  };
  const directions = DIRECTIONS.filter((of) =>
    [TABLE_OF[of], DETAIL_TABLE_OF[of]].some((table) => tables.includes(table)),
  );
  if (directions.length === 0) return [];
  const { store } = lake;
  try {
    const ofRuts = asked.ruts.map((rut) => ` --rut ${rut}`).join('');
    const command = `${await readAgainCommand(PROGRAM, store)}${ofRuts}`;
    const ruts = asked.ruts.length > 0 ? asked.ruts : await knownCompanies(store, asked);
    const days = daysBetween(asked.from, asked.to);
    const { missing } = await findMissingUnits(store, ruts, directions, days);
    const notes: string[] = [];
    for (const direction of directions) {
      const areDetailsAsked = tables.includes(DETAIL_TABLE_OF[direction]);
      const gaps = [
        ...missingDays(missing, direction, ruts.length),
        ...(areDetailsAsked ? await missingDetails(lake, direction, asked) : []),
      ];
      const lacking = gaps.flatMap((gap) => gap.days).sort();
      const details = areDetailsAsked ? ` --details ${direction}` : '';
      const range = `--from ${lacking[0]} --to ${lacking.at(-1)} --direction ${direction}${details}`;
      if (gaps.length > 0)
        notes.push(`${gaps.map(({ text }) => text).join(', and ')}. To read them:\n  ${command} ${range}`);
    }
    return notes;
  } catch {
    return [];
  }
}

interface AskedDays extends DayRange {
  ruts: readonly Rut[];
}

/** All companies in the audit, if none was asked for; none for a bucket, whose audit takes many requests. */
async function knownCompanies(store: LakeStore, { from, to }: DayRange): Promise<readonly Rut[]> {
  if (store.address.startsWith('s3://')) return [];
  const { otherRuts } = await findMissingUnits(store, [], DIRECTIONS, daysBetween(from, to));
  return [...otherRuts].filter(isTwelveDigits);
}

const GAPS = {
  never: 'never exported',
  early: 'last read before their end, and may have more receipts',
  failed: 'not exported, because their export failed',
};

function missingDays(missing: readonly MissingUnit[], direction: Direction, companyCount: number): Gap[] {
  return (['never', 'early', 'failed'] as const).flatMap((reason) => {
    const units = missing.filter((unit) => unit.direction === direction && unit.reason === reason);
    const days = [...new Set(units.map(({ day }) => day))];
    const companies = new Set(units.map(({ rut }) => rut)).size;
    if (days.length === 0) return [];
    const which = `${plural(days.length, 'day')} of ${direction} in this period`;
    const whose = companyCount > 1 ? ` (${companies} of ${companyCount} companies)` : '';
    return [{ text: `${which} ${days.length === 1 ? 'was' : 'were'} ${GAPS[reason]}${whose}`, days }];
  });
}

async function missingDetails(
  lake: AskedLake,
  direction: Direction,
  { ruts, from, to }: AskedDays,
): Promise<Gap[]> {
  const { rows } = await ask(
    lake,
    `SELECT count(*), min(l.fecha), max(l.fecha) FROM ${TABLE_OF[direction].name} l
    WHERE l.fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition('l.', ruts)}
      AND l.visto_por_ultima_vez IS NULL
      AND NOT EXISTS (SELECT 1 FROM ${DETAIL_TABLE_OF[direction].name} d
        WHERE d.fecha = l.fecha AND d.rut = l.rut AND d.id = l.id)`,
  );
  const [count, first, last] = rows[0] ?? [];
  if (typeof first !== 'string' || typeof last !== 'string' || !isDay(first) || !isDay(last)) return [];
  const text = `${plural(Number(count), 'receipt has', 'receipts have')} no details`;
  return [{ text, days: [first, last] }];
}
