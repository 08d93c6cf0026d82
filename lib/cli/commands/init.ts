import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { companiesIn } from '../../companies/company.ts';
import { USUAL_FILE as FILE } from '../../lake/source.ts';
import { ignoreMissing } from '../../lake/store/folder-files.ts';
import { crontab } from '../../schedule/crontab.ts';
import { NIGHTS, nightlyOf, shellLine } from '../../schedule/nightly.ts';
import { runOnSystem } from '../../schedule/scheduler.ts';
import { systemd } from '../../schedule/systemd.ts';
import { taskScheduler } from '../../schedule/task-scheduler.ts';
import { WrongInputError } from '../../system/errors.ts';
import { assertReplaceable, writeSecretFile } from '../../system/private-files.ts';
import { assertOwnFolder } from '../../system/private-folders.ts';
import { PROGRAM, programWords } from '../../system/program.ts';
import { joined } from '../../text/language.ts';
import { checkFiles, defineCommand, flag, type Terminal } from '../command.ts';
import { askForCompanies, askForSecret } from '../company-questions.ts';
import { DEFAULT_LAKE } from '../options/lake.ts';
import { DETAIL_OPTIONS } from '../options/units.ts';
import { INIT, SAY } from '../phrases/init.ts';
import { RATES } from '../phrases/rates.ts';
import { checkTokens } from './companies.ts';
import { exportCommand } from './export.ts';

const SHAPE =
  '{"api": "https://…", "login": {"tokenUrl": "https://…", "username": "…", "password": "…"}, "companies": [{"rut": "…"}]}';

export const initCommand = defineCommand({
  options: {
    schedule: flag(SAY.schedule()),
    'undo-schedule': flag(SAY.undo()),
    details: DETAIL_OPTIONS.details,
    bcu: flag(RATES.nightly()),
  },
  examples: ['init', 'init --schedule --details emitidos --details recibidos', 'init --undo-schedule'],
  notes: [SAY.writes(FILE)],
  run: async ({ schedule: isScheduling, 'undo-schedule': isUndoing, details, bcu }, _words, terminal) => {
    if (isScheduling && isUndoing) throw new WrongInputError(SAY.scheduleOrUndo());
    assertOwnFolder(process.cwd());
    const { stdout, ask } = terminal;
    const file = resolve(FILE);
    // Cron has no LANG.
    const language = stdout.language === 'es' ? ['--lang', 'es'] : [];
    const say = INIT[stdout.language];
    const detailWords = (details ?? []).flatMap((direction) => ['--details', direction]);
    const words = [
      'export',
      '--companies',
      file,
      '--lake',
      resolve(DEFAULT_LAKE),
      ...detailWords,
      ...language,
    ];
    const rates = ['rates', '--bcu', '--yes', '--lake', resolve(DEFAULT_LAKE), ...language];
    const nightly = nightlyOf(
      process.cwd(),
      [...programWords(), ...words],
      bcu === true ? [...programWords(), ...rates] : [],
    );
    const known = process.platform === 'win32' ? [taskScheduler] : [crontab, systemd];
    const schedulers = known.flatMap((open) => open(runOnSystem) ?? []);
    const [scheduler] = schedulers;
    if (scheduler === undefined && (isScheduling || isUndoing))
      throw new WrongInputError(SAY.noScheduler(), { advice: SAY.printsCommands() });
    if (isUndoing) {
      // Another one may have been the first when it was put in.
      for (const possible of schedulers)
        if (await possible.remove(nightly)) stdout.say(SAY.takenOut(stdout.textOf(possible.name)));
      stdout.say(SAY.nothingScheduled(nightly.folder));
      return 0;
    }
    if (ask === undefined) {
      const command = `${PROGRAM} export --companies ${FILE}`;
      throw new WrongInputError(SAY.noTerminal(file, SHAPE), { advice: SAY.thenRun(command) });
    }

    if (await isToBeWritten(file, ask, say)) {
      const before = await textOf(file);
      const companies = await askForCompanies(ask, terminal.stderr);
      await writeOver(before, file, `${JSON.stringify(companies, null, 2)}\n`);
      stdout.say(SAY.wrote(file));
    }
    // Else the command line checks them before a command runs.
    await checkFiles(exportCommand.options, { companies: FILE }, terminal);
    stdout.write('\n');
    const areAllValid = await areTokensValid(file, ask, terminal);
    if (!areAllValid && !/^[ys]/i.test(await ask(say.goOn()))) {
      stdout.say(SAY.correct(FILE));
      return 1;
    }
    stdout.say(SAY.lastDays(DEFAULT_LAKE));
    const exported = await exportCommand.run({ companies: FILE, last: 3, details }, [], terminal);
    if (isScheduling) await scheduler?.install(nightly);
    stdout.write('\n');
    const undo = `${PROGRAM} init --undo-schedule`;
    const byScheduler =
      scheduler === undefined
        ? joined([SAY.noScheduler(), SAY.byHand()], ' ')
        : isScheduling
          ? SAY.putInto(stdout.textOf(scheduler.name), undo)
          : SAY.wouldWrite(stdout.textOf(scheduler.name));
    stdout.say(joined([SAY.nights(nightly.log), byScheduler], ' '));
    const byHand = scheduler?.text(nightly) ?? NIGHTS.map((night) => shellLine(nightly, night)).join('\n');
    if (!isScheduling) stdout.write(`${byHand}\n`);
    if (bcu !== true) stdout.say(RATES.offerNightly());
    if (scheduler?.note !== undefined) stdout.say(scheduler.note);
    return exported;
  },
});

