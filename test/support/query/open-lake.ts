import { afterAll, beforeAll } from 'vitest';
import { type AskedLake, openLake } from '../../../lib/query/open-lake.ts';
import { sharedFolder } from '../lake/lake-folder.ts';
import { type MadeRow, madeLakeFolder } from './made-lake.ts';

/** One open lake of these received receipts for all tests of a file: to open it takes longer than most questions. */
export function lakeForAll(recibidos: readonly MadeRow[]): () => AskedLake {
  let lake: AskedLake;
  beforeAll(async () => {
    const folder = await madeLakeFolder({ recibidos }, sharedFolder());
    lake = await openLake(folder, ['FROM recibidos'], {});
  });
  afterAll(() => lake.close());
  return () => lake;
}
