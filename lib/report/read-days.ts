import type { CompanyCoverage } from '../coverage/company-coverage.ts';
import { isTroubled } from '../coverage/day.ts';
import { type AskedCoverage, readCoverage } from '../coverage/read-coverage.ts';
import { rangeInWords, STATES } from '../coverage/words.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { RECEIPT_TABLES } from '../lake/tables.ts';
import { lagNote } from '../publish/publish-days.ts';
import type { Answer } from '../query/answer.ts';
import { companyCondition } from '../query/named-queries.ts';
import { CfeLakeError } from '../system/errors.ts';
import { PROGRAM } from '../system/program.ts';
import { counted, shortDay } from '../text/spanish.ts';
import { shortened } from '../text/text-table.ts';
import { addDays, type Day, type DayRange, dayRanges } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import type { ReportDay } from './parts.ts';

/** The days of a period in which companies' receipts were issued, and what keeps figures of it from being whole. */
export interface ReadPeriod extends DayRange {
  /** Today in Uruguay. */
  today: Day;
  /** The command that reads days of the lake again. */
  readAgain: string;
  /** Whether the tables lag behind the units; undefined if that can't be told. */
  isLagging: boolean | undefined;
  /** Why objects of the audit could not be read. Days that only they have count as missing. */
  damaged: readonly string[];
}

/** What commands that are advised take companies from; absent: the usual file. */
export interface FromCompaniesFile {
  companiesFile?: string | undefined;
}

/**
 * What the audit says of the days of companies. It is read before the tables are asked: they may catch up meanwhile, but
 * never lag unnoticed. Throws what readCoverage throws.
 */
export async function readDays(
  store: LakeStore,
  { from, to, today, companiesFile, ...asked }: Omit<AskedCoverage, 'directions'> & FromCompaniesFile,
) {
  // Future days are not missing.
  const lastDay = today > to ? to : addDays(today, -1);
  const coverage = await readCoverage(store, { ...asked, from, to: lastDay, today, directions: DIRECTIONS });
  const isLagging = await isPeriodLagging(store, { from, to });
  const readAgain = await readAgainCommand(PROGRAM, store, companiesFile);
  const { ruts, companies, damaged } = coverage;
  return { ruts, companies, period: { from, to, today, readAgain, isLagging, damaged } };
}

/** Nobody can tell without permission to list units, which a caller who may query the tables may lack. */
async function isPeriodLagging(store: LakeStore, days: DayRange): Promise<boolean | undefined> {
  try {
    return (await lagNote(store, RECEIPT_TABLES, days)) !== undefined;
  } catch {
    return undefined;
  }
}

/** Asks which days the tables have receipts of, with the list and the RUT. */
export function heldDaysSql(ruts: readonly string[], from: Day, to: Day): string {
  const daysOf = (direction: Direction) =>
    `SELECT DISTINCT '${direction}' AS lista, fecha, rut FROM ${direction} WHERE fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition('', ruts)}`;
  return DIRECTIONS.map(daysOf).join('\nUNION ALL\n');
}

/** The answer to that. */
export function heldDays({ rows }: Answer) {
  const held = new Set(rows.map(String));
  return {
    ruts: [...new Set(rows.flatMap((row) => row.at(-1) ?? []))].sort(),
    holds: (rut: string) => (direction: string, day: Day) => held.has(String([direction, day, rut])),
  };
}

/**
 * All days of both lists, in order, received first. `holds`: whether the tables have receipts of that day; where they do
 * not, and the audit counts some, the company was forgotten or the day's object is gone.
 */
export function daysOf(
  { calendars }: CompanyCoverage,
  { isLagging }: ReadPeriod,
  holds: (direction: string, day: Day) => boolean,
): ReportDay[] {
  return calendars.flatMap(({ direction, days }) =>
    days.map((day) => {
      const isHeld = day.receipts === null || day.receipts === 0 || holds(direction, day.day);
      const isGone = isLagging === false && !isHeld;
      return { ...day, direction, ...(isGone && { state: 'missing' as const, receipts: null }) };
    }),
  );
}

