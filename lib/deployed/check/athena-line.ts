import {
  type AthenaClient,
  GetQueryExecutionCommand,
  StartQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import type { Clock } from '../../time/clock.ts';
import { type CheckLine, failure, notSeen, ok } from './check-line.ts';

const POLL_MS = 1_000;
const GIVE_UP_AFTER_MS = 60_000;
/** A day of the audit: little is scanned, and all that a query needs is tried. */
const QUESTION =
  "SELECT count(*) FROM exportaciones WHERE fecha_corrida >= date_add('day', -3, current_date)";

export interface AthenaCheck {
  workgroup: string;
  database: string;
  clock: Clock;
  signal?: AbortSignal;
}

/** Whether Athena answers a question through the workgroup. */
export async function athenaLine(
  client: AthenaClient,
  { workgroup, database, clock, signal }: AthenaCheck,
): Promise<CheckLine> {
  try {
    const { QueryExecutionId } = await client.send(
      new StartQueryExecutionCommand({
        QueryString: QUESTION,
        WorkGroup: workgroup,
        QueryExecutionContext: { Database: database },
      }),
    );
    const untilMs = clock.monotonicMs() + GIVE_UP_AFTER_MS;
    while (clock.monotonicMs() < untilMs) {
      const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId }));
      const { State, StateChangeReason } = QueryExecution?.Status ?? {};
      if (State === 'SUCCEEDED')
        return ok('athena', `answers in workgroup ${workgroup}, database ${database}`);
      if (State === 'FAILED' || State === 'CANCELLED') {
        return failure(
          'athena',
          StateChangeReason ?? State,
          'Where it says that you may not: attach AnalystPolicy of the stack, and see README, "Who may do what", on Lake Formation.',
        );
      }
      await clock.sleep(POLL_MS, signal);
    }
    return failure('athena', 'no answer within a minute', 'Look at the workgroup in the Athena console.');
  } catch (error) {
    signal?.throwIfAborted();
    return notSeen('athena', error, 'AnalystPolicy');
  }
}
