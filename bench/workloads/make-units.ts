import { FolderStore } from '../../lib/lake/store/folder.ts';
import { TABLES } from '../../lib/lake/tables.ts';
import { report } from './figures.ts';
import { madeRuts, putMadeUnit } from './made-units.ts';

/** Makes the units of some days, in a process whose memory is not measured. */
const { lake, table: name, days, companies, rowCount, jsonBytes } = JSON.parse(process.argv[2] ?? '{}');
const table = TABLES.find((known) => known.name === name);
if (table === undefined) throw new Error(`there is no table ${name}`);
const store = new FolderStore(lake);
await report(async () => {
  for (const fecha of days) {
    for (const rut of madeRuts(companies))
      await putMadeUnit(store, table, fecha, { rut, rowCount, jsonBytes });
  }
  return { receipts: days.length * companies * rowCount };
});
