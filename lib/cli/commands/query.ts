import type { FrozenMonth } from '../../close/frozen-month.ts';
import { SAY as SAY_OF_CLOSES } from '../../close/phrases.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { COTIZACIONES, DETAIL_TABLE_OF, TABLES } from '../../lake/tables.ts';
import { type Answer, textColumn } from '../../query/answer.ts';
import type { LakeDatabase } from '../../query/lake-database.ts';
import {
  isDeclared,
  type Narrowing,
  namedQueries,
  namedQuery,
  narrowed,
  narrowingText,
  spanishName,
} from '../../query/named-queries.ts';
import type { AskedLake } from '../../query/open-lake.ts';
import { SAY as QUERY } from '../../query/phrases.ts';
import { spanishNotes, workbookNotes } from '../../query/spanish-notes.ts';
import { bookOf, companySheets } from '../../query/vat-book.ts';
import type { AnswerSheet } from '../../query/workbook.ts';
import { withWrittenValues } from '../../query/written-values.ts';
import { CfeLakeError, WrongInputError } from '../../system/errors.ts';
import { readSmallFile } from '../../system/private-files.ts';
import { PROGRAM } from '../../system/program.ts';
import { decodedText, NOT_UTF_8 } from '../../text/decoded-text.ts';
import type { Localized } from '../../text/language.ts';
import { textTable } from '../../text/text-table.ts';
import { nearest } from '../../text/typed-words.ts';
import { addDays, type Period, uruguayDay } from '../../time/days.ts';
import {
  ACCEPT_OPTION,
  answerTo,
  askedOutput,
  OUTPUT_OPTIONS,
  type Output,
  ROWS_IN_A_TERMINAL,
  type Subject,
  write,
  writeAnswer,
} from '../answer-output.ts';
import { defineCommand, flag, oneValue, type Parsed, type Terminal } from '../command.ts';
import { foundLake, LAKE_OPTION } from '../options/lake.ts';
import {
  askedPeriod,
  askedUi,
  checkedRut,
  monthDays,
  PERIOD_OPTIONS,
  RUTS_OPTION,
  UI_OPTION,
} from '../options/units.ts';
import { SAY as ANSWER, ANSWER as ANSWERS } from '../phrases/answer.ts';
import { SAY } from '../phrases/declared.ts';
import { failureOf } from '../printer.ts';

/** A name that shows all of them. */
const LIST = 'list';
/** Stands for SQL on standard input. */
const STANDARD_INPUT = '-';
const BYTE_ORDER_MARK = /^\u{feff}/u;

const QUESTION_OPTIONS = {
  named: oneValue('NAME', ANSWER.named(), {
    preset: LIST,
  }),
  rut: { ...RUTS_OPTION.rut, help: ANSWER.rut() },
  ...PERIOD_OPTIONS,
  close: oneValue('FOLDER', ANSWER.close()),
  ...UI_OPTION,
  sql: flag(ANSWER.sql()),
  ...ACCEPT_OPTION,
  force: flag(ANSWER.force()),
};

interface Question {
  sql: string;
  /** Partitions to leave out, of SQL that somebody typed; a named query says its days itself. */
  range: Period;
  /** The companies and days of a named query, instead of its own. */
  narrowing?: Narrowing;
  subject: Subject;
}

/**
 * The question in the words and options, to the lake or to a close. Throws WrongInputError, and errors of the file that
 * they name.
 */
async function askedQuestion({ options, words, closes, terminal }: Asked): Promise<Question> {
  const { named, rut: ruts = [], sql: isShown } = options;
  const ui = askedUi(options.ui);
  const period = askedPeriod(options, Date.now(), terminal);
  if (named === undefined) {
    if (isShown === true || (ruts.length > 0 && closes === undefined) || ui.size > 0)
      throw new WrongInputError(ANSWER.isForNamed());
    const sql = await askedSql(words, terminal);
    closes?.assertKept(sql);
    return {
      sql,
      range: closes === undefined ? period : {},
      subject: { sheetName: 'Respuesta', notes: sql.split('\n') },
    };
  }
  if (words.length > 0) throw new WrongInputError(ANSWER.sqlOrNamed());
  if (closes === undefined) return namedQuestion(named, { ...period, ruts: ruts.map(checkedRut), ui });
  const { frozen, isComparison, sql, notes } = closes;
  const question = namedQuestion(named, { ruts: frozen.ruts, from: frozen.from, to: frozen.to });
  const subject = {
    ...question.subject,
    notes: isComparison ? notes : [...question.subject.notes, '', ...notes],
  };
  return { ...question, sql, subject };
}

