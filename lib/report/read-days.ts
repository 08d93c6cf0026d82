import type { CompanyCoverage } from '../coverage/company-coverage.ts';
import { isTroubled } from '../coverage/day.ts';
import { type AskedCoverage, readCoverage } from '../coverage/read-coverage.ts';
import { rangeInWords } from '../coverage/words.ts';
import { areDetailsOlder } from '../lake/details-of-list.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import { readAgainCommand } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { RECEIPT_TABLES, TABLE_OF } from '../lake/tables.ts';
import { lagNote } from '../publish/publish-days.ts';
import type { Answer } from '../query/answer.ts';
import { companyCondition } from '../query/named-queries.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { CfeLakeError } from '../system/errors.ts';
import { PROGRAM } from '../system/program.ts';
import { counted, type Several, shortDay } from '../text/spanish.ts';
import { shortened } from '../text/text-table.ts';
import { addDays, type Day, type DayRange, dayRanges, isDay } from '../time/days.ts';
import { isTwelveDigits } from '../units/rut.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import { isToReadAgain, REPORT_STATES, type ReportDay } from './report-day.ts';

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
 * What the audit and the units say of the days of companies, before the tables are asked; `afterTables` asks the units once
 * more, as a run may have changed them in between. Throws what readCoverage throws.
 */
export async function readDays(
  store: LakeStore,
  { from, to, today, companiesFile, ...asked }: Omit<AskedCoverage, 'directions'> & FromCompaniesFile,
) {
  // Future days are not missing.
  const lastDay = today > to ? to : addDays(today, -1);
  const coverage = await readCoverage(store, { ...asked, from, to: lastDay, today, directions: DIRECTIONS });
  const { ruts, damaged } = coverage;
  const calendars = await Array.fromAsync(coverage.companies);
  const before = await readUnits(store, calendars, { from, to });
  const readAgain = await readAgainCommand(PROGRAM, store, companiesFile);
  const readWith = (units: readonly ReadUnits[]) => {
    const companies = calendars.map((company): ReadCompany => {
      const isOlder: ReadCompany['isOlder'] = (direction, day) => {
        const said = units.map((read) => read.isOlder({ rut: company.rut, direction, day }));
        return said.includes(true) ? true : said.at(-1);
      };
      return { ...company, isOlder };
    });
    const lags = units.map(({ isLagging }) => isLagging);
    const isLagging = lags.includes(true) ? true : lags.includes(undefined) ? undefined : false;
    return { companies, period: { from, to, today, readAgain, isLagging, damaged } };
  };
  const afterTables = async () => readWith([before, await readUnits(store, calendars, { from, to })]);
  return { ruts, ...readWith([before]), afterTables };
}

/** What is known of a company's days. */
export interface ReadCompany extends CompanyCoverage {
  /** Whether that day's details are of another list than the stored one; undefined if its units say nothing of it. */
  isOlder(direction: Direction, day: Day): boolean | undefined;
}

type DayOfCompany = { rut: string; direction: Direction; day: Day };

interface ReadUnits {
  /** Whether the tables lag behind them; undefined if that can't be told. */
  isLagging: boolean | undefined;
  isOlder(day: DayOfCompany): boolean | undefined;
}

const UNITS_AT_ONCE = 32;

/** Runs that were killed, or that knew nothing of each other, may have told the audit something else than what is stored. */
async function readUnits(
  store: LakeStore,
  companies: readonly CompanyCoverage[],
  range: DayRange,
): Promise<ReadUnits> {
  const isLagging = await isPeriodLagging(store, range);
  const units = companies.flatMap(({ rut, calendars }) =>
    calendars.flatMap(({ direction, days }) =>
      days.flatMap(({ day, receipts }) =>
        isTwelveDigits(rut) && (receipts ?? 0) > 0 ? [{ rut, direction, day }] : [],
      ),
    ),
  );
  const nameOf = ({ rut, direction, day }: DayOfCompany) => `${rut} ${direction} ${day}`;
  const older = new Map<string, boolean | undefined>();
  try {
    await forEachConcurrent(units, UNITS_AT_ONCE, async (unit) => {
      older.set(nameOf(unit), await areDetailsOlder(store, unit).catch(trueIfDamaged));
    });
  } catch {
    // The days stay open, as where nobody can tell whether the tables lag.
    return { isLagging: isLagging === true ? true : undefined, isOlder: () => undefined };
  }
  return { isLagging, isOlder: (day) => older.get(nameOf(day)) };
}

/** Of what is damaged, nobody can tell which list it is of: it has to be read again. */
function trueIfDamaged(error: unknown): true {
  if (error instanceof DamagedObjectError) return true;
  throw error;
}

