import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import * as v from 'valibot';
import { TABLES, type Table } from '../lake/tables.ts';
import type { Day } from '../time/days.ts';
import { STUB, showTable } from './lake-database.ts';
import { assertQuestion, blankEnd, explainedPart, quoted } from './question.ts';

/** Earlier than any receipt: a question that needs it has no first day. */
const LONG_AGO = '1900-01-01';

/** Reads a table that the question may name in pieces. */
const INDIRECT = 'query_table';

/** Optimizers that only rearrange a plan stay on. Others might drop a scan because its stub has no rows. */
const OPTIMIZERS = [
  'expression_rewriter',
  'filter_pullup',
  'filter_pushdown',
  'cte_filter_pusher',
  'in_clause',
];

/** Which partitions questions need. */
export interface AskedDays {
  has(table: Table, day: Day): boolean;
  /** Whether one of them has no first day for the table. */
  isOpen(table: Table): boolean;
}

/** The tables that the SQL may read: those whose names are among its words, without its leading comment. */
export function tablesIn(sql: string): Table[] {
  const words = new Set(
    sql
      .slice(blankEnd(sql))
      .toLowerCase()
      .match(/[a-z_]+/g),
  );
  if (words.has(INDIRECT)) return [...TABLES];
  return TABLES.filter(({ name }) => words.has(name));
}

/**
 * Asks DuckDB which days of each table the questions can need. Each is planned over stubs, one per day: files with the
 * table's columns and no rows. The plan names the files that its conditions leave; other days cannot give a row. A
 * question without a plan of its own needs all days. `days`: the partitions that exist. `stubs`: the folder with
 * `TABLE/stub.parquet`. Throws QueryError or QuestionRefusedError.
 */
export async function askedDays(
  connection: DuckDBConnection,
  questions: readonly string[],
  days: ReadonlyMap<Table, ReadonlySet<Day>>,
  stubs: string,
): Promise<AskedDays> {
  for (const [table, partitions] of days) {
    const files = makeStubs(stubs, table, [LONG_AGO, ...partitions]);
    await connection.run(showTable(table, files, { alike: true }));
  }
  const planned = new Set<string>();
  for (const sql of questions) {
    await assertQuestion(connection, sql);
    const files = await plannedFiles(connection, explainedPart(sql));
    if (files === undefined) return { has: () => true, isOpen: () => true };
    for (const file of files) planned.add(file);
  }
  const has = (table: Table, day: Day) => planned.has(stubPath(stubs, table, day));
  return { has, isOpen: (table) => has(table, LONG_AGO) };
}

/** All stubs of a table are one file, reached through links to its folder. */
function makeStubs(stubs: string, table: Table, days: readonly Day[]): string[] {
  mkdirSync(join(stubs, 'links', table.name), { recursive: true });
  return days.map((day) => {
    const path = stubPath(stubs, table, day);
    symlinkSync(join(stubs, table.name), dirname(path), 'junction');
    return path;
  });
}

function stubPath(stubs: string, { name, partition }: Table, day: Day): string {
  return join(stubs, 'links', name, `${partition}=${day}`, STUB);
}

const Plan = v.looseObject({ error: v.literal(false) });
const Scans = v.array(v.looseObject({ function_data: v.looseObject({ files: v.array(v.string()) }) }));

/** The files in the plan; undefined if there is no plan. */
async function plannedFiles(
  connection: DuckDBConnection,
  question: string,
): Promise<readonly string[] | undefined> {
  const namesSql = `SELECT string_agg(name, ',') FROM duckdb_optimizers() WHERE name NOT IN (${OPTIMIZERS.map(quoted)})`;
  const before = await textOf(connection, "SELECT current_setting('disabled_optimizers')");
  const disabled = await textOf(connection, namesSql);
  await connection.run(`SET disabled_optimizers = ${quoted(disabled)}`);
  const text = await textOf(connection, `SELECT json_serialize_plan(${quoted(question)}, optimize := true)`);
  await connection.run(`SET disabled_optimizers = ${quoted(before)}`);
  const plan = v.safeParse(Plan, jsonOf(text));
  const scans = v.safeParse(Scans, plan.success ? [...scansIn(plan.output)] : undefined);
  return scans.success ? scans.output.flatMap((scan) => scan.function_data.files) : undefined;
}

/** A plan's JSON. One with a constant that JSON lacks, such as NaN, has none: DuckDB writes it all the same. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(connection: DuckDBConnection, sql: string): Promise<string> {
  const reader = await connection.runAndReadAll(sql);
  return String(reader.getRows()[0]?.[0]);
}

/** The parts of a plan that read files. */
function* scansIn(node: unknown): Generator<object> {
  if (typeof node !== 'object' || node === null) return;
  if ('name' in node && node.name === 'read_parquet' && 'table_index' in node) yield node;
  for (const inner of Object.values(node)) yield* scansIn(inner);
}
