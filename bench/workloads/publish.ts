import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { TABLES } from '../../lib/lake/tables.ts';
import { publishDays } from '../../lib/publish/publish-days.ts';
import type { Day } from '../../lib/time/days.ts';
import { report } from './figures.ts';

/** Publishes days whose units exist. */
const { lake, table: name, days } = JSON.parse(process.argv[2] ?? '{}');
const table = TABLES.find((known) => known.name === name);
if (table === undefined) throw new Error(`there is no table ${name}`);
await report(async () => {
  const of = days.map((day: Day) => ({ table, day }));
  const { written, problems, failedDays } = await publishDays(new FolderStore(lake), writeWithHyparquet, of);
  for (const { reason } of problems.slice(0, 3)) process.stderr.write(`${reason}\n`);
  return { written, failed: failedDays };
});