function queryNames(): string[] {
  return namedQueries().flatMap(({ name, alias = [] }) => [name].concat(alias));
}

function assertNamed(asked = LIST): void {
  const names = queryNames();
  if (asked === LIST || names.includes(asked)) return;
  throw new WrongInputError(ANSWER.noQuery(asked, nearest(asked, names), LIST));
}

function namedQuestion(asked: string, narrowing: Narrowing): Question {
  const query = namedQuery(asked);
  const { sql } = query;
  if (narrowing.to !== undefined && narrowing.from === undefined)
    throw new WrongInputError(ANSWER.toNeedsFrom());
  const text = narrowingText(narrowing);
  return {
    sql: text === undefined ? sql : narrowed(sql, narrowing).replace(/\n(?!--)/, `\n--\n-- ${text}\n`),
    range: {},
    narrowing,
    subject: {
      sheetName: spanishName(query),
      notes: workbookNotes(query.name, narrowing),
    },
  };
}

async function askedSql([word, surplus]: readonly string[], { stdin }: Terminal): Promise<string> {
  if (word === undefined || word.trim() === '') {
    const tables = TABLES.map(({ name }) => name).join(', ');
    throw new WrongInputError(ANSWER.whichQuestion(PROGRAM, tables));
  }
  const meant = /^[\w-]+$/.test(word) ? nearest(word, queryNames()) : undefined;
  if (meant !== undefined) throw new WrongInputError(ANSWER.isNamed(meant));
  if (surplus !== undefined) throw new WrongInputError(ANSWER.betweenQuotes());
  const isFile = /^\S+\.sql$/i.test(word);
  if (word !== STANDARD_INPUT) {
    const sql = isFile ? decodedText(await sqlFile(word)) : word;
    // With its letters replaced, a name such as Ñandú would match nothing.
    if (sql === undefined) throw new WrongInputError(`${word}: ${NOT_UTF_8}.`);
    return sql;
  }
  return stdin === undefined ? '' : (await sqlOf(stdin())).replace(BYTE_ORDER_MARK, '');
}

/** Nobody writes as much SQL. */
const MOST_SQL_BYTES = 2 ** 20;

/** A pipe is not waited for, and what has no end is not read to it. */
async function sqlFile(path: string): Promise<Buffer> {
  return await readSmallFile(path, MOST_SQL_BYTES).catch((error: unknown) => {
    throw error instanceof CfeLakeError ? new WrongInputError(`${path}: ${error.message}.`) : error;
  });
}

async function sqlOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    byteCount += bytes.length;
    if (byteCount > MOST_SQL_BYTES) throw new WrongInputError(ANSWER.longSql(MOST_SQL_BYTES));
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

const QUERY_OPTIONS = {
  ...LAKE_OPTION,
  ...QUESTION_OPTIONS,
  ...OUTPUT_OPTIONS,
  all: flag(ANSWER.allRows(ROWS_IN_A_TERMINAL)),
};

export const queryCommand = defineCommand({
  words: '[SQL|FILE.sql|-...]',
  options: QUERY_OPTIONS,
  examples: [
    'query "SELECT fecha, count(*) FROM recibidos GROUP BY fecha ORDER BY fecha"',
    'query "SELECT count(*) FROM emitidos" --lake s3://bucket --from 2026-11-01',
    'query --named libro-iva-ventas --rut 219999830019 --month 2026-11 --out libro.xlsx',
    'query --named changes-since-close --month 2026-10 --close cierres > changes.txt',
    'query "SELECT * FROM posicion_iva" --close cierres/219999830019/2026-10',
    'query --named formulario-2181 --rut 219999830019 --month 2026-11 --format dgi-2181 --out 2181.txt',
    'query --named sales-by-month --format csv --locale es-UY --out sales.csv',
  ],
  notes: [ANSWER.namedQueries(LIST), ANSWER.memory()],
  run: async (options, words, terminal) => {
    const output = askedOutput(options, options.all === true, terminal);
    assertNamed(options.named);
    assertForm(options, output);
    if (options.accept !== undefined && !isDeclaredFile(options, output))
      throw new WrongInputError(SAY.nothingToAccept());
    const closes = options.named === LIST ? undefined : await askedCloses(options, terminal);
    try {
      await KINDS[kindOf(options, closes)]({ options, words, output, closes, terminal });
      return 0;
    } finally {
      closes?.frozen.remove();
    }
  },
});

