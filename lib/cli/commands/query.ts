import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { COTIZACIONES, DETAIL_TABLE_OF, TABLES } from '../../lake/tables.ts';
import { type Answer, textColumn } from '../../query/answer.ts';
import {
  FORMER_NAMES,
  type Narrowing,
  namedQueries,
  namedQuery,
  narrowed,
  narrowingText,
  spanishName,
} from '../../query/named-queries.ts';
import { workbookNotes } from '../../query/spanish-notes.ts';
import { bookOf, bookSheets } from '../../query/vat-book.ts';
import { withWrittenValues } from '../../query/written-values.ts';
import { WrongInputError } from '../../system/errors.ts';
import { PROGRAM } from '../../system/program.ts';
import { decodedText, NOT_UTF_8 } from '../../text/decoded-text.ts';
import { plural, wordLines } from '../../text/terminal.ts';
import { isTableWithin, textTable } from '../../text/text-table.ts';
import { isRepeatable } from '../../text/typed-words.ts';
import { addDays, type Period, uruguayDay } from '../../time/days.ts';
import {
  answerTo,
  askedOutput,
  OUTPUT_OPTIONS,
  type Output,
  type Subject,
  write,
  writeAnswer,
} from '../answer-output.ts';
import { defineCommand, flag, LIST, manyValues, oneValue, type Parsed, type Terminal } from '../command.ts';
import { FOUND_LAKE_OPTION, foundLake } from '../options/lake.ts';
import { askedPeriod, askedUi, checkedRut, PERIOD_OPTIONS, UI_OPTION } from '../options/units.ts';

/** In place of SQL: reads it from standard input. */
const STANDARD_INPUT = '-';
/** DuckDB would repeat it: it may be a token. */
const BARE_WORD = /^[\w~+/=.-]+$/;
const BYTE_ORDER_MARK = /^\u{feff}/u;

const TABLE_NAMES = TABLES.map(({ name }) => name);

const QUESTION_OPTIONS = {
  named: oneValue('NAME', 'run a query that comes with the program; without a name, list them', {
    choices: [
      LIST,
      ...namedQueries().flatMap(({ name, alias = [] }) => [name].concat(alias)),
      ...Object.keys(FORMER_NAMES),
    ],
    preset: LIST,
  }),
  rut: manyValues('RUT', 'with --named: only this company; may be repeated'),
  ...PERIOD_OPTIONS,
  close: oneValue(
    'FOLDER',
    'with --named changes-since-close: compare with what the newest close there declared',
  ),
  ...UI_OPTION,
  sql: flag('with --named: print its SQL, with company and days filled in, and do not run it'),
  force: flag('with --format dgi-2181: leave out the receipts that are in no line of the form'),
};

interface Question {
  sql: string;
  /** Partitions to leave out, of SQL that somebody typed; a named query says its days itself. */
  range: Period;
  /** The companies and days of a named query, instead of its own. */
  narrowing?: Narrowing;
  subject: Subject;
}

/** The question in the words and options. Throws WrongInputError, and errors of the file that they name. */
async function askedQuestion(
  options: Parsed<typeof QUESTION_OPTIONS>,
  words: readonly string[],
  terminal: Terminal,
): Promise<Question> {
  const { named, rut: ruts = [], sql: isShown } = options;
  const ui = askedUi(options.ui);
  const period = askedPeriod(options, Date.now(), terminal);
  if (named === undefined) {
    const ofNamed = { sql: isShown === true, rut: ruts.length > 0, ui: ui.size > 0 };
    const surplus = Object.entries(ofNamed).find(([, isGiven]) => isGiven)?.[0];
    if (surplus !== undefined) {
      const instead = surplus === 'rut' ? "; in SQL, write WHERE rut = '…'" : '';
      throw new WrongInputError(`--${surplus} is for --named NAME${instead}.`);
    }
    const sql = await askedSql(words, terminal);
    return { sql, range: period, subject: { sheetName: 'Respuesta', notes: sql.split('\n') } };
  }
  if (words.length > 0) throw new WrongInputError('Give either SQL or --named NAME.');
  return namedQuestion(named, { ...period, ruts: ruts.map(checkedRut), ui });
}