/** Nobody can tell without permission to list units, which a caller who may query the tables may lack. */
async function isPeriodLagging(store: LakeStore, days: DayRange): Promise<boolean | undefined> {
  try {
    // Marks stay for some time after a run: a month that was just read in full has more of them than a note looks at.
    const mostDays = Number.POSITIVE_INFINITY;
    return (await lagNote(store, RECEIPT_TABLES, days, { mostDays })) !== undefined;
  } catch {
    return undefined;
  }
}

/**
 * All days of both lists, in order, received first. `heldCount`: how many receipts of that day the tables have; where the
 * audit counts more, the company was forgotten, or the day's object is gone or an older one; where it says that there are
 * none, a run that was killed read them.
 */
export function daysOf(
  { calendars, isOlder }: ReadCompany,
  { isLagging }: ReadPeriod,
  heldCount: (direction: string, day: Day) => number,
): ReportDay[] {
  return calendars.flatMap(({ direction, days }) =>
    days.map((day): ReportDay => {
      const held = heldCount(direction, day.day);
      const isGone = held < (day.receipts ?? 0);
      const isUnknown = held > 0 && day.readings?.lastGood?.state === 'vacio';
      if (isLagging === false && (isGone || isUnknown))
        return { ...day, direction, state: 'missing', receipts: null };
      const areOlder = isOlder(direction, day.day) ?? day.readings?.lackOfDetails === 'older';
      return { ...day, direction, ...(areOlder && !isTroubled(day.state) && { state: 'older' }) };
    }),
  );
}

/** No date is corrected by more days. */
const MOST_DAYS_MOVED = 31;

/** Receipts, and the first and the last of their days. */
interface ReceiptsOfDays extends DayRange {
  count: number;
}

/** Which of a company's receipts of a period more than one day lists, or none. */
export interface Listings {
  /** Their date changed, and they count twice, here or in another month, until the old day is read again. */
  moved: ReceiptsOfDays | undefined;
  /** In no sum, although no receipt is ever withdrawn: a credit note annuls it. */
  gone: ReceiptsOfDays | undefined;
}

/** The first and the last day to read again of such receipts, if there are any. */
export function daysOfMoved(listings: Listings | undefined): Day[] {
  return listings?.moved === undefined ? [] : [listings.moved.from, listings.moved.to];
}

/** Asks for them, of companies or of all, with the RUT. */
export function listingsSql(ruts: readonly string[], { from, to }: DayRange): string {
  const rowsOf = (direction: Direction) =>
    `SELECT '${direction}' AS lista, rut, id, fecha, visto_por_ultima_vez IS NULL AS esta,
  fecha BETWEEN DATE '${from}' AND DATE '${to}' AS se_pregunta
FROM ${TABLE_OF[direction].name}
WHERE fecha BETWEEN DATE '${addDays(from, -MOST_DAYS_MOVED)}' AND DATE '${addDays(to, MOST_DAYS_MOVED)}'${companyCondition('', ruts)}`;
  const counts = ['dias > 1', 'dias = 0'].map(
    (those) => `count(*) FILTER (${those}), min(primera) FILTER (${those}), max(ultima) FILTER (${those})`,
  );
  return `SELECT ${counts.join(', ')}, rut FROM (
SELECT rut, count(*) FILTER (esta) AS dias,
  coalesce(min(fecha) FILTER (esta), min(fecha) FILTER (se_pregunta)) AS primera,
  coalesce(max(fecha) FILTER (esta), max(fecha) FILTER (se_pregunta)) AS ultima
FROM (${DIRECTIONS.map(rowsOf).join('\nUNION ALL\n')}) AS filas
GROUP BY lista, rut, id
HAVING (dias > 1 AND bool_or(esta AND se_pregunta)) OR (dias = 0 AND bool_or(se_pregunta))) AS comprobantes
GROUP BY rut`;
}

/** The answer to that. */
export function listings({ rows }: Answer): (rut: string) => Listings {
  const receipts = ([count, from, to]: Answer['rows'][number]): ReceiptsOfDays | undefined =>
    from != null && to != null && isDay(from) && isDay(to) ? { count: Number(count), from, to } : undefined;
  const known = new Map(
    rows.map((row) => [row.at(-1), { moved: receipts(row), gone: receipts(row.slice(3)) }]),
  );
  return (rut) => known.get(rut) ?? { moved: undefined, gone: undefined };
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
  listings?: Listings;
}

