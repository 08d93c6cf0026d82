import { dayKey } from '../lake/layout.ts';
import { DamagedObjectError, readFileMetadata, readRowGroups } from '../lake/parquet/reader.ts';
import { type LakeStore, type ObjectBytes, readObject, undefinedIfMissing } from '../lake/store/store.ts';
import { lackingColumns, unitsInFooter } from '../lake/stored-rows.ts';
import { indexOfColumn, type Table } from '../lake/tables.ts';
import type { TableDay } from '../publish/publish-day.ts';
import { orderCheck } from '../publish/unit-object.ts';
import { plural } from '../text/terminal.ts';

/** Why a day's object is damaged, read to its end; undefined if it is not, or there is none. */
export async function damageOfDay(store: LakeStore, { table, day }: TableDay): Promise<string | undefined> {
  const key = dayKey(table.name, day);
  const read = async (file: ObjectBytes) => {
    const { columnNames, metadata } = await readFileMetadata(file);
    const units = unitsInFooter(metadata);
    if (units === undefined) throw new DamagedObjectError(file.name, 'it does not say which units are in it');
    lackingColumns(table, columnNames, { key, address: store.address });
    const found = await rowsByRut(file, table);
    for (const rut of new Set([...units.keys(), ...found.keys()])) {
      const [count, said] = [found.get(rut) ?? 0, units.get(rut)?.rowCount ?? 0];
      if (count === said) continue;
      throw new DamagedObjectError(
        file.name,
        `it has ${plural(count, 'row')} of ${rut} where it says ${said}`,
      );
    }
  };
  try {
    await readObject(store, key, read).catch(undefinedIfMissing);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedObjectError) return error.whatHappened;
    throw error;
  }
}

/** How many rows each company has. Throws DamagedObjectError unless they are by RUT and id. */
async function rowsByRut(file: ObjectBytes, table: Table): Promise<Map<string, number>> {
  const columns = table.columns;
  const [rutIndex, idIndex] = [indexOfColumn(columns, 'rut'), indexOfColumn(columns, 'id')];
  const found = new Map<string, number>();
  let last = '';
  let check = orderCheck(table, last, file.name);
  for await (const batch of readRowGroups(file, columns)) {
    const ruts = batch.columns[rutIndex] ?? [];
    for (let start = 0, end = 0; start < batch.rowCount; start = end) {
      const rut = String(ruts[start]);
      while (end < batch.rowCount && ruts[end] === rut) end += 1;
      if (rut < last) throw new DamagedObjectError(file.name, 'its rows are not in the order of their RUTs');
      if (rut !== last) check = orderCheck(table, rut, file.name);
      last = rut;
      const part = batch.columns.map((column, index) =>
        index === rutIndex || index === idIndex ? column.slice(start, end) : [],
      );
      check({ rowCount: end - start, columns: part });
      found.set(rut, (found.get(rut) ?? 0) + end - start);
    }
  }
  return found;
}
