import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ofFilesAndCommands, type Plan } from './files-and-commands.ts';
import { NIGHTS, type Nightly, shellLine } from './nightly.ts';
import { SCHEDULER } from './phrases.ts';
import type { Run, Scheduler } from './scheduler.ts';

const SYSTEMCTL = ['systemctl', '--user'];

/** The user's own timers; undefined where no systemd answers for this user. */
export function systemd(run: Run): Scheduler | undefined {
  if (run([...SYSTEMCTL, 'show-environment'])?.code !== 0) return undefined;
  return ofFilesAndCommands(run, { name: SCHEDULER.timers(), note: SCHEDULER.linger() }, planOf);
}

/** A service and a timer for each of the nights. */
function planOf(nightly: Nightly): Plan {
  // By the XDG specification one that is not absolute is to be ignored.
  const named = process.env.XDG_CONFIG_HOME ?? '';
  const folder = join(isAbsolute(named) ? named : join(homedir(), '.config'), 'systemd', 'user');
  const files = NIGHTS.flatMap((night) => {
    const place = join(folder, `${nightly.mark}-${night.days}`);
    const head = `[Unit]\nDescription=cfe-lake: export of the last ${night.days} days\n\n`;
    // Between double quotes; % and $ mean something to systemd.
    const line = shellLine(nightly, night).replaceAll(/[%$]/g, '$&$&').replaceAll(/["\\]/g, '\\$&');
    return [
      [`${place}.service`, `${head}[Service]\nType=oneshot\nExecStart=/bin/sh -c "${line}"\n`],
      [
        `${place}.timer`,
        `${head}[Timer]\nOnCalendar=${night.calendar}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n`,
      ],
    ];
  });
  const timers = NIGHTS.map(({ days }) => `${nightly.mark}-${days}.timer`);
  return {
    files: Object.fromEntries(files),
    on: [
      [...SYSTEMCTL, 'daemon-reload'],
      [...SYSTEMCTL, 'enable', '--now', ...timers],
    ],
    off: [[...SYSTEMCTL, 'disable', '--now', ...timers]],
  };
}
