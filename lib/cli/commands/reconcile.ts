import { realpath } from 'node:fs/promises';
import { readAgainCommand } from '../../lake/source.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { isNumber, plainTable, textObjectsOf } from '../../query/answer.ts';
import { EXIT_FAILED, WrongInputError } from '../../system/errors.ts';
import { PROGRAM } from '../../system/program.ts';
import type { Said } from '../../text/language.ts';
import { printableLine } from '../../text/terminal.ts';
import type { DayRange } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import type { Direction } from '../../units/unit.ts';
import { differencesAnswer } from '../../verify/differences.ts';
import { readListFile } from '../../verify/official/list-file.ts';
import type { OfficialList } from '../../verify/official/receipts.ts';
import {
  type Comparison,
  compareWithLake,
  countsOf,
  isAllEqual,
  notesOf,
  type ReconcileQuestion,
  unreadText,
} from '../../verify/reconcile.ts';
import { ENGLISH, SPANISH } from '../../verify/reconcile-texts.ts';
import { htmlText, page, section, table } from '../../view/parts.ts';
import { writeWorkbook } from '../answer-output.ts';
import { defineCommand, JSON_OPTION, oneValue, type Terminal, workbookToWrite } from '../command.ts';
import { LAKE_OPTION, openFoundLake } from '../options/lake.ts';
import { askedUi, checkedRut, monthDays, UI_OPTION } from '../options/units.ts';
import { SAY } from '../phrases/reconcile.ts';

const MOST_ROWS_SHOWN = 20;

export const reconcileCommand = defineCommand({
  words: '<FILE>',
  options: {
    rut: oneValue('RUT', SAY.rut()),
    month: oneValue('YYYY-MM', SAY.month()),
    direction: oneValue('LIST', SAY.direction(), {
      choices: ['recibidos', 'emitidos'] as const,
    }),
    sheet: oneValue('NAME', SAY.sheet()),
    ...JSON_OPTION,
    xlsx: workbookToWrite(SAY.xlsx()),
    ...UI_OPTION,
    ...LAKE_OPTION,
  },
  examples: [
    'reconcile recibidos.xlsx --rut 219999830019',
    'reconcile emitidos.csv --rut 219999830019 --month 2026-10 --direction emitidos',
  ],
  run: async (options, [file = ''], terminal) => {
    const { stdout, stderr, signal } = terminal;
    if (options.rut === undefined) throw new WrongInputError(SAY.whose());
    const rut = checkedRut(options.rut);
    const month = options.month === undefined ? undefined : monthDays(options.month);
    const ui = askedUi(options.ui);
    if (options.xlsx !== undefined && (await areSame(options.xlsx, file)))
      throw new WrongInputError(SAY.isList());
    const list = await readListFile(file, { sheet: options.sheet, signal });
    const question = questionOf(list, rut, { month, direction: options.direction });
    const store = await openFoundLake(options, terminal);
    const comparison = await compareWithLake(store, list, question, ui, signal);
    for (const reason of [...comparison.damaged, ...comparison.damagedRates]) stderr.writeProblem(reason);
    // What it finds goes to accountants.
    const texts = terminal.askedLanguage === 'en' ? ENGLISH : SPANISH;
    if (options.xlsx !== undefined) {
      const { from, to } = question.days;
      const answer = differencesAnswer(comparison.differences, texts);
      const above = [texts.heading(question.direction, rut, from, to), file];
      const sheets = [{ name: texts.columns[0], above, answer }];
      const printer = options.json === true ? stderr : stdout;
      const content = printer.textOf(SAY.differences(comparison.differences.length));
      await writeWorkbook(options.xlsx, { sheets, notes: [] }, content, printer, stderr);
    }
    if (options.json === true) stdout.write(`${answerJson(file, comparison)}\n`);
    else await tell(comparison, texts, store, terminal);
    return isAllEqual(comparison) ? 0 : EXIT_FAILED;
  },
});

