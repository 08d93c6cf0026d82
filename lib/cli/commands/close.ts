import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeClientFolder } from '../../close/client-folder.ts';
import { readClose } from '../../close/close-folder.ts';
import {
  type Changes,
  type ClosedCompany,
  closeMonth,
  type ReconciledList,
} from '../../close/close-month.ts';
import { POINTS } from '../../close/phrases.ts';
import { POINT_NAMES, type PointName } from '../../close/points.ts';
import { briefly } from '../../close/rectification.ts';
import { namesOf } from '../../companies/company.ts';
import { isTroubled } from '../../coverage/day.ts';
import { plainTable, textObjectsOf, withoutEmpty } from '../../query/answer.ts';
import type { LakeDatabase } from '../../query/lake-database.ts';
import type { Narrowing } from '../../query/named-queries.ts';
import { FORM } from '../../query/phrases.ts';
import type { Report } from '../../report/read-report.ts';
import { EXIT_FAILED, messageOf, WrongInputError } from '../../system/errors.ts';
import { PROGRAM, readVersion } from '../../system/program.ts';
import { joined, type Language, type Localized } from '../../text/language.ts';
import { printableLine, shellWord } from '../../text/terminal.ts';
import {
  type DayRange,
  dayRanges,
  daysBetween,
  isWithin,
  uruguayDateTime,
  uruguayDay,
} from '../../time/days.ts';
import { isTwelveDigits } from '../../units/rut.ts';
import { DIRECTIONS } from '../../units/unit.ts';
import { readListFile } from '../../verify/official/list-file.ts';
import {
  compareWith,
  countsOf,
  isAllEqual,
  lacksOf,
  type ReconcileQuestion,
} from '../../verify/reconcile.ts';
import { SPANISH } from '../../verify/reconcile-texts.ts';
import {
  defineCommand,
  flag,
  folderToWrite,
  JSON_OPTION,
  oneValue,
  type Terminal,
  tokensFile,
} from '../command.ts';
import { companiesOf } from '../options/found-companies.ts';
import { LAKE_OPTION, lakeWords, nothingExported, openFoundLake } from '../options/lake.ts';
import { askedUi, checkedRut, monthDays, RUTS_OPTION, UI_OPTION } from '../options/units.ts';
import { SAY } from '../phrases/close.ts';
import { SAY as REPORT } from '../phrases/report.ts';
import { failureOf } from '../printer.ts';
import { startProgress } from '../progress.ts';
import { answerJson, answerPage, questionOf } from './reconcile.ts';