/** What the figures of a period may lack. */
export interface Lack {
  /** What is lacking, in Spanish, as the workbooks are. */
  text: string;
  /** The command that reads it, if one does. */
  command: string | undefined;
  /** Whether the point "days" of a close is open; undefined if nobody can tell. */
  isOpen: boolean | undefined;
}

const MOST_COMPANIES = 5;
/** The details have the VAT. */
export const DETAILS = DIRECTIONS.map((direction) => ` --details ${direction}`).join('');

export interface DaysOfCompany {
  rut: string;
  /** The days, if anything is known of them. */
  days: readonly ReportDay[] | undefined;
}

/** What the days lack, if they lack anything. */
export function lackOfDays(companies: readonly DaysOfCompany[], period: ReadPeriod): Lack | undefined {
  const { from, to, today, readAgain, isLagging, damaged } = period;
  const lacking = companies.flatMap(({ rut, days }) => {
    const marked = days?.filter(({ state }) => isTroubled(state)) ?? [];
    return days === undefined || marked.length > 0 ? [{ rut, marked }] : [];
  });
  const texts = [
    ...(today > to ? [] : [`El período no terminó: va hasta el ${shortDay(to)}.`]),
    ...(companies.length > 0 ? [] : ['No se leyó nada de este período.']),
    ...(lacking.length === 0 ? [] : [`Faltan días, o hay que volver a leerlos: ${whichDays(lacking)}.`]),
    ...(isLagging === true
      ? ['Las tablas no tienen todo lo leído: la próxima lectura las pone al día.']
      : []),
    ...(isLagging === undefined ? ['No se sabe si las tablas tienen todo lo leído.'] : []),
    ...(damaged.length > 0 ? ['No se sabe qué más falta: una parte de lo anotado al leer está dañada.'] : []),
  ];
  if (texts.length === 0) return undefined;
  const days = lacking.flatMap(({ marked }) => marked.map(({ day }) => day)).sort();
  const [first = from, last = to] = [days[0], days.at(-1)];
  const isAnyRead = lacking.length > 0 || companies.length === 0;
  const ruts = lacking.length > MOST_COMPANIES ? [] : lacking.map(({ rut }) => ` --rut ${rut}`);
  return {
    text: texts.join(' '),
    command: isAnyRead ? `${readAgain}${ruts.join('')} --from ${first} --to ${last}${DETAILS}` : undefined,
    isOpen: today <= to || companies.length === 0 || lacking.length > 0 || isLagging !== false,
  };
}

/** `RUT 219999830019: emitidos del 03/11/2026 al 09/11/2026 (sin leer)`. */
function whichDays(lacking: readonly { rut: string; marked: readonly ReportDay[] }[]): string {
  const texts = lacking.map(({ rut, marked }) => {
    const groups = [...Map.groupBy(marked, ({ direction, state }) => `${direction} ${state}`).values()];
    const said = groups.flatMap((group) => {
      const ranges = dayRanges(group.map(({ day }) => day)).map(rangeInWords);
      return group
        .slice(0, 1)
        .map(({ direction, state }) => `${direction} ${ranges.join(', ')} (${STATES[state]})`);
    });
    return `RUT ${rut}: ${said.join(', ') || 'no se sabe qué días se leyeron'}`;
  });
  return shortened(texts, MOST_COMPANIES, (count) => `y ${counted(count, ['empresa', 'empresas'])} más`).join(
    '; ',
  );
}

/** The text, and below it the command. */
export function lackText({ text, command }: Lack): string {
  return command === undefined ? text : `${text} Para leerlos:\n  ${command}`;
}

/** A file that somebody declares would lack receipts of a whole month. */
export class MonthNotReadError extends CfeLakeError {
  override name = 'MonthNotReadError';
  constructor(file: string, lack: Lack) {
    super(`No se escribió ${file}. ${lackText(lack)}\nCon --aceptar days se escribe igual.`, {
      isMultiline: true,
    });
  }
}