function namedQuestion(asked: string, narrowing: Narrowing): Question {
  const query = namedQuery(asked);
  const { sql } = query;
  if (narrowing.to !== undefined && narrowing.from === undefined) {
    throw new WrongInputError('--to D needs --from D; or give --month YYYY-MM.');
  }
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
    throw new WrongInputError(
      `What is the question?  ${PROGRAM} query "SELECT count(*) FROM recibidos"   (or a file: question.sql, or - for ` +
        `standard input)   Tables: ${TABLE_NAMES.join(', ')}`,
    );
  }
  if (surplus !== undefined) throw new WrongInputError('Put the whole SQL between quotes, as one word.');
  if (BARE_WORD.test(word) && !isRepeatable(word)) {
    throw new WrongInputError('That is no SQL and no file that ends with .sql.');
  }
  const isFile = /^\S+\.sql$/i.test(word);
  if (word !== STANDARD_INPUT) {
    const sql = isFile ? decodedText(await readFile(word)) : word;
    // With its letters replaced, a name such as Ñandú would match nothing.
    if (sql === undefined) throw new WrongInputError(`${word}: ${NOT_UTF_8}.`);
    return sql;
  }
  return stdin === undefined ? '' : (await textOf(stdin())).replace(BYTE_ORDER_MARK, '');
}

export const queryCommand = defineCommand({
  words: '[SQL|FILE.sql|-...]',
  options: { ...FOUND_LAKE_OPTION, ...QUESTION_OPTIONS, ...OUTPUT_OPTIONS },
  examples: [
    'query "SELECT fecha, count(*) FROM recibidos GROUP BY ALL ORDER BY ALL"',
    `query "SELECT * FROM exportaciones WHERE estado = 'fallido'" --format csv`,
    'query "DESCRIBE recibidos"',
    'query "SELECT count(*) FROM emitidos" --lake s3://bucket --from 2026-11-01',
    'query --named sales-by-month',
    'query --named libro-iva-ventas --rut 219999830019 --month 2026-11 --out libro.xlsx',
    'query --named vat-by-month --month 2026-11 --sql',
    'query --named changes-since-close --month 2026-10 --close cierres > changes.txt',
    'query --named formulario-2181 --rut 219999830019 --month 2026-11 --format dgi-2181 --out 2181.txt',
    'query --named sales-by-month --format csv --locale es-UY --out sales.csv',
  ],
  notes: ['Named queries:', ...namedQueries().map(({ name, summary }) => `  ${name.padEnd(32)} ${summary}`)],
  run: async (options, words, terminal) => {
    const output = await askedOutput(options, terminal);
    assertForm(options, output);
    if (options.named === LIST) {
      await writeList(output, terminal);
      return 0;
    }
    const { sql, range, narrowing, subject } = await askedQuestion(options, words, terminal);
    if (options.sql === true) {
      terminal.stdout.write(sql);
      return 0;
    }
    const frozen = await askedClose(options, narrowing);
    const question = frozen === undefined ? sql : frozen.sql;
    let objects = 0;
    const lake = foundLake(options, terminal);
    const [{ openLake }, { ask }, { tablesIn }, { gapNotes }] = await Promise.all([
      import('../../query/open-lake.ts'),
      import('../../query/question.ts'),
      import('../../query/asked-days.ts'),
      import('../../query/period-gaps.ts'),
    ]);
    const onObject = () => {
      objects += 1;
      terminal.stderr.replaceLine(plural(objects, 'object'));
    };
    const database = await openLake(lake, question, range, {
      views: frozen?.views,
      signal: terminal.signal,
      others: terminal.others,
      onObject,
    });
    if (objects > 0) terminal.stderr.eraseLine();
    if (
      frozen === undefined &&
      options.named !== undefined &&
      namedQuery(options.named).name === CLOSE_QUERY
    ) {
      const day =
        narrowing?.to === undefined ? `${uruguayDay(Date.now()).slice(0, 7)}-01` : addDays(narrowing.to, 1);
      terminal.stderr.writeProse(
        `The close is taken to be ${day}: --close FOLDER compares with a close that was kept.\n`,
      );
    }
    if (database.lagNote !== undefined) terminal.stderr.writeProse(`${database.lagNote}\n`);
    try {
      const tables = tablesIn(question);
      const gaps = narrowing === undefined ? [] : await gapNotes(database, tables, narrowing);
      for (const note of gaps) terminal.stderr.writeProse(`${note}\n`);
      for (const { name } of gaps.length > 0 ? [] : tables) {
        // Most lakes need no rates: the answer itself says what lacks one.
        if (options.named !== undefined && name === COTIZACIONES.name) continue;
        if (database.emptyTables.includes(name)) terminal.stderr.writeProse(`${emptyTableNote(name)}\n`);
      }
      if (output.format === FORM_FORMAT) {
        await writeForm(output, await ask(database, sql), options.force === true, terminal);
        return 0;
      }
      const book = options.named === undefined ? undefined : bookOf(options.named);
      const sheets = (answer: Answer) => {
        if (options.named === undefined) return [{ name: subject.sheetName, answer }];
        const written = withWrittenValues(answer);
        return book === undefined
          ? [{ name: subject.sheetName, answer: written }]
          : bookSheets(database.store, written, book, narrowing ?? { ruts: [] });
      };
      const rowCount = await answerTo(output, database, question, { ...subject, sheets }, terminal);
      if (rowCount === 0 && narrowing?.from !== undefined && frozen === undefined)
        terminal.stderr.writeProse(`${nothingNote(narrowing)}\n`);
      return 0;
    } finally {
      database.close();
      frozen?.remove();
    }
  },
});