const SAID: Readonly<Record<keyof Listings, Several>> = {
  moved: [
    'comprobante está en dos días: su fecha cambió, y hay que volver a leerlos',
    'comprobantes están en dos días: su fecha cambió, y hay que volver a leerlos',
  ],
  gone: [
    'comprobante ya no está en la lista de ningún día: las sumas no lo cuentan',
    'comprobantes ya no están en la lista de ningún día: las sumas no los cuentan',
  ],
};

/** `2 comprobantes …` with their days; undefined if there are none. */
export function listingsText(listings: Listings | undefined, which: keyof Listings): string | undefined {
  const receipts = listings?.[which];
  if (receipts === undefined) return undefined;
  const { count, from, to } = receipts;
  return `${counted(count, SAID[which])} (${rangeInWords(`${from}..${to}`)})`;
}

/** That of each company that has any. */
function listingsOf(companies: readonly DaysOfCompany[], which: keyof Listings) {
  return companies.flatMap(({ rut, listings }) => {
    const text = listingsText(listings, which);
    return text === undefined ? [] : [{ rut, text }];
  });
}

/** What the days lack, if they lack anything: among it, another reading where a receipt is in two of them. */
export function lackOfDays(companies: readonly DaysOfCompany[], period: ReadPeriod): Lack | undefined {
  const { from, to, today, readAgain, isLagging, damaged } = period;
  const lacking = companies.flatMap(({ rut, days }) => {
    const marked = days?.filter(isToReadAgain) ?? [];
    return days === undefined || marked.length > 0 ? [{ rut, marked }] : [];
  });
  const moved = listingsOf(companies, 'moved');
  const texts = [
    ...(today > to ? [] : [`El período no terminó: va hasta el ${shortDay(to)}.`]),
    ...(companies.length > 0 ? [] : ['No se leyó nada de este período.']),
    ...(lacking.length === 0 ? [] : [`Faltan días, o hay que volver a leerlos: ${whichDays(lacking)}.`]),
    ...(moved.length === 0 ? [] : [`${ofCompanies(moved)}.`]),
    ...(isLagging === true
      ? ['Las tablas no tienen todo lo leído: la próxima lectura las pone al día.']
      : []),
    ...(isLagging === undefined ? ['No se sabe si las tablas tienen todo lo leído.'] : []),
    ...(damaged.length > 0 ? ['No se sabe qué más falta: una parte de lo anotado al leer está dañada.'] : []),
  ];
  if (texts.length === 0) return undefined;
  const days = [
    ...lacking.flatMap(({ marked }) => marked.map(({ day }) => day)),
    ...companies.flatMap(({ listings }) => daysOfMoved(listings)),
  ].sort();
  const [first = from, last = to] = [days[0], days.at(-1)];
  const toRead = new Set([...lacking, ...moved].map(({ rut }) => rut));
  const isAnyRead = toRead.size > 0 || companies.length === 0;
  const ruts = toRead.size > MOST_COMPANIES ? [] : [...toRead].map((rut) => ` --rut ${rut}`);
  return {
    text: texts.join(' '),
    command: isAnyRead ? `${readAgain}${ruts.join('')} --from ${first} --to ${last}${DETAILS}` : undefined,
    isOpen: today <= to || companies.length === 0 || toRead.size > 0 || isLagging !== false,
  };
}

/** What a file of these figures lacks: that, and receipts that are gone, which no reading brings. */
export function lackOfFigures(companies: readonly DaysOfCompany[], period: ReadPeriod): Lack | undefined {
  const lack = lackOfDays(companies, period);
  const gone = listingsOf(companies, 'gone');
  if (gone.length === 0) return lack;
  const text = [`${ofCompanies(gone)}.`, ...(lack === undefined ? [] : [lack.text])].join(' ');
  return { command: undefined, isOpen: false, ...lack, text };
}

/** `RUT 219999830019: emitidos del 03/11/2026 al 09/11/2026 (sin leer)`. */
function whichDays(lacking: readonly { rut: string; marked: readonly ReportDay[] }[]): string {
  const texts = lacking.map(({ rut, marked }) => {
    const groups = [...Map.groupBy(marked, ({ direction, state }) => `${direction} ${state}`).values()];
    const said = groups.flatMap((group) => {
      const ranges = dayRanges(group.map(({ day }) => day)).map(rangeInWords);
      return group
        .slice(0, 1)
        .map(({ direction, state }) => `${direction} ${ranges.join(', ')} (${REPORT_STATES[state]})`);
    });
    return { rut, text: said.join(', ') || 'no se sabe qué días se leyeron' };
  });
  return ofCompanies(texts);
}

function ofCompanies(said: readonly { rut: string; text: string }[]): string {
  const texts = said.map(({ rut, text }) => `RUT ${rut}: ${text}`);
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
