import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { unitKey } from '../../lib/lake/layout.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { atMost, type Benchmark, count } from '../benchmark.ts';
import { DAY, measureExport, withFolder, withSandbox } from '../processes.ts';

/** The size of a unit's object against DuckDB's file of the same rows in the same order. */
export const bytes: Benchmark = {
  name: 'bytes',
  run: async () => {
    const lines = [];
    for (const receipts of [1_000, 100_000]) lines.push(await compare(receipts));
    return lines;
  },
};

function compare(receipts: number) {
  return withSandbox({ receiptsPerDay: receipts }, ({ url }) =>
    withFolder(async (lake) => {
      await measureExport({ url, lake, from: DAY });
      const ours = join(lake, unitKey('recibidos', DAY, sandboxCompanies(1)[0]?.rut ?? '0'));
      const theirs = join(lake, 'duckdb.parquet');
      const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
      const connection = await instance.connect();
      await connection.run(
        `COPY (SELECT * FROM read_parquet('${ours}', hive_partitioning = false)) TO '${theirs}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      connection.closeSync();
      instance.closeSync();
      const [own, other] = [(await stat(ours)).size, (await stat(theirs)).size];
      return atMost(
        1,
        own / other,
        `${count(receipts)} receipts: bytes against DuckDB's ZSTD Parquet of the same rows (${count(other)})`,
        count(own),
      );
    }),
  );
}
