import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { RECIBIDOS, RECIBIDOS_DETALLE } from '../../lib/lake/tables.ts';
import { publishDays } from '../../lib/publish/publish-days.ts';
import { report } from './figures.ts';

/** Publishes a day whose units exist. */
const { lake, table: name, day } = JSON.parse(process.argv[2] ?? '{}');
const table = name === RECIBIDOS.name ? RECIBIDOS : RECIBIDOS_DETALLE;
await report(async () => {
  const store = new FolderStore(lake);
  const { written, problems, failedDays } = await publishDays(store, writeWithHyparquet, [{ table, day }]);
  for (const { reason } of problems.slice(0, 3)) process.stderr.write(`${reason}\n`);
  return { written, failed: failedDays };
});
