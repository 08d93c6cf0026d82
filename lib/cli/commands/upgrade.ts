import { loadWriter } from '../../lake/parquet/writers.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { upgradeLake } from '../../publish/upgrade-lake.ts';
import { defineCommand } from '../command.ts';
import { publicationLines } from '../failure.ts';
import { DEFAULT_LAKE, LAKE_OPTION } from '../options/lake.ts';

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  options: { ...LAKE_OPTION },
  examples: ['upgrade --lake ./lake', 'upgrade --lake s3://bucket'],
  notes: ['Needs no API, loses nothing, and resumes where it was interrupted: docs/upgrade.md.'],
  run: async ({ lake }, _words, terminal) => {
    const store = await openStoreToRead(lake ?? DEFAULT_LAKE);
    let days = 0;
    const upgraded = await upgradeLake(store, await loadWriter('hyparquet'), {
      signal: terminal.signal,
      onDay: ({ table, day }) => {
        days += 1;
        terminal.stderr.replaceLine(`${days} days · ${table.name} ${day}`);
      },
    });
    if (days > 0) terminal.stderr.eraseLine();
    for (const line of publicationLines({ ...upgraded, remaining: 0 })) terminal.stderr.writeProblem(line);
    for (const line of upgraded.damagedParts) terminal.stderr.writeProblem(line);
    terminal.stdout.write(
      upgraded.days === 0
        ? `Nothing to convert in ${store.address}.\n`
        : `${upgraded.units} units moved, ${upgraded.days} days of tables made, in ${store.address}.\n`,
    );
    return upgraded.problems.length + upgraded.damagedParts.length === 0 ? 0 : 1;
  },
});