export const closeCommand = defineCommand({
  options: {
    month: oneValue('YYYY-MM', SAY.month()),
    ...RUTS_OPTION,
    out: folderToWrite(SAY.out()),
    lists: oneValue('FOLDER', SAY.listsFolder()),
    again: flag(SAY.closeAgain()),
    'for-client': folderToWrite(SAY.forClientFolder()),
    accept: oneValue('NAMES', SAY.acceptNames(POINT_NAMES.join(','))),
    ...JSON_OPTION,
    ...UI_OPTION,
    ...LAKE_OPTION,
    companies: tokensFile(REPORT.companies()),
  },
  examples: [
    'close --month 2026-10 --out cierres',
    'close --month 2026-10 --out cierres --for-client entregas',
    'close --month 2026-10 --rut 219999830019 --out cierres --lists listas --accept rejected,gaps',
  ],
  notes: [
    SAY.noteFiles(),
    SAY.noteForClient(),
    SAY.noteAgain(),
    SAY.notePoints(),
    ...POINT_NAMES.map((name) => joined([`  ${name.padEnd(10)}`, POINTS[name]()], '')),
  ],
  run: async (options, _words, terminal) => {
    const { month, out, json: isJson = false } = options;
    if (month === undefined) throw new WrongInputError(REPORT.whichMonth());
    if (out === undefined) throw new WrongInputError(SAY.whereTo());
    const { from, to } = monthDays(month);
    const nowMs = Date.now();
    const today = uruguayDay(nowMs);
    if (to >= today) throw new WrongInputError(SAY.notOver(month, today));
    const accepted = acceptedPoints(options.accept);
    const ruts = options.rut?.map(checkedRut);
    const ui = askedUi(options.ui);
    const store = await openFoundLake(options, terminal);
    const named = await companiesOf(options, store, terminal);
    const { stdout, stderr, signal } = terminal;
    const lists = await listFiles(options.lists);
    const asked = {
      from,
      to,
      today,
      ruts,
      out,
      accepted,
      ui,
      signal,
      version: readVersion(),
      isAgain: options.again === true || ruts !== undefined,
      names: named && namesOf(named.companies),
      alsoRuts: ruts ?? named?.companies.map(({ rut }) => rut),
      madeAt: uruguayDateTime(nowMs),
      reconcile: (report: Report, database: LakeDatabase) =>
        reconciled(report, database, listsOf(report.rut, lists), ui, signal),
    };
    const closes: ClosedCompany[] = [];
    let progress: ReturnType<typeof startProgress> | undefined;
    for await (const { closed, companyCount } of closeMonth(store, asked)) {
      progress ??= startProgress(stderr, companyCount);
      closes.push(closed);
      const company = closed.name ?? closed.rut;
      const step = closed.state === 'refused' ? SAY.refusing(company) : company;
      progress.step(stderr.textOf(step), closed.state === 'failed');
    }
    progress?.end();
    if (closes.length === 0) {
      throw new WrongInputError(nothingExported(store.address, { from, to }, month));
    }
    const unused = lists.filter(
      (path) =>
        !closes.some(({ rut }) => rut === rutOfList(path)) &&
        // Of a company that is not asked for, most likely.
        (ruts === undefined || rutOfList(path) === undefined),
    );
    if (unused.length > 0) stderr.writeWarning(SAY.unusedLists(unused.map(printableLine).join(', ')));
    const open = closes.filter(({ state }) => state !== 'closed' && state !== 'same');
    if (isJson) {
      const companies = closes.map(({ changes, ...closed }) => ({
        ...closed,
        ...(closed.state === 'failed' && { error: messageOf(closed.error) }),
        ...(closed.state === 'closed' && { leftOut: closed.leftOut?.('en') ?? null }),
        ...(changes && { changes: { ...changes, differences: textObjectsOf(changes.differences) } }),
      }));
      stdout.write(`${JSON.stringify({ month, lake: store.address, companies }, undefined, 2)}\n`);
    } else {
      for (const closed of closes) {
        stdout.writeProse(`${stdout.textOf(lineOf(closed, lists.length > 0))}\n`);
        if (closed.changes !== undefined)
          tellChanges(
            closed.changes,
            `--rut ${closed.rut} --month ${month}${lakeWords(store.address)}`,
            terminal,
          );
      }
      const refused = open.filter((closed) => closed.state === 'refused');
      const names = [...accepted, ...refused.flatMap(({ points }) => points.map(({ name }) => name))];
      if (refused.length > 0) stdout.say(SAY.accept([...new Set(names)].join(',')));
      if (open.some(({ state }) => state === 'left')) stdout.say(SAY.again());
    }
    const handedOver = await handOver(closes, options['for-client']);
    for (const said of handedOver.said) (isJson ? stderr : stdout).say(said);
    for (const problem of handedOver.problems) stderr.writeProblem(problem);
    if (open.length > 0) stderr.writeProblem(SAY.notClosed(open.length, closes.length));
    return open.length + handedOver.problems.length === 0 ? 0 : EXIT_FAILED;
  },
});

/** Writes the folders for clients of what is closed and still so, and says of whom there is none. One that fails stops no other. */
async function handOver(closes: readonly ClosedCompany[], out: string | undefined) {
  const said: Localized[] = [];
  const problems: Localized[] = [];
  if (out === undefined) return { said, problems };
  let writtenCount = 0;
  const notClosed: string[] = [];
  for (const closed of closes) {
    const company = companyOf(closed);
    if (closed.state !== 'closed' && closed.state !== 'same') notClosed.push(company);
    else
      try {
        await writeClientFolder(out, await readClose(closed.folder), closed.name);
        writtenCount += 1;
      } catch (error) {
        problems.push((language) => SAY.failed(company, failureOf(error, language).message)(language));
      }
  }
  if (writtenCount > 0) said.push(SAY.forClient(out, writtenCount));
  if (notClosed.length > 0) said.push(SAY.notForClient(notClosed.join('; ')));
  return { said, problems };
}

