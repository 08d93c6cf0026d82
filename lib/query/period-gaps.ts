import { findMissingUnits, type MissingUnit } from '../audit/history.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import { PROGRAM } from '../system/program.ts';
import { joined, type Localized } from '../text/language.ts';
import { addDays, type Day, type DayRange, daysBetween, isDay, uruguayDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import { DIRECTIONS, type Direction, planUnits, type Unit } from '../units/unit.ts';
import { heldDays, heldDaysSql } from './held-days.ts';
import { companyCondition, type Narrowing } from './named-queries.ts';
import type { AskedLake } from './open-lake.ts';
import { SAY } from './phrases.ts';
import { ask } from './question.ts';

/** Days, and receipts without details, that a list lacks. */
interface Gap {
  said: Localized;
  days: readonly Day[];
}

/** Days of companies that were asked for, and the lists that the tables of the answer are of. */
interface AskedDays extends DayRange {
  ruts: readonly Rut[];
  directions: readonly Direction[];
}

/** Those before today; undefined if there are none. */
function askedDays(tables: readonly Table[], { from, to, ruts }: Narrowing): AskedDays | undefined {
  const yesterday = addDays(uruguayDay(Date.now()), -1);
  const directions = DIRECTIONS.filter((direction) =>
    [TABLE_OF[direction], DETAIL_TABLE_OF[direction]].some((table) => tables.includes(table)),
  );
  if (from === undefined || from > yesterday || directions.length === 0) return undefined;
  const last = to === undefined || to > yesterday ? yesterday : to;
  return { from, to: last, ruts: ruts.filter(isTwelveDigits), directions };
}

function heldSql({ ruts, directions, ...days }: AskedDays): string {
  return heldDaysSql(ruts, days, directions);
}

/** What the notes on days ask of the tables, besides the question. */
export function gapQuestions(tables: readonly Table[], narrowing: Narrowing): string[] {
  const asked = askedDays(tables, narrowing);
  return asked === undefined ? [] : [heldSql(asked)];
}

/**
 * Notes on days before today of the companies that were asked for, or of all, that do not count as read or of which the
 * tables have fewer receipts than were read, and on receipts without details where the tables of the answer need these, each
 * with the command that reads them. None if no days were asked for, or the audit can't be read: not everyone who may query
 * may read it. `areDaysTold`: whether days are; the lake was then opened for gapQuestions too.
 */
export async function gapNotes(
  lake: AskedLake,
  tables: readonly Table[],
  narrowing: Narrowing,
  areDaysTold = true,
): Promise<Localized[]> {
  const asked = askedDays(tables, narrowing);
  if (asked === undefined) return [];
  const { store } = lake;
  const { directions } = asked;
  try {
    const rutWords = asked.ruts.map((rut) => ` --rut ${rut}`).join('');
    const command = `${await readAgainCommand(PROGRAM, store)}${rutWords}`;
    const held = areDaysTold ? heldDays(await ask(lake, heldSql(asked))) : undefined;
    const { lacking, companyCount } = await lackingUnits(store, asked, held);
    const notes: Localized[] = companyCount === undefined ? [SAY.tooManyDays()] : [];
    for (const direction of directions) {
      const areDetailsAsked = tables.includes(DETAIL_TABLE_OF[direction]);
      const gaps = [
        ...lackingDays(lacking, direction, companyCount ?? 0),
        ...(areDetailsAsked ? await missingDetails(lake, direction, asked) : []),
      ];
      const days = gaps.flatMap((gap) => gap.days).sort();
      const details = areDetailsAsked ? ` --details ${direction}` : '';
      const range = `--from ${days[0]} --to ${days.at(-1)} --direction ${direction}${details}`;
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

interface LackingUnit extends Unit {
  reason: MissingUnit['reason'] | 'gone';
}

/** Of a thousand companies, more than a year; a sent lake may have any number of either. */
const MOST_UNITS = 1_000_000;

/**
 * Units that do not count as read, or of which the audit counts more receipts than the tables have, and of how many
 * companies: undefined where they are too many to look at. If none was asked for, of all in the tables and in the audit.
 */
async function lackingUnits(
  store: LakeStore,
  { ruts: named, directions, from, to }: AskedDays,
  held: ReturnType<typeof heldDays> | undefined,
): Promise<{ lacking: readonly LackingUnit[]; companyCount: number | undefined }> {
  if (held === undefined) return { lacking: [], companyCount: 0 };
  const days = daysBetween(from, to);
  const areTooMany = (ruts: readonly Rut[]) => ruts.length * days.length * directions.length > MOST_UNITS;
  let ruts = named.length > 0 ? named : held.ruts.filter(isTwelveDigits);
  if (areTooMany(ruts)) return { lacking: [], companyCount: undefined };
  let read = await findMissingUnits(store, ruts, directions, days);
  const others = named.length > 0 ? [] : [...read.otherRuts].filter(isTwelveDigits);
  if (others.length > 0) {
    ruts = [...ruts, ...others].sort();
    if (areTooMany(ruts)) return { lacking: [], companyCount: undefined };
    read = await findMissingUnits(store, ruts, directions, days);
  }
  const { missing, find } = read;
  const isGone = ({ rut, direction, day }: Unit) =>
    held.countOf(rut)(direction, day) < (find(rut, direction, day)?.lastGood?.receipts ?? 0);
  const gone = ruts.flatMap((rut) => planUnits(rut, directions, days).filter(isGone));
  const lacking = [
    ...gone.map((unit) => ({ ...unit, reason: 'gone' as const })),
    ...missing.filter((unit) => !isGone(unit)),
  ];
  return { lacking, companyCount: ruts.length };
}

function lackingDays(lacking: readonly LackingUnit[], direction: Direction, companyCount: number): Gap[] {
  return (['gone', 'never', 'early', 'failed'] as const).flatMap((reason) => {
    const units = lacking.filter((unit) => unit.direction === direction && unit.reason === reason);
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
