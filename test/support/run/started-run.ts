import { handler } from '../../../functions/start-run.ts';
import type { StartedRun } from '../../../lib/run/start-run.ts';
import { lambdaContext } from './lambda-context.ts';

/** Invokes start-run with the event of a run. Throws if it did something else. */
export async function startRunByEvent(event: unknown): Promise<StartedRun> {
  const answer = await handler(event, lambdaContext());
  if ('corrida' in answer) return answer;
  throw new Error('the event asked for no run');
}
