import { findMissingUnits, type MissingUnit } from '../audit/history.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import { PROGRAM } from '../system/program.ts';
import { joined, type Localized } from '../text/language.ts';
import { addDays, type Day, type DayRange, daysBetween, isDay, uruguayDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import { companyCondition, type Narrowing } from './named-queries.ts';
import type { AskedLake } from './open-lake.ts';
import { SAY } from './phrases.ts';
import { ask } from './question.ts';

/** Days, and receipts without details, that a list lacks. */
interface Gap {
  said: Localized;
  days: readonly Day[];
}

/**
 * Notes on days before today of the companies that were asked for, or of all in a folder, that do not count as read, and on
 * receipts without details where the tables of the answer need these, each with the command that reads them. None if no
 * days were asked for, or the audit can't be read: not everyone who may query may read it. `areDaysTold`: whether days are.
 */
export async function gapNotes(
  lake: AskedLake,
  tables: readonly Table[],
  { from, to, ruts: named }: Narrowing,
  areDaysTold = true,
): Promise<Localized[]> {
  const yesterday = addDays(uruguayDay(Date.now()), -1);
  if (from === undefined || from > yesterday) return [];
  const asked = {
    from,
    to: to === undefined || to > yesterday ? yesterday : to,
    ruts: named.filter(isTwelveDigits),
  };
  const directions = DIRECTIONS.filter((direction) =>
    [TABLE_OF[direction], DETAIL_TABLE_OF[direction]].some((table) => tables.includes(table)),
  );
  if (directions.length === 0) return [];
  const { store } = lake;
  try {
    const rutWords = asked.ruts.map((rut) => ` --rut ${rut}`).join('');
    const command = `${await readAgainCommand(PROGRAM, store)}${rutWords}`;
    const ruts = asked.ruts.length > 0 ? asked.ruts : await knownCompanies(store, asked);
    const days = daysBetween(asked.from, asked.to);
    const { missing } = await findMissingUnits(store, ruts, directions, days);
    const notes: Localized[] = [];
    for (const direction of directions) {
      const areDetailsAsked = tables.includes(DETAIL_TABLE_OF[direction]);
      const gaps = [
        ...(areDaysTold ? missingDays(missing, direction, ruts.length) : []),
        ...(areDetailsAsked ? await missingDetails(lake, direction, asked) : []),
      ];
      const lacking = gaps.flatMap((gap) => gap.days).sort();
      const details = areDetailsAsked ? ` --details ${direction}` : '';
      const range = `--from ${lacking[0]} --to ${lacking.at(-1)} --direction ${direction}${details}`;
      const [first, ...moreGaps] = gaps.map(({ said }) => said);
      if (first !== undefined) {
        const moreTexts = moreGaps.flatMap((gap) => [SAY.and(), gap]);
        notes.push(joined([first, ...moreTexts, SAY.toReadThem(`${command} ${range}`)], ''));
      }
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

function missingDays(missing: readonly MissingUnit[], direction: Direction, companyCount: number): Gap[] {
  return (['never', 'early', 'failed'] as const).flatMap((reason) => {
    const units = missing.filter((unit) => unit.direction === direction && unit.reason === reason);
    const days = [...new Set(units.map(({ day }) => day))];
    const companies = new Set(units.map(({ rut }) => rut)).size;
    if (days.length === 0) return [];
    const companiesText = companyCount > 1 ? SAY.ofCompanies(companies, companyCount) : '';
    return [{ said: joined([SAY.gap(reason, days.length, direction), companiesText], ''), days }];
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
  return [{ said: SAY.noDetails(Number(count)), days: [first, last] }];
}
