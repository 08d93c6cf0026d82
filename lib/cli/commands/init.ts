import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { crontab } from '../../schedule/crontab.ts';
import { NIGHTS, nightlyOf, shellLine } from '../../schedule/nightly.ts';
import { runOnSystem } from '../../schedule/scheduler.ts';
import { systemd } from '../../schedule/systemd.ts';
import { taskScheduler } from '../../schedule/task-scheduler.ts';
import { WrongInputError } from '../../system/errors.ts';
import { assertOwnFolder, assertReplaceable, writeSecretFile } from '../../system/private-files.ts';
import { PROGRAM, programWords } from '../../system/program.ts';
import { defineCommand, flag, type Terminal } from '../command.ts';
import { askForCompanies, askForSecret } from '../company-questions.ts';
import { DEFAULT_LAKE } from '../options/lake.ts';
import { DETAIL_OPTIONS } from '../options/units.ts';
import { RATES } from '../phrases/rates.ts';
import { checkTokens } from './companies.ts';
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
    bcu: flag(RATES.nightly()),
  },
  examples: ['init', 'init --schedule --details emitidos --details recibidos', 'init --undo-schedule'],
  notes: [`Writes ${FILE} for your user alone. What is secret is not shown as you type it.`],
  run: async ({ schedule: isScheduling, 'undo-schedule': isUndoing, details, bcu }, _words, terminal) => {
    if (isScheduling && isUndoing) throw new WrongInputError('Give either --schedule or --undo-schedule.');
    assertOwnFolder(process.cwd());
    const { stdout, ask } = terminal;
    const file = resolve(FILE);
    const detailWords = (details ?? []).flatMap((direction) => ['--details', direction]);
    const words = ['export', '--companies', file, '--lake', resolve(DEFAULT_LAKE), ...detailWords];
    const rates = ['rates', '--bcu', '--yes', '--lake', resolve(DEFAULT_LAKE)];
    const nightly = nightlyOf(
      process.cwd(),
      [...programWords(), ...words],
      bcu === true ? [...programWords(), ...rates] : [],
    );
    const known = process.platform === 'win32' ? [taskScheduler] : [crontab, systemd];
    const here = known.flatMap((open) => open(runOnSystem) ?? []);
    const [scheduler] = here;
    if (scheduler === undefined && (isScheduling || isUndoing))
      throw new WrongInputError(NO_SCHEDULER, {
        advice: 'Without --schedule, init prints the commands for another one.',
      });
    if (isUndoing) {
      // Another one may have been the first when it was put in.
      for (const each of here)
        if (await each.remove(nightly)) stdout.writeProse(`Taken out of ${each.name}.\n`);
      stdout.writeProse(`Nothing is scheduled for ${nightly.folder}.\n`);
      return 0;
    }
    if (ask === undefined) {
      const problem = `There is no terminal to ask at. Write ${file} for your user alone: ${SHAPE}`;
      throw new WrongInputError(problem, { advice: `Then run: ${PROGRAM} export --companies ${FILE}` });
    }

    if (await isToBeWritten(file, ask)) {
      const companies = await askForCompanies(ask, terminal.stderr);
      await writeSecretFile(file, `${JSON.stringify(companies, null, 2)}\n`);
      stdout.writeProse(`Wrote ${file}, for your user alone.\n`);
    }
    stdout.write('\n');
    const areAllValid = await areTokensValid(file, ask, terminal);
    if (!areAllValid && !/^[ys]/i.test(await ask('\nGo on with those that work? (y, or Enter): '))) {
      stdout.writeProse(`Correct ${FILE} and run init again: it goes on with that file.\n`);
      return 1;
    }
    stdout.writeProse(`\nThe last days, into ${DEFAULT_LAKE}:\n\n`);
    const exported = await exportCommand.run({ companies: FILE, last: 3, details }, [], terminal);
    if (isScheduling) await scheduler?.install(nightly);
    stdout.write('\n');
    stdout.writeProse(
      `Every night the last 3 days, on Sundays the last 65; ${nightly.log} has what it prints. ` +
        (isScheduling
          ? `Put into ${scheduler?.name}. To take it out: ${PROGRAM} init --undo-schedule\n`
          : `${scheduler === undefined ? NO_SCHEDULER : `With --schedule, init --schedule writes this into ${scheduler.name}:`}\n`),
    );
    const byHand = scheduler?.text(nightly) ?? NIGHTS.map((night) => shellLine(nightly, night)).join('\n');
    if (!isScheduling) stdout.write(`${byHand}\n`);
    if (bcu !== true) stdout.say(RATES.offerNightly());
    if (scheduler?.note !== undefined) stdout.writeProse(`${scheduler.note}\n`);
    return exported;
  },
});

/** Checks the tokens. While the login is refused, its password alone is asked for again. */
async function areTokensValid(
  file: string,
  ask: NonNullable<Terminal['ask']>,
  terminal: Terminal,
): Promise<boolean> {
  for (;;) {
    const { areAllValid, isLoginRefused } = await checkTokens({ companies: FILE }, terminal);
    const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
    const written: { login?: Record<string, unknown> } = JSON.parse(text);
    const login =
      isLoginRefused &&
      written.login !== undefined &&
      (await askForSecret(written.login, ask, terminal.stderr.language));
    if (!login) return areAllValid;
    await writeSecretFile(file, `${JSON.stringify({ ...written, login }, null, 2)}\n`);
  }
}

/** Never over an existing file without asking. Throws CfeLakeError if none can be there. */
async function isToBeWritten(file: string, ask: NonNullable<Terminal['ask']>): Promise<boolean> {
  await assertReplaceable(file);
  if (!existsSync(file)) return true;
  const answer = await ask(`There is a ${FILE}. Enter goes on with it, "new" writes another: `);
  return /^"?new"?$/i.test(answer.trim());
}
