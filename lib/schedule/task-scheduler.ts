import { join } from 'node:path';
import { ofFilesAndCommands, type Plan } from './files-and-commands.ts';
import { NIGHTS, type Nightly } from './nightly.ts';
import { SCHEDULER } from './phrases.ts';
import type { Run, Scheduler } from './scheduler.ts';

/** The scheduler of Windows, written from its documentation: nobody has run it. */
export function taskScheduler(run: Run): Scheduler {
  return ofFilesAndCommands(run, { name: SCHEDULER.tasks(), note: SCHEDULER.taskProperties() }, planOf);
}

/** A script that takes the number of days, because a task's own command may have 261 characters at most. */
function planOf({ mark, folder, words, followingWords, log }: Nightly): Plan {
  const script = join(folder, 'cfe-lake-nightly.cmd');
  const inScript = (word: string) => `"${word.replaceAll('%', '%%')}"`;
  const lines = [
    '@echo off',
    'chcp 65001 >nul',
    `cd /d ${inScript(folder)}`,
    `del /q ${inScript(log)} 2>nul`,
    `${words.map(inScript).join(' ')} --last %1 >${inScript(log)} 2>&1`,
    ...(followingWords.length === 0
      ? []
      : [
          'set ended=%errorlevel%',
          `${followingWords.map(inScript).join(' ')} >>${inScript(log)} 2>&1`,
          'if not %ended%==0 exit /b %ended%',
        ]),
  ];
  return {
    files: { [script]: lines.map((line) => `${line}\r\n`).join('') },
    on: NIGHTS.map(({ days, task }) => [
      'schtasks',
      '/create',
      '/f',
      '/tn',
      `${mark}-${days}`,
      ...task.split(' '),
      '/tr',
      `"${script}" ${days}`,
    ]),
    off: NIGHTS.map(({ days }) => ['schtasks', '/delete', '/f', '/tn', `${mark}-${days}`]),
  };
}