function companyOf({ rut, name }: ClosedCompany): string {
  return printableLine([rut, name ?? ''].join(' ').trim());
}

function lineOf(closed: ClosedCompany, areListsGiven: boolean): Localized {
  const company = companyOf(closed);
  if (closed.state === 'failed') {
    const { error } = closed;
    return (language) => SAY.failed(company, failureOf(error, language).message)(language);
  }
  if (closed.state === 'same') return SAY.same(company, closed.folder);
  if (closed.state === 'left') return SAY.left(company);
  if (closed.state === 'refused') {
    const points = closed.points.map(({ name, text }) => `${name}: ${text.replace(/\.$/, '')}`);
    return SAY.refused(company, points.join('; '));
  }
  const { leftOut, notAccepted } = closed;
  const formLacks = [leftOut, notAccepted > 0 ? FORM.notAccepted(notAccepted) : null].filter(
    (lack) => lack !== null,
  );
  const accepted = [...new Set(closed.accepted.map(({ name }) => name))].join(', ');
  const notes = [
    ...(closed.isEmpty ? [SAY.empty()] : []),
    ...(accepted === '' ? [] : [SAY.accepted(accepted)]),
    ...formLacks.map((lack) => (language: Language) => SAY.form(lack(language))(language)),
    ...(areListsGiven ? listsLacking(closed.lists) : []),
  ];
  return joined([SAY.closed(company, closed.folder), ...notes], '; ');
}

/** `kept`: what reconcile said of each list, by its file. */
function listsLacking(kept: readonly string[]): Localized[] {
  if (kept.length === 0) return [SAY.noList()];
  const lacking = DIRECTIONS.filter((direction) => !kept.some((name) => name.includes(direction)));
  return lacking.map((direction) => SAY.noListOf(direction));
}

const MOST_ROWS_TOLD = 12;

/** What is not as in the newest close: its first rows, and the command that shows all. */
function tellChanges(
  { since, differences, others: otherChanges }: Changes,
  words: string,
  { stdout }: Terminal,
): void {
  const { columns, rows } = withoutEmpty(briefly(differences));
  if (rows.length > 0) {
    const command = `${PROGRAM} query --named cambios-desde-el-cierre ${words} --close ${shellWord(since)}`;
    stdout.write(`${plainTable({ columns, rows: rows.slice(0, MOST_ROWS_TOLD) }, stdout.columns)}\n`);
    stdout.write(stdout.textOf(SAY.allRows(rows.length - MOST_ROWS_TOLD, command)));
  }
  if (otherChanges.length > 0)
    stdout.say(SAY.otherChanges(since, stdout.textOf(joined(otherChanges.map(changeText), ', '))));
}

function changeText(change: Changes['others'][number]): Localized {
  return change.name === 'verdict' ? SAY.verdict(printableLine(change.then), change.now) : SAY[change.name]();
}

/** Throws WrongInputError. */
function acceptedPoints(text = ''): ReadonlySet<PointName> {
  const names = text.split(',').filter((name) => name !== '');
  const known = POINT_NAMES.filter((name) => names.includes(name));
  if (known.length < new Set(names).size) throw new WrongInputError(SAY.wrongPoints(POINT_NAMES.join(', ')));
  return new Set(known);
}

async function listFiles(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) return [];
  return (await readdir(folder)).sort().map((name) => join(folder, name));
}

function listsOf(rut: string, files: readonly string[]): readonly string[] {
  return files.filter((path) => rutOfList(path) === rut);
}

/** The RUT with which its name begins. */
function rutOfList(path: string): string | undefined {
  return /^\d{12}(?!\d)/.exec(basename(path))?.[0];
}

