import { readAgainCommand } from '../../lake/source.ts';
import { plainTable, textObjectsOf } from '../../query/answer.ts';
import { EXIT_FAILED, WrongInputError } from '../../system/errors.ts';
import { PROGRAM } from '../../system/program.ts';
import { plural } from '../../text/terminal.ts';
import type { DayRange } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import { writeWorkbook } from '../answer-output.ts';
import { defineCommand, flag, oneValue, workbookToWrite } from '../command.ts';
import { FOUND_LAKE_OPTION, openFoundLake } from '../options/lake.ts';
import { askedUi, checkedRut, monthDays, UI_OPTION } from '../options/units.ts';

export const reconcileCommand = defineCommand({
  words: '[FILE]',
  options: {
    rut: oneValue('RUT', 'the company whose list it is'),
    month: oneValue('YYYY-MM', 'the month to compare (default: the dates that the list says)'),
    direction: oneValue('LIST', 'recibidos or emitidos (default: what the list says)', {
      choices: ['recibidos', 'emitidos'] as const,
    }),
    json: flag('print it as JSON'),
    xlsx: workbookToWrite('write the differences as a workbook'),
    ...UI_OPTION,
    ...FOUND_LAKE_OPTION,
  },
  examples: [
    'reconcile recibidos.xlsx --rut 219999830019',
    'reconcile emitidos.csv --rut 219999830019 --month 2026-10 --direction emitidos',
  ],
  run: async (options, [file, surplus], terminal) => {
    const { stdout, stderr, signal } = terminal;
    if (file === undefined || surplus !== undefined) {
      throw new WrongInputError('Which list? Give the file that was downloaded: reconcile FILE --rut RUT');
    }
    if (options.rut === undefined) throw new WrongInputError('Whose list is it? Give --rut RUT.');
    const rut = checkedRut(options.rut);
    const month = options.month === undefined ? undefined : monthDays(options.month);
    const ui = askedUi(options.ui);
    const [{ readRows }, { officialList }, lists] = await Promise.all([
      import('../../verify/official-list.ts'),
      import('../../verify/official-list.ts'),
      import('../../verify/reconcile-list.ts'),
    ]);
    const list = officialList(file, await readRows(file));
    const direction = options.direction ?? list.direction ?? directionBy(list.receipts, rut);
    const days = month ?? list.days ?? spanOf(list.receipts.flatMap(({ day }) => day ?? []));
    if (direction === undefined) {
      throw new WrongInputError(
        'The list does not say whether it is of recibidos or emitidos: give --direction.',
      );
    }
    if (days === undefined) throw new WrongInputError('The list has no dates: give --month YYYY-MM.');
    const store = await openFoundLake(options, terminal);
    const ofDays = list.receipts.filter(({ day }) => day === null || (days.from <= day && day <= days.to));
    const lake = await lists.lakeReceipts(store, { rut, direction, days }, ui, signal);
    const found = lists.reconcileLists({ receipts: ofDays }, lake, direction);
    const answer = lists.differencesAnswer(found.differences);
    const told = options.json === true ? stderr : stdout;
    if (options.xlsx !== undefined) {
      const above = [`${direction} RUT ${rut}, ${days.from} a ${days.to}`, `Comparado con ${file}`];
      const sheets = [{ name: 'Diferencias', above, answer }];
      const content = plural(found.differences.length, 'difference');
      await writeWorkbook(options.xlsx, { sheets, notes: [] }, content, told, stderr);
    }
    const { equal, smallTickets, unknownTickets } = found;
    const outside = list.receipts.length - ofDays.length;
    const columns = Object.fromEntries(list.columns);
    if (options.json === true) {
      const json = {
        ...{ file, rut, direction, ...days, columns, there: ofDays.length, here: lake.length },
        ...{ equal, differences: textObjectsOf(answer), smallTickets, unknownTickets, outside },
        unread: list.unread,
      };
      stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
    } else {
      const taken = Object.entries(columns).map(([field, heading]) => `${field} = "${heading}"`);
      stdout.write(`${direction} of ${rut}, ${days.from} to ${days.to}\n`);
      stdout.writeProse(`Columns taken: ${taken.join(', ')}\n\n`);
      if (found.differences.length > 0) stdout.write(`${plainTable(answer, stdout.columns)}\n\n`);
      const compared = `${plural(ofDays.length, 'receipt')} in the list, ${lake.length.toLocaleString('en')} in the lake`;
      const counts = [
        `${compared}: ${equal.toLocaleString('en')} equal, ${plural(found.differences.length, 'difference')}`,
        ...(smallTickets > 0
          ? [`${plural(smallTickets, 'e-Ticket')} below the limit, only in the lake: no difference`]
          : []),
        ...(unknownTickets > 0
          ? [
              `${plural(unknownTickets, 'e-Ticket')} only in the lake that may be below the limit: their details tell`,
            ]
          : []),
        ...(outside > 0 ? [`${plural(outside, 'row')} of other days left out`] : []),
        ...list.unread.map(({ row, reason }) => `row ${row} was not read: ${reason}`),
      ];
      stdout.writeProse(`${counts.join('.\n')}.\n`);
      if (unknownTickets > 0) {
        const command = await readAgainCommand(PROGRAM, store);
        stdout.write(`  ${command} --rut ${rut} --from ${days.from} --to ${days.to} --details emitidos\n`);
      }
    }
    const isEqual = found.differences.length === 0 && unknownTickets === 0 && list.unread.length === 0;
    return isEqual ? 0 : EXIT_FAILED;
  },
});

/** By who issued them, if one issuer is named. */
function directionBy(receipts: readonly { issuer: string | null }[], rut: string): Direction | undefined {
  const issuers = new Set(receipts.flatMap(({ issuer }) => issuer ?? []));
  if (issuers.size === 0) return undefined;
  return issuers.size === 1 && issuers.has(rut) ? 'emitidos' : 'recibidos';
}

function spanOf(days: readonly DayRange['from'][]): DayRange | undefined {
  const sorted = days.toSorted();
  const [from] = sorted;
  return from === undefined ? undefined : { from, to: sorted.at(-1) ?? from };
}
