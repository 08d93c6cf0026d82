import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { dayKey, unitsFolder } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { readRowGroups } from '../../lib/lake/parquet/reader.ts';
import { inRowGroups } from '../../lib/lake/parquet/writer.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { RECIBIDOS, RECIBIDOS_DETALLE, type Table } from '../../lib/lake/tables.ts';
import { addDays, daysBetween } from '../../lib/time/days.ts';
import { atMost, type Benchmark, count, type Line, median, megabytes, seconds } from '../benchmark.ts';
import { DAY, measure, withFolder } from '../processes.ts';
import { madeRuts } from '../workloads/made-units.ts';

/** Of what publish has in AWS, a quarter. */
const MEMORY_MB = 512;
const RUNS = 9;

/** The peak memory of publishing a large day, against what the function has. */
export const publishing: Benchmark = {
  name: 'publishing',
  run: async () => [
    await largeDay(RECIBIDOS, { companies: 30, rowCount: 100_000 }, '3,000,000 receipts of 30 companies'),
    await largeDay(
      RECIBIDOS_DETALLE,
      { companies: 20, rowCount: 10_000, jsonBytes: 10_000 },
      '200,000 details of 10 KB, of 20 companies',
    ),
  ],
};

/** The time of a query over a year. */
export const year: Benchmark = { name: 'year', run: () => withFolder(askYear) };

interface MadeDay {
  companies: number;
  rowCount: number;
  jsonBytes?: number;
}

function largeDay({ name }: Table, made: MadeDay, what: string): Promise<Line> {
  return withFolder(async (lake) => {
    const day = { lake, table: name, days: [DAY] };
    await measure('make-units', { ...day, ...made });
    const { peakMemoryMb, written } = await measure('publish', day);
    if (written !== 1) throw new Error('the day was not published');
    return atMost(
      1,
      peakMemoryMb / MEMORY_MB,
      `a day of ${what}, published: peak memory against ${MEMORY_MB} MB`,
      megabytes(peakMemoryMb),
    );
  });
}

/** 50 companies with 20 receipts a day, one direction: 365,000 rows. */
async function askYear(lake: string): Promise<Line[]> {
  const first = addDays(DAY, -364);
  const days = daysBetween(first, DAY);
  const all = { lake, table: RECIBIDOS.name, days };
  await measure('make-units', { ...all, companies: 50, rowCount: 20 });
  await measure('publish', all);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const files = (folder: string, fecha = '*') => join(lake, folder, `fecha=${fecha}`, '*.parquet');
  const store = new FolderStore(lake);
  for (const fecha of days) {
    const folders = ['bulk', 'duckdb'].map((folder) => dirname(files(folder, fecha)));
    for (const folder of folders) await mkdir(folder, { recursive: true });
    const [bulk = '', duckdb = ''] = folders.map((folder) => join(folder, 'dia.parquet'));
    const key = dayKey(RECIBIDOS.name, fecha);
    const file = await store.open(key);
    const { columns } = RECIBIDOS;
    const rows = inRowGroups(readRowGroups(file, columns), columns.length);
    await writeFile(bulk, writeWithHyparquet({ columns, rows, metadata: {} }));
    await file.close();
    await connection.run(
      `COPY (SELECT * FROM read_parquet('${join(lake, key)}', hive_partitioning = false) ORDER BY rut, id) ` +
        `TO '${duckdb}' (FORMAT parquet, COMPRESSION zstd)`,
    );
  }
  const where = `fecha BETWEEN DATE '${first}' AND DATE '${DAY}'`;
  const questions = {
    'one month': `fecha >= DATE '${DAY}' - 30`,
    'the year': where,
    'one company’s year': `rut = '${madeRuts(50)[20]}' AND ${where}`,
  };
  const ask = (folder: string, condition: string) =>
    `SELECT emisor_ruc, count(*), sum(totales_total) FROM read_parquet('${files(folder)}', hive_partitioning = true) ` +
    `WHERE ${condition} GROUP BY ALL`;
  const lines: Line[] = [];
  for (const [question, condition] of Object.entries(questions)) {
    const folders = [RECIBIDOS.name, 'bulk', 'duckdb'];
    const times = await inTurn(
      connection,
      folders.map((folder) => ask(folder, condition)),
    );
    const [ours = 0, bulk = 0, duckdb = 0] = times;
    // Run separately: 18,250 files would evict the next question's caches.
    const [units = 0] = await inTurn(connection, [ask(unitsFolder(RECIBIDOS.name), condition)]);
    lines.push(
      atMost(
        1.2,
        ours / bulk,
        `365,000 rows in 365 days, DuckDB, ${question}: against one object a day written in bulk (${seconds(bulk)})`,
        `${seconds(ours)}; written by DuckDB ${seconds(duckdb)}, of 18,250 units ${seconds(units)}`,
      ),
    );
  }
  const [own, ofUnits] = await Promise.all(
    [RECIBIDOS.name, unitsFolder(RECIBIDOS.name)].map((folder) => bytesIn(lake, folder)),
  );
  const target = `the same: bytes that the table points at, against the units (${count(ofUnits ?? 0)})`;
  lines.push(atMost(0.5, (own ?? 0) / (ofUnits ?? 1), target, count(own ?? 0)));
  connection.closeSync();
  instance.closeSync();
  return lines;
}

/** Median time of each question with warm caches. They are asked in turns, and each is first equally often. */
async function inTurn(connection: DuckDBConnection, questions: readonly string[]): Promise<number[]> {
  const times = questions.map((): number[] => []);
  for (let run = 0; run <= RUNS; run += 1) {
    for (let place = 0; place < questions.length; place += 1) {
      const index = (run + place) % questions.length;
      const start = performance.now();
      await connection.runAndReadAll(questions[index] ?? '');
      if (run > 0) times[index]?.push(performance.now() - start);
    }
  }
  return times.map(median);
}

async function bytesIn(lake: string, folder: string): Promise<number> {
  let total = 0;
  for await (const key of new FolderStore(lake).list(folder)) total += (await stat(join(lake, key))).size;
  return total;
}