/** A month has a list or two. Those of a company together have the bound of one. */
const MOST_LISTS = 12;
const MOST_LISTS_BYTES = 50 * 2 ** 20;
/** What is said of a company's lists, until they are written: some hundred thousand rows that differ. */
const MOST_KEPT_CHARACTERS = 200 * 2 ** 20;

/** Throws WrongInputError. */
async function assertFew(files: readonly string[]): Promise<void> {
  const read = files.slice(0, MOST_LISTS).map(async (file) => (await stat(file)).size);
  const byteCount = (await Promise.all(read)).reduce((sum, bytes) => sum + bytes, 0);
  if (files.length > MOST_LISTS || byteCount > MOST_LISTS_BYTES)
    throw new WrongInputError(SAY.manyLists(files.length, MOST_LISTS));
}

/** What reconcile says of the company's lists. Throws what it throws. */
async function reconciled(
  { rut, from, to, days, damaged }: Report,
  database: LakeDatabase,
  files: readonly string[],
  ui: Narrowing['ui'],
  signal: AbortSignal,
): Promise<ReconciledList[]> {
  if (!isTwelveDigits(rut)) return [];
  await assertFew(files);
  const lists: ReconciledList[] = [];
  const questions: ReconcileQuestion[] = [];
  /** Those of lists that say days of the month. */
  const covering: ReconcileQuestion[] = [];
  for (const file of files) {
    const list = await readListFile(file, { sheet: undefined, signal });
    const part = partOfMonth({ from, to }, list.days);
    const asked = { month: part ?? { from, to }, direction: undefined };
    const question = questionOf(list, rut, asked, SAY.unknownList(printableLine(file)));
    const { direction } = question;
    const isFirst = !questions.some((earlier) => earlier.direction === direction);
    questions.push(question);
    // One that says other days is compared all the same, as its title may be of something else.
    if (part !== undefined) covering.push(question);
    // As reconcile takes them: a day whose list was unstable is read.
    const unread = days.filter(
      ({ day, state }) =>
        state !== 'unstable' && state !== 'older' && isTroubled(state) && isWithin(question.days, day),
    );
    const unreadDays = unread.flatMap(({ day, ...read }) => (read.direction === direction ? [day] : []));
    const comparison = await compareWith(database, list, question, ui, {
      unreadDays,
      damaged,
      damagedRates: [],
    });
    const { from: first, to: last } = question.days;
    const daysText = first === from && last === to ? '' : ` del ${first} al ${last}`;
    const said = [SPANISH.counts(countsOf(comparison)), ...lacksOf(comparison)];
    const text = `Lista de ${direction}${daysText}: ${said.join(', ')}`;
    const name = `conciliacion-${direction}${isFirst ? '' : `-${lists.length}`}.json`;
    const [json, html] = [answerJson(basename(file), comparison), answerPage(basename(file), comparison)];
    lists.push({ name, isEqual: isAllEqual(comparison), text, json, html });
    const keptLength = lists.reduce((sum, kept) => sum + kept.json.length + kept.html.length, 0);
    if (keptLength > MOST_KEPT_CHARACTERS) throw new WrongInputError(SAY.largeLists());
  }
  for (const direction of DIRECTIONS) {
    const ofDirection = covering.filter((question) => question.direction === direction);
    const lacking = daysBetween(from, to).filter(
      (day) => !ofDirection.some((question) => isWithin(question.days, day)),
    );
    const list = lists[questions.findIndex((question) => question.direction === direction)];
    if (list === undefined || lacking.length === 0) continue;
    // Equal or not, it leaves the month open.
    list.isEqual = false;
    list.text += `, ninguna lista de ${direction} es de ${dayRanges(lacking).join(', ')}`;
  }
  return lists;
}

/** The days of the month that a list says, all where it says none at all; undefined where it says others alone. */
function partOfMonth(month: DayRange, said: DayRange = month): DayRange | undefined {
  const from = said.from > month.from ? said.from : month.from;
  const to = said.to < month.to ? said.to : month.to;
  return from <= to ? { from, to } : undefined;
}