interface Asked {
  options: Parsed<typeof QUERY_OPTIONS>;
  words: readonly string[];
  output: Output;
  closes: AskedCloses | undefined;
  terminal: Terminal;
}

/** What is asked for, and what writes it. */
const KINDS = {
  'the names of queries': writeList,
  'the SQL of a query': async (asked: Asked) => {
    asked.terminal.stdout.write((await askedQuestion(asked)).sql);
  },
  'what closes have kept': (asked: Asked) => asked.closes && writeAnswerOfCloses(asked, asked.closes.frozen),
  'what the lake has': writeAnswerOfLake,
} as const;

function kindOf({ named, sql: isShown }: Asked['options'], closes: Asked['closes']): keyof typeof KINDS {
  if (named === LIST) return 'the names of queries';
  if (isShown === true) return 'the SQL of a query';
  return closes === undefined || closes.isComparison ? 'what the lake has' : 'what closes have kept';
}

async function writeAnswerOfCloses(asked: Asked, frozen: FrozenMonth): Promise<void> {
  const { options, terminal } = asked;
  const { sql, subject } = await askedQuestion(asked);
  const { openFrozen } = await import('../../close/frozen-month.ts');
  const database = await openFrozen(frozen, terminal.signal);
  try {
    const names = new Map(frozen.closes.map(({ index: { rut, name } }) => [rut, name ?? '']));
    const sheets = sheetsOf(options.named, subject, { ...frozen, names });
    const accepted = frozen.closes.flatMap(({ index }) => index.accepted);
    const lacking = accepted.filter(({ name }) => name === 'days' || name === 'gone').map(({ text }) => text);
    const warning = options.named !== undefined && lacking.length > 0 ? lacking.join(' ') : undefined;
    await writeTo(asked, database, sql, { ...subject, sheets, warning });
  } finally {
    database.close();
  }
}

async function writeAnswerOfLake(asked: Asked): Promise<void> {
  const { options, output, closes, terminal } = asked;
  const { signal, foreignNames, stderr } = terminal;
  const { sql, range, narrowing, subject } = await askedQuestion(asked);
  for (const rule of closes?.rules ?? []) stderr.say(rule);
  const lake = foundLake(options, terminal);
  const { openLake } = await import('../../query/open-lake.ts');
  const declared =
    narrowing !== undefined && isDeclaredFile(options, output)
      ? await declaredFile(options, output, narrowing, await openStoreToRead(lake, foreignNames), terminal)
      : undefined;
  let objects = 0;
  const onObject = () => {
    objects += 1;
    stderr.replaceLine(stderr.textOf(ANSWER.objects(objects)));
  };
  const questions = [sql, ...(declared?.questions ?? (await questionsOnGaps(sql, narrowing)))];
  const views = closes?.frozen.views;
  const database = await openLake(lake, questions, range, { signal, foreignNames, onObject, views });
  if (objects > 0) stderr.eraseLine();
  try {
    if (declared === undefined) tellOfLake(asked, database, narrowing);
    const warning = await declared?.lack(database);
    for (const note of await notesOfLake(options, database, sql, narrowing, declared !== undefined)) {
      const isSpanish = declared !== undefined || (narrowing !== undefined && output.format === 'xlsx');
      stderr.writeProse(`${note(isSpanish ? 'es' : stderr.language)}\n`);
    }
    const companies = { ...narrowing, ruts: narrowing?.ruts ?? [], names: declared?.names };
    const sheets = sheetsOf(options.named, subject, companies);
    await writeTo(asked, database, sql, { ...subject, sheets, warning });
  } finally {
    database.close();
  }
}

