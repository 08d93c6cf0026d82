import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { ended, expectSame, PlayFailedError, until } from './process.ts';
import { clientFor, type Deployer, type Person } from './stack.ts';
import { type Counted, hundredths, type List, type ServiceTruth } from './truth.ts';

/** The cells of a query's answer in Athena, without its heading. Throws PlayFailedError with Athena's reason. */
export async function askAthena(
  person: Person,
  { workgroup, database }: { workgroup: string; database: string },
  QueryString: string,
): Promise<string[][]> {
  const client = new AthenaClient(clientFor(person));
  const { QueryExecutionId } = await client.send(
    new StartQueryExecutionCommand({
      QueryString,
      WorkGroup: workgroup,
      QueryExecutionContext: { Database: database },
    }),
  );
  await until('Athena answers', async () => {
    const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId }));
    const { State, StateChangeReason } = QueryExecution?.Status ?? {};
    if (State === 'FAILED' || State === 'CANCELLED')
      throw new PlayFailedError(`Athena: ${StateChangeReason ?? State}`);
    return State === 'SUCCEEDED' ? State : undefined;
  });
  const { ResultSet } = await client.send(new GetQueryResultsCommand({ QueryExecutionId }));
  const rows = ResultSet?.Rows ?? [];
  return rows.slice(1).map(({ Data = [] }) => Data.map(({ VarCharValue = '' }) => VarCharValue));
}

/** The rows of an answer of `query`, by the names of their columns. */
export async function askQuery(
  deployer: Deployer,
  lake: string,
  sql: string,
  person: Person = deployer.root,
): Promise<Record<string, unknown>[]> {
  const answer = await deployer.cli(['query', '--lake', lake, '--format', 'json', sql], person);
  return JSON.parse(ended('query', answer));
}

/** Where the tables are. */
export interface Tables {
  deployer: Deployer;
  /** `s3://BUCKET`. */
  lake: string;
  workgroup: string;
  database: string;
}

export async function tablesOf(deployer: Deployer): Promise<Tables> {
  const [bucket, workgroup, database] = await Promise.all(
    ['LakeBucket', 'Workgroup', 'Database'].map((name) => deployer.output(name)),
  );
  return { deployer, lake: `s3://${bucket}`, workgroup: workgroup ?? '', database: database ?? '' };
}

const LISTS: readonly List[] = ['recibidos', 'emitidos'];
const SUM_OF_LIST = 'sum(totales_total_pagar)';
/** In the details, the totals are JSON; no number in it is a float. */
const SUM_OF_DETAIL = "sum(CAST(totales->>'$.total_pagar' AS DECIMAL(17,2)))";

/** Compares counts and sums of these tables, in Athena and by `query`, with the service. Returns a line to print. */
export async function compareWithService(
  { deployer, lake, ...place }: Tables,
  truth: ServiceTruth,
  { from, to, withDetails = false }: { from: string; to: string; withDetails?: boolean },
): Promise<string> {
  const lines: string[] = [];
  const days = `WHERE fecha BETWEEN DATE '${from}' AND DATE '${to}'`;
  const compare = async (table: string, sum: string, isForAthena: boolean, expected: Counted) => {
    const wanted = [expected.receipts, String(expected.cents)];
    const sql = `SELECT count(DISTINCT id) AS n, CAST(coalesce(${sum}, 0) AS VARCHAR) AS total FROM ${table} ${days}`;
    const [row] = await askQuery(deployer, lake, sql);
    expectSame(`${table} by query`, [Number(row?.n), String(hundredths(String(row?.total)))], wanted);
    const [cells = []] = await askAthena(
      deployer.root,
      place,
      isForAthena ? sql : `SELECT count(DISTINCT id), '' FROM ${table} ${days}`,
    );
    const [count, total = ''] = cells;
    const inAthena = [Number(count), isForAthena ? String(hundredths(total)) : wanted[1]];
    expectSame(`${table} in Athena`, inAthena, wanted);
    lines.push(`${table} ${expected.receipts.toLocaleString('en')}`);
  };
  for (const list of LISTS) await compare(list, SUM_OF_LIST, true, await truth.list(list, from, to));
  if (withDetails)
    for (const list of LISTS)
      await compare(`${list}_detalle`, SUM_OF_DETAIL, false, await truth.details(list, from, to));
  return `${lines.join(', ')}: as the service has them`;
}
