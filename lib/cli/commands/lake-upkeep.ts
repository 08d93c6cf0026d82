import { writeWithHyparquet } from '../../lake/parquet/hyparquet.ts';
import { RECEIPT_TABLES } from '../../lake/tables.ts';
import { forgetCompany, holdsCompany } from '../../publish/forget-company.ts';
import { publishDays, publishLagging } from '../../publish/publish-days.ts';
import { publicationLines } from '../../run/export-and-publish.ts';
import { WrongInputError } from '../../system/errors.ts';
import { plural } from '../../text/terminal.ts';
import { daysBetween } from '../../time/days.ts';
import { defineCommand, flag, oneValue } from '../command.ts';
import { LAKE_OPTION, openFoundLake, WAIT_OPTION, withLakeToWrite } from '../options/lake.ts';
import { checkedPeriod, checkedRut } from '../options/units.ts';
import { publishingProgress } from '../progress.ts';

export const publishCommand = defineCommand({
  options: {
    from: oneValue('D', 'first day to look at (default: only the days recorded as lagging)'),
    to: oneValue('D', 'last day, included (default: --from)'),
    ...LAKE_OPTION,
    ...WAIT_OPTION,
  },
  examples: ['publish', 'publish --lake s3://bucket --from 2026-11-01 --to 2026-11-19'],
  run: async (options, _words, terminal) => {
    const { from, to = from } = checkedPeriod(options);
    const { address } = await openFoundLake(options, terminal);
    return await withLakeToWrite(address, 'publish', options, terminal, async (store) => {
      const isTimeUp = () => terminal.signal.aborted;
      const { onDayEnd, end } = publishingProgress(terminal.stderr);
      const published =
        to === undefined
          ? await publishLagging(store, writeWithHyparquet, { isTimeUp, onDayEnd })
          : await publishDays(
              store,
              writeWithHyparquet,
              daysBetween(from ?? to, to).flatMap((day) => RECEIPT_TABLES.map((table) => ({ table, day }))),
              { isTimeUp, onDayEnd },
            );
      end();
      terminal.signal.throwIfAborted();
      for (const line of publicationLines(published)) terminal.stderr.writeProblem(line);
      const { written, unchanged } = published;
      terminal.stdout.write(
        `${plural(written, 'day')} of tables published, ${unchanged} already up to date, in ${store.address}.\n`,
      );
      return published.problems.length === 0 ? 0 : 1;
    });
  },
});

export const forgetCommand = defineCommand({
  options: {
    rut: oneValue('R', 'the company'),
    ...LAKE_OPTION,
    ...WAIT_OPTION,
    yes: flag('do not ask; needed without a terminal'),
  },
  examples: ['forget --rut 219999830019 --lake s3://bucket', 'forget --rut 219999830019 --yes'],
  notes: [
    'Removes its lists and details of all days. The record of its exports and changes stays in exportaciones and cambios.',
    'So missing and coverage still count its days as exported, and named queries of all companies tell that the tables lack them: to read them again, use export; else ask for the others (--rut).',
    'Remove it from the companies first, or the next run exports it again.',
    'Some of it stays for a time: in a bucket previous versions and results of Athena, and on machines that asked a bucket the copies in the cache of query (until the table is queried again).',
  ],
  run: async ({ rut, lake, yes, wait }, _words, terminal) => {
    if (rut === undefined) throw new WrongInputError('Which company?  --rut 219999830019');
    checkedRut(rut);
    const found = await openFoundLake({ lake }, terminal);
    const { address } = found;
    if (!(await holdsCompany(found, rut))) {
      throw new WrongInputError(`The lake ${address} has nothing of company ${rut}: nothing was removed.`);
    }
    const question = `Remove the receipts of ${rut} from ${address}? Type the RUT to go on: `;
    if (yes !== true) {
      if (terminal.ask === undefined) {
        throw new WrongInputError(
          `There is no terminal, so nobody can be asked, so nothing was removed. To remove the receipts of ${rut} from ${address}, add --yes.`,
        );
      }
      if ((await terminal.ask(question)).trim() !== rut) {
        throw new WrongInputError('That is not the RUT: nothing was removed.');
      }
    }
    const { onDayEnd, end } = publishingProgress(terminal.stderr);
    const forgotten = await withLakeToWrite(address, 'forget', { wait }, terminal, (store) =>
      forgetCompany(store, writeWithHyparquet, rut, onDayEnd),
    );
    end();
    for (const line of publicationLines(forgotten)) terminal.stderr.writeProblem(line);
    const { units, written } = forgotten;
    terminal.stdout.write(
      `${plural(units, 'unit')} of ${rut} removed, ${plural(written, 'day')} of tables rebuilt, in ${address}.\n` +
        'The audit keeps its exports: missing and coverage still count its days as exported, and named queries of all companies tell that the tables lack them.\n',
    );
    return forgotten.failedDays === 0 ? 0 : 1;
  },
});