/** Tells which day was taken for the close's, and of days that the tables do not have yet. */
function tellOfLake(
  { options: { named }, closes, terminal: { stderr } }: Asked,
  { lagNote }: AskedLake,
  narrowing: Narrowing | undefined,
): void {
  if (closes === undefined && named !== undefined && namedQuery(named).name === CLOSE_QUERY) {
    const day =
      narrowing?.to === undefined ? `${uruguayDay(Date.now()).slice(0, 7)}-01` : addDays(narrowing.to, 1);
    stderr.say(ANSWER.closeIsTaken(day));
  }
  if (lagNote !== undefined) stderr.writeProse(`${lagNote}\n`);
}

async function questionsOnGaps(sql: string, narrowing: Narrowing | undefined): Promise<readonly string[]> {
  if (narrowing === undefined) return [];
  const [{ tablesIn }, { gapQuestions }] = await importGaps();
  return gapQuestions(tablesIn(sql), narrowing);
}

async function importGaps() {
  return await Promise.all([import('../../query/asked-days.ts'), import('../../query/period-gaps.ts')]);
}

/** The gaps of the asked days; where there are none, the tables that are empty. */
async function notesOfLake(
  { named }: Asked['options'],
  database: AskedLake,
  sql: string,
  narrowing: Narrowing | undefined,
  areDaysTold: boolean,
): Promise<readonly Localized[]> {
  const [{ tablesIn }, { gapNotes }] = await importGaps();
  const tables = tablesIn(sql);
  const gaps = narrowing === undefined ? [] : await gapNotes(database, tables, narrowing, !areDaysTold);
  if (gaps.length > 0) return gaps;
  // Most lakes need no rates: the answer itself says what lacks one.
  const mayBeEmpty = (name: string) => named !== undefined && name === COTIZACIONES.name;
  return tables
    .filter(({ name }) => database.emptyTables.includes(name) && !mayBeEmpty(name))
    .map(({ name }) => emptyTableNote(name));
}

/** The sheets of an answer: of a book, those of each company. */
function sheetsOf(
  named: string | undefined,
  { sheetName }: Subject,
  companies: Parameters<typeof companySheets>[2],
): (answer: Answer) => AnswerSheet[] {
  const book = named === undefined ? undefined : bookOf(named);
  return (answer) => {
    if (named === undefined) return [{ name: sheetName, answer }];
    const written = withWrittenValues(answer);
    return book === undefined
      ? [{ name: sheetName, answer: written }]
      : companySheets(written, book, companies);
  };
}

/** Writes the answer, or form 2181 of it. */
async function writeTo(
  { output, options, terminal }: Asked,
  database: LakeDatabase,
  sql: string,
  subject: Subject,
): Promise<void> {
  if (output.format !== FORM_FORMAT) return await answerTo(output, database, sql, subject, terminal);
  const [{ ask }, { form2181 }] = await Promise.all([
    import('../../query/question.ts'),
    import('../../query/form-2181.ts'),
  ]);
  const { bytes, lineCount, remarks } = form2181(await ask(database, sql), options.force === true);
  await write(output, bytes, lineCount, terminal);
  for (const remark of remarks) terminal.stderr.say(remark);
}

const CLOSE_QUERY = 'changes-since-close';

/** Closes that are asked, or compared with. */
interface AskedCloses {
  frozen: FrozenMonth;
  /** Whether the question is what has changed since, which the lake is asked for. */
  isComparison: boolean;
  /** Of a named query. */
  sql: string;
  notes: readonly string[];
  /** How the program's rules are not as they were then. */
  rules: readonly Localized[];
  /** Throws WrongInputError. */
  assertKept(sql: string): void;
}

/** Throws WrongInputError. */
async function askedCloses(
  { named, rut = [], month, from, to, close, ui }: Parsed<typeof QUESTION_OPTIONS>,
  { signal }: Terminal,
): Promise<AskedCloses | undefined> {
  if (close === undefined) return undefined;
  if (from !== undefined || to !== undefined || ui !== undefined)
    throw new WrongInputError(SAY_OF_CLOSES.ownDays());
  if (month !== undefined) monthDays(month);
  const [months, { differencesSql }, { rectificationNotes }, { assertKept, frozenSql }] = await Promise.all([
    import('../../close/frozen-month.ts'),
    import('../../close/differences.ts'),
    import('../../close/rectification.ts'),
    import('../../close/frozen-question.ts'),
  ]);
  const frozen = await months.frozenMonth(await months.closesIn(close, month, rut.map(checkedRut)), signal);
  try {
    if (named !== undefined && namedQuery(named).name === CLOSE_QUERY) {
      const rules = await months.changedRules(frozen, signal);
      const sql = differencesSql(frozen, frozen.columns);
      const notes = rectificationNotes(frozen, rules);
      return { frozen, isComparison: true, sql, notes, rules, assertKept: () => {} };
    }
    const sql = named === undefined ? '' : frozenSql(frozen, named);
    assertKept(frozen, sql);
    const notes = frozen.closes.map(({ folder, index }) => `RUT ${index.rut}: según el cierre ${folder}.`);
    return {
      frozen,
      isComparison: false,
      sql,
      notes,
      rules: [],
      assertKept: (asked) => assertKept(frozen, asked),
    };
  } catch (error) {
    frozen.remove();
    throw error;
  }
}