/** Whether two paths lead to one file. */
async function areSame(...paths: readonly [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return one !== undefined && one === other;
}

/** What is compared (also in close). Throws WrongInputError where neither the user nor the list says it. */
export function questionOf(
  list: OfficialList,
  rut: Rut,
  asked: { month: DayRange | undefined; direction: Direction | undefined },
  unknownDirection: Said = SAY.whichDirection(),
): ReconcileQuestion {
  const direction = asked.direction ?? list.direction ?? directionBy(list, rut);
  if (direction === undefined) throw new WrongInputError(unknownDirection);
  if (direction === 'recibidos' && !list.columns.has('emisor')) {
    throw new WrongInputError(SAY.noIssuer());
  }
  const said = asked.month ?? list.days;
  const days = said ?? spanOf(list);
  if (days === undefined) throw new WrongInputError(SAY.noDates());
  return { rut, direction, days, areDaysOfRows: said === undefined };
}

function directionBy({ receipts, columns }: OfficialList, rut: string): Direction | undefined {
  const issuers = new Set(receipts.flatMap(({ issuer }) => (issuer.state === 'read' ? [issuer.value] : [])));
  if (issuers.size === 1 && issuers.has(rut)) return 'emitidos';
  if (issuers.size > 0) return 'recibidos';
  return columns.has('receptor') && !columns.has('emisor') ? 'emitidos' : undefined;
}

function spanOf({ receipts }: OfficialList): DayRange | undefined {
  const days = receipts.flatMap(({ day }) => (day.state === 'read' ? [day.value] : [])).sort();
  const [from] = days;
  return from === undefined ? undefined : { from, to: days.at(-1) ?? from };
}

type Texts = typeof SPANISH;

/** For people: the first differences, the counts, and what else must be known. */
async function tell(
  comparison: Comparison,
  texts: Texts,
  store: LakeStore,
  { stdout }: Terminal,
): Promise<void> {
  const { list, rut, direction, days, differences, unknownTickets, unreadDays } = comparison;
  const taken = [...list.columns].map(([field, heading]) => `${field} = "${heading}"`).join(', ');
  stdout.write(`${texts.heading(direction, rut, days.from, days.to)}\n`);
  if (list.sheet !== null) stdout.write(`${printableLine(texts.sheet(list.sheet))}\n`);
  stdout.writeProse(`${printableLine(texts.taken(taken))}\n\n`);
  const shown = differences.slice(0, MOST_ROWS_SHOWN);
  const hidden = differences.length - shown.length;
  if (shown.length > 0) {
    stdout.write(`${plainTable(differencesAnswer(shown, texts), stdout.columns)}\n`);
    stdout.write(hidden > 0 ? `${texts.more(hidden)}\n\n` : '\n');
  }
  // A list's texts may have line breaks.
  const lines = [texts.counts(countsOf(comparison)), ...notesOf(comparison, texts)].map(printableLine);
  stdout.writeProse(lines.map((line) => (line.endsWith('?') ? `${line}\n` : `${line}.\n`)).join(''));
  if (unreadDays.length === 0 && unknownTickets === 0) return;
  const sorted = unreadDays.toSorted();
  const range = { from: sorted[0] ?? days.from, to: sorted.at(-1) ?? days.to };
  const details = unknownTickets > 0 ? ` --details ${direction}` : '';
  const command = await readAgainCommand(PROGRAM, store);
  const rangeCommand = `${command} --rut ${rut} --from ${range.from} --to ${range.to}${details}`;
  stdout.write(`${texts.readAgain}\n  ${stdout.textOf(rangeCommand)}\n`);
}

/** For programs, and kept by close; its notes are in English. */
export function answerJson(file: string, comparison: Comparison): string {
  const { list, rut, direction, days, differences, outside, smallTickets, unknownTickets } = comparison;
  const { listCount, lakeCount, equal } = countsOf(comparison);
  const notCompared = differences.flatMap((difference) =>
    difference.kind === 'not compared'
      ? [
          {
            row: difference.official.row,
            id: difference.receipt?.id ?? null,
            fields: difference.uncompared.map(({ field }) => field),
            reason: ENGLISH.notCompared(difference.uncompared),
          },
        ]
      : [],
  );
  const unread = comparison.unread.map((part) => ({ row: part.row, reason: unreadText(part, ENGLISH) }));
  const json = {
    file,
    sheet: list.sheet,
    rut,
    direction,
    ...days,
    columns: Object.fromEntries(list.columns),
    isEqual: isAllEqual(comparison),
    there: listCount,
    here: lakeCount,
    equal,
    differences: textObjectsOf(differencesAnswer(differences, SPANISH)),
    notCompared,
    rejectedHere: comparison.rejectedHere,
    smallTickets,
    unknownTickets,
    outside: outside.length,
    unread,
    unreadCount: comparison.unreadCount,
    unreadDays: comparison.unreadDays.toSorted(),
    notes: notesOf(comparison, ENGLISH),
  };
  return JSON.stringify(json, undefined, 2);
}

/** For whoever keeps a close, in Spanish: what `tell` says, with all differences. */
export function answerPage(file: string, comparison: Comparison): string {
  const { rut, direction, days, differences } = comparison;
  const { columns, rows } = differencesAnswer(differences, SPANISH);
  const kinds = columns.map(
    (column) => ({ name: column.name, kind: isNumber(column) ? 'number' : 'words' }) as const,
  );
  const found = rows.map((row) => ({ cells: row.map((value) => (value === null ? null : htmlText(value))) }));
  const lines = [SPANISH.counts(countsOf(comparison)), ...notesOf(comparison, SPANISH)];
  const heading = SPANISH.heading(direction, rut, days.from, days.to);
  return page({
    title: heading,
    heading,
    aboutHtml: `Lista: ${htmlText(file)}`,
    html: `<section class="card"><ul>${lines.map((line) => `<li>${htmlText(line)}</li>`).join('')}</ul></section>
${found.length === 0 ? '' : section('diferencias', 'Diferencias', table('Diferencias', kinds, found))}`,
  });
}