const CLOSE_QUERY = 'changes-since-close';

/** The close that is compared with, and the question. Throws WrongInputError. */
async function askedClose(
  { named, month, close, sql }: Parsed<typeof QUESTION_OPTIONS>,
  narrowing?: Narrowing,
) {
  if (close === undefined) return undefined;
  if (named === undefined || namedQuery(named).name !== CLOSE_QUERY || month === undefined || sql === true) {
    throw new WrongInputError(`--close FOLDER is for --named ${CLOSE_QUERY} --month YYYY-MM.`);
  }
  const { frozenMonth, rectificationSql } = await import('../../close/rectification.ts');
  const frozen = await frozenMonth(close, month, narrowing?.ruts ?? []);
  if (frozen.ruts.length === 0) throw new WrongInputError(`${close} has no close of ${month}.`);
  return { ...frozen, sql: rectificationSql({ ...narrowing, ruts: frozen.ruts }) };
}

const FORM_QUERY = 'formulario-2181';
const FORM_FORMAT = 'dgi-2181';

/** Throws WrongInputError. */
function assertForm({ named, rut, month, force }: Parsed<typeof QUESTION_OPTIONS>, { format }: Output): void {
  if (format !== FORM_FORMAT) {
    if (force === true) throw new WrongInputError(`--force is for --format ${FORM_FORMAT}.`);
    return;
  }
  if (named === undefined || named === LIST || namedQuery(named).name !== FORM_QUERY) {
    throw new WrongInputError(`--format ${FORM_FORMAT} is for --named ${FORM_QUERY}.`);
  }
  if (rut?.length !== 1 || month === undefined) {
    throw new WrongInputError(`A form is of one company and one month: give --rut RUT and --month YYYY-MM.`);
  }
}

async function writeForm(output: Output, answer: Answer, isForced: boolean, terminal: Terminal) {
  const { form2181 } = await import('../../query/form-2181.ts');
  const { bytes, lineCount, remarks } = form2181(answer, isForced);
  await write(output, bytes, lineCount, terminal);
  for (const remark of remarks) terminal.stderr.writeProse(`${remark}\n`);
}

function nothingNote({ ruts, from, to }: Narrowing): string {
  return `No rows: the lake has none for ${ruts.join(', ') || 'any company'} from ${from} to ${to ?? 'now'}.`;
}

/** An empty answer may mean that nothing was exported yet. */
function emptyTableNote(name: string): string {
  const direction = Object.entries(DETAIL_TABLE_OF).find(([, table]) => table.name === name)?.[0];
  const remedy = direction === undefined ? '' : `: export --details ${direction} reads it`;
  return `Nothing in ${name} yet${remedy}.`;
}

/** Somebody may have put them there to be queried. */
function queryLines([name = '', alias = '', summary = '']: readonly string[], columns: number): string {
  return [`${name}  or  ${alias}`, ...wordLines(summary, columns - 4).map((line) => `    ${line}`)].join(
    '\n',
  );
}

async function writeList(output: Output, terminal: Terminal): Promise<void> {
  const { format } = output;
  if (format === 'parquet') throw new WrongInputError(`--named ${LIST} takes any --format but parquet.`);
  const queries = namedQueries();
  if (format === 'table' && output.file === undefined) {
    const rows = queries.map(({ name, alias = '', summary }) => [name, alias, summary]);
    const table = textTable(['name', 'or', 'asks'], rows, []);
    const { columns = Number.POSITIVE_INFINITY } = terminal.stdout;
    // Names are there to be typed: where they do not fit beside what the queries ask, nothing is cut.
    const text = isTableWithin(table, columns)
      ? table
      : rows.map((row) => queryLines(row, columns)).join('\n');
    terminal.stdout.write(`${text}\n`);
    return;
  }
  const columns = ['name', 'or', 'asks', 'notes'].map(textColumn);
  const rows = queries.map(({ name, alias = null, summary, notes }) => [
    name,
    alias,
    summary,
    notes.join('\n\n'),
  ]);
  await writeAnswer(output, { columns, rows }, { sheetName: 'queries', notes: [] }, terminal);
}