interface Written {
  login?: Record<string, unknown>;
  companies?: { rut: string; login?: Record<string, unknown> }[];
}

/** Checks the tokens. While logins are refused, their passwords alone are asked for again, all before the next check. */
async function areTokensValid(
  file: string,
  ask: NonNullable<Terminal['ask']>,
  terminal: Terminal,
): Promise<boolean> {
  for (;;) {
    const { areAllValid, refusedRuts } = await checkTokens({ companies: FILE }, terminal);
    const text = await textOf(file);
    // Somebody may be in the midst of changing it: what is no JSON is not quoted.
    if (text !== undefined) companiesIn(Buffer.from(text), file);
    const before: Written = JSON.parse(text?.replace(/^\uFEFF/, '') ?? '{}');
    let written = before;
    const asked = new Set<string>();
    for (const rut of refusedRuts) {
      const refused = loginOf(before, rut);
      const key = JSON.stringify(refused);
      // Asked for with that of another company, or replaced with that of another of the same user.
      if (refused === undefined || asked.has(key) || JSON.stringify(loginOf(written, rut)) !== key) continue;
      asked.add(key);
      const isOwn = refused !== before.login;
      const anew = await askForSecret(refused, isOwn ? rut : undefined, ask, terminal.stderr.language);
      if (anew === undefined) continue;
      written = withSecret(written, refused, anew);
    }
    if (written === before) return areAllValid;
    await writeOver(text, file, `${JSON.stringify(written, undefined, 2)}\n`);
  }
}

function loginOf({ login, companies }: Written, rut: string): Record<string, unknown> | undefined {
  return companies?.find((company) => company.rut === rut)?.login ?? login;
}

/** Logins of other companies with the same one would be refused with it, whatever else they have. */
function withSecret(
  written: Written,
  refused: Record<string, unknown>,
  anew: { name: string; value: string },
): Written {
  const isOfSame = (login: Record<string, unknown>) =>
    ['tokenUrl', 'username', 'clientId', anew.name].every((name) => login[name] === refused[name]);
  return JSON.parse(JSON.stringify(written), (name, value) =>
    name === 'login' && isOfSame(value) ? { ...value, [anew.name]: anew.value } : value,
  );
}

async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(ignoreMissing);
}

/** Throws WrongInputError if the file is no longer what it was before a person was asked: another login may be in it. */
async function writeOver(before: string | undefined, file: string, text: string): Promise<void> {
  if ((await textOf(file)) !== before)
    throw new WrongInputError(SAY.changedMeanwhile(FILE), { advice: SAY.goesOnWith(FILE) });
  await writeSecretFile(file, text);
}

/** An existing file is overwritten only if a person says so. Throws CfeLakeError if none can be there. */
async function isToBeWritten(
  file: string,
  ask: NonNullable<Terminal['ask']>,
  say: (typeof INIT)['en'],
): Promise<boolean> {
  await assertReplaceable(file);
  if (!existsSync(file)) return true;
  const answer = await ask(say.isThere(FILE));
  return /^"?(?:new|nuevo)"?$/i.test(answer.trim());
}
