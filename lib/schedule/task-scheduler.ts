import { join } from 'node:path';
import { ofFilesAndCommands, type Plan } from './files-and-commands.ts';
import { NIGHTS, type Nightly } from './nightly.ts';
import type { Run, Scheduler } from './scheduler.ts';

/** That of Windows. Written from its documentation: nobody has run it. */
export function taskScheduler(run: Run): Scheduler {
  const note =
    'In the properties of both tasks, choose to run them whether or not you are logged on, and after a missed start.';
  return ofFilesAndCommands(run, { name: 'the Task Scheduler', note }, planOf);
}

/** A script that takes the number of days, because a task's own command may have 261 characters at most. */
function planOf({ mark, folder, words, log }: Nightly): Plan {
  const script = join(folder, 'cfe-lake-nightly.cmd');
  const inScript = (word: string) => `"${word.replaceAll('%', '%%')}"`;
  const lines = [
    '@echo off',
    'chcp 65001 >nul',
    `cd /d ${inScript(folder)}`,
    `${words.map(inScript).join(' ')} --last %1 >${inScript(log)} 2>&1`,
  ];
  const tasks = NIGHTS.map(({ name, days, task }) => [`${mark}-${name}`, days, task] as const);
  return {
    files: { [script]: lines.map((line) => `${line}\r\n`).join('') },
    on: tasks.map(([name, days, when]) => [
      'schtasks',
      '/create',
      '/f',
      '/tn',
      name,
      '/sc',
      ...when,
      '/tr',
      `"${script}" ${days}`,
    ]),
    off: tasks.map(([name]) => ['schtasks', '/delete', '/f', '/tn', name]),
  };
}