/** Whether the answer is a file that somebody declares; one of a close was accepted when that was made. */
function isDeclaredFile({ named, close }: Parsed<typeof QUESTION_OPTIONS>, { format }: Output): boolean {
  const isFile = format === 'xlsx' || format === FORM_FORMAT;
  return isFile && named !== undefined && named !== LIST && close === undefined && isDeclared(named);
}

/** What a declared file lacks, which is told: in Spanish, as the file is. */
async function declaredFile(
  { accept }: Parsed<typeof QUESTION_OPTIONS>,
  { format, file = format }: Output,
  { ruts, ...asked }: Narrowing,
  store: LakeStore,
  { stderr, signal }: Terminal,
) {
  const [{ acceptedLack, declaredDays, declaredPeriod }, { lackText }] = await Promise.all([
    import('../../report/declared-days.ts'),
    import('../../report/read-days.ts'),
  ]);
  const today = uruguayDay(Date.now());
  const days = { ...declaredPeriod(asked, today), today };
  const { names, questions, lackIn } = await declaredDays(store, { ...days, ruts }, (error) => {
    signal.throwIfAborted();
    stderr.writeProblem(failureOf(error, 'es').message);
  });
  const name = { name: file, isAccepted: accept !== undefined, canWarn: format === 'xlsx' };
  const lack = async (database: LakeDatabase) => {
    const found = acceptedLack(await lackIn(database), { ...days, ...name });
    if (found !== undefined) stderr.writeProse(`${lackText(found)}\n`);
    return found?.text;
  };
  return { names, questions, lack };
}

const FORM_QUERY = 'formulario-2181';
const FORM_FORMAT = 'dgi-2181';

function assertForm(
  { named, rut, month, force, close }: Parsed<typeof QUESTION_OPTIONS>,
  { format }: Output,
): void {
  const isForm = format === FORM_FORMAT;
  if (!isForm && force === true) throw new WrongInputError(ANSWER.isForFormat('force', FORM_FORMAT));
  if (isForm && (named === undefined || named === LIST || namedQuery(named).name !== FORM_QUERY))
    throw new WrongInputError(ANSWER.formatIsForNamed(FORM_FORMAT, FORM_QUERY));
  if (isForm && (rut?.length !== 1 || (month === undefined && close === undefined)))
    throw new WrongInputError(ANSWER.oneCompanyAndMonth());
}

/** An empty answer may mean that nothing was exported yet. */
function emptyTableNote(name: string): Localized {
  const direction = Object.entries(DETAIL_TABLE_OF).find(([, table]) => table.name === name)?.[0];
  return QUERY.nothingYet(name, direction);
}

async function writeList({ output, terminal }: Asked): Promise<void> {
  const { format } = output;
  if (format === 'parquet') throw new WrongInputError(ANSWER.anyButParquet(LIST));
  if (format === 'table' && output.file === undefined) {
    const { stdout } = terminal;
    const say = ANSWERS[stdout.language];
    const rows = namedQueries().map((query) => [
      query.name,
      query.alias ?? '',
      stdout.language === 'es' ? spanishNotes(query.name).summary : query.summary,
    ]);
    stdout.write(`${textTable([say.name(), say.or(), say.asks()], rows, [])}\n`);
    return;
  }
  const columns = ['name', 'or', 'asks', 'notes'].map(textColumn);
  const rows = namedQueries().map(({ name, alias = null, summary, notes }) => [
    name,
    alias,
    summary,
    notes.join('\n\n'),
  ]);
  await writeAnswer(output, { columns, rows }, { sheetName: 'queries', notes: [] }, terminal);
}
