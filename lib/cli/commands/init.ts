import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { crontab } from '../../schedule/crontab.ts';
import { NIGHTS, nightlyOf, shellLine } from '../../schedule/nightly.ts';
import { runOnSystem } from '../../schedule/scheduler.ts';
import { systemd } from '../../schedule/systemd.ts';
import { taskScheduler } from '../../schedule/task-scheduler.ts';
import { WrongInputError } from '../../system/errors.ts';
import { assertReplaceable, writeSecretFile } from '../../system/private-files.ts';
import { PROGRAM, programWords } from '../../system/program.ts';
import { defineCommand, flag } from '../command.ts';
import { askForCompanies } from '../company-questions.ts';
import { DEFAULT_LAKE } from '../options/lake.ts';
import { DETAIL_OPTIONS } from '../options/units.ts';
import { companiesCommand } from './companies.ts';
import { exportCommand } from './export.ts';

const FILE = 'companies.json';
const SHAPE =
  '{"api": "https://…", "login": {"tokenUrl": "https://…", "username": "…", "password": "…"}, "companies": [{"rut": "…"}]}';
const NO_SCHEDULER = 'Neither crontab nor systemd nor the Task Scheduler can be used here.';

export const initCommand = defineCommand({
  options: {
    schedule: flag('have it run every night: by crontab, systemd or Task Scheduler, whichever there is'),
    'undo-schedule': flag('take out what --schedule put in for this folder, and do nothing else'),
    details: DETAIL_OPTIONS.details,
  },
  examples: ['init', 'init --schedule --details emitidos --details recibidos', 'init --undo-schedule'],
  notes: [`Writes ${FILE} for your user alone. What is secret is not shown as you type it.`],
  run: async (options, _words, terminal) => {
    const { schedule: isScheduling = false, 'undo-schedule': isUndoing = false, details } = options;
    if (isScheduling && isUndoing) throw new WrongInputError('Give either --schedule or --undo-schedule.');
    const { stdout, stderr, ask } = terminal;
    const file = resolve(FILE);
    const detailWords = (details ?? []).flatMap((direction) => ['--details', direction]);
    const words = ['export', '--companies', file, '--lake', resolve(DEFAULT_LAKE), ...detailWords];
    const nightly = nightlyOf(process.cwd(), [...programWords(), ...words]);
    const schedulers = process.platform === 'win32' ? [taskScheduler] : [crontab, systemd];
    const here = schedulers.flatMap((open) => open(runOnSystem) ?? []);
    if (isUndoing) {
      // Wherever it may have been put: another one may have been first then.
      for (const each of here)
        if (await each.remove(nightly)) stdout.writeProse(`Taken out of ${each.name}.\n`);
      stdout.writeProse(`Nothing is scheduled for ${nightly.folder}.\n`);
      return 0;
    }
    const [scheduler] = here;
    if (isScheduling && scheduler === undefined)
      throw new WrongInputError(NO_SCHEDULER, {
        advice: 'Without --schedule, init prints what is to be run.',
      });
    if (ask === undefined)
      throw new WrongInputError(
        `There is no terminal to ask at. Write ${file} for your user alone: ${SHAPE}`,
        {
          advice: `Then run: ${PROGRAM} companies check --companies ${FILE}`,
        },
      );

    await assertReplaceable(file);
    const isKept =
      existsSync(file) &&
      !/^"?new"?$/i.test(await ask(`There is a ${FILE}. Enter goes on with it, "new" writes another: `));
    if (!isKept) {
      await writeSecretFile(file, `${JSON.stringify(await askForCompanies(ask, stderr), null, 2)}\n`);
      stdout.writeProse(`Wrote ${file}, for your user alone.\n`);
    }

    stdout.write('\n');
    const checked = await companiesCommand.run({ companies: FILE }, ['check'], terminal);
    if (
      checked !== 0 &&
      !/^[ys]/i.test(await ask('\nGo on without those that do not work? (y, or Enter): '))
    ) {
      stdout.writeProse(`Correct ${FILE} and run init again: it goes on with that file.\n`);
      return checked;
    }
    stdout.writeProse(`\nThe last days, into ${DEFAULT_LAKE}:\n\n`);
    const exported = await exportCommand.run({ companies: FILE, last: 3, details }, [], terminal);

    if (isScheduling) await scheduler?.install(nightly);
    const [begins, text] = isScheduling
      ? [`Now in ${scheduler?.name} (to take it out: ${PROGRAM} init --undo-schedule)`, '']
      : scheduler === undefined
        ? [`${NO_SCHEDULER} What is to be run`, NIGHTS.map((night) => shellLine(nightly, night)).join('\n')]
        : [`What ${PROGRAM} init --schedule writes into ${scheduler.name}`, scheduler.text(nightly)];
    stdout.writeProse(
      `\n${begins}: every night the last 3 days, on Sundays the last 65; ${nightly.log} has what it prints.\n`,
    );
    stdout.write(text === '' ? '' : `${text}\n`);
    stdout.writeProse(scheduler?.note === undefined ? '' : `${scheduler.note}\n`);
    return exported;
  },
});
