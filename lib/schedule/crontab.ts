import { CfeLakeError } from '../system/errors.ts';
import { shellWord } from '../text/terminal.ts';
import { NIGHTS, type Nightly, shellLine } from './nightly.ts';
import { SCHEDULER } from './phrases.ts';
import { type Run, runOrThrow, type Scheduler } from './scheduler.ts';

/** The user's crontab, if there is one to write. */
export function crontab(run: Run): Scheduler | undefined {
  if (readCrontab(run) === undefined) return undefined;

  /** Replaces the lines of this mark. Whether there were any. */
  const change = async ({ mark }: Nightly, added: string) => {
    const old = readCrontab(run);
    if (old === undefined) throw new CfeLakeError('The crontab can not be read, so it was not changed.');
    const otherLines = old.split('\n').filter((line) => !line.endsWith(` #${mark}`));
    const kept = otherLines.join('\n');
    const text = kept + (/[^\n]$/.test(kept) && added !== '' ? '\n' : '') + added;
    if (text !== old) runOrThrow(run, ['crontab', '-'], text);
    return kept !== old;
  };
  return {
    name: SCHEDULER.crontab(),
    text: linesOf,
    install: async (nightly) => {
      await change(nightly, Buffer.from(`${linesOf(nightly)}\n`).toString('latin1'));
    },
    remove: (nightly) => change(nightly, ''),
  };
}

/** The crontab's text, if it can be read: others' lines would be lost if it were written unread. */
function readCrontab(run: Run): string | undefined {
  const ran = run(['crontab', '-l']);
  if (ran?.code === 0) return ran.stdout;
  return ran !== undefined && /no crontab for|no such file/i.test(ran.stderr) ? '' : undefined;
}

/** cron mails what is printed, so a night prints something only if it failed. A bare % would end its line. */
function linesOf(nightly: Nightly): string {
  return NIGHTS.map((night) => {
    const line = `${shellLine(nightly, night)} || cat ${shellWord(nightly.log)}`;
    return `${night.cron} ${line.replaceAll('%', '\\%')} #${nightly.mark}`;
  }).join('\n');
}
