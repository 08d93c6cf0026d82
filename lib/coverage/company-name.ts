import { unitKey } from '../lake/layout.ts';
import { readRowGroups } from '../lake/parquet/reader.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { Column } from '../lake/tables.ts';
import { RECIBIDOS } from '../lake/tables.ts';

const COLUMNS: readonly Column[] = RECIBIDOS.columns.filter(({ name }) =>
  ['receptor_nro_doc', 'receptor_denominacion'].includes(name),
);
/** A name is a courtesy: not worth reading a year for. */
const OBJECTS_TRIED = 3;

/**
 * The company's name as those who sent it receipts write it: the recipient's, on the newest of these days on which
 * it received any. Undefined when none says, or can't be read.
 */
export async function findCompanyName(
  store: LakeStore,
  rut: string,
  daysWithReceipts: readonly string[],
): Promise<string | undefined> {
  const newestFirst = [...daysWithReceipts].sort().reverse();
  for (const day of newestFirst.slice(0, OBJECTS_TRIED)) {
    const name = await nameIn(store, unitKey(RECIBIDOS.name, day, rut), rut).catch(() => undefined);
    if (name !== undefined) return name;
  }
  return undefined;
}

async function nameIn(store: LakeStore, key: string, rut: string): Promise<string | undefined> {
  const file = await store.open(key);
  try {
    for await (const { columns } of readRowGroups(file, COLUMNS)) {
      const [documents = [], names = []] = columns;
      const row = documents.findIndex((document, index) => document === rut && isName(names[index]));
      if (row !== -1) return String(names[row]).trim();
    }
    return undefined;
  } finally {
    await file.close();
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
