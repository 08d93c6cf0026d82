import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import type { Direction } from '../api/directions.ts';
import { DEPLOY } from '../program.ts';
import type { StartedRun } from '../run/start-run.ts';
import { BackfillRefusedError, DeploymentError } from './errors.ts';

const FailureSchema = v.object({ errorMessage: v.string() });

/**
 * Invokes a function of the stack and returns its answer. Throws BackfillRefusedError with the function's own
 * message, and DeploymentError.
 */
export async function invoke<Answer>(
  client: LambdaClient,
  functionName: string,
  event: object,
  schema: v.GenericSchema<unknown, Answer>,
): Promise<Answer> {
  const answer = await client
    .send(new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) }))
    .catch((error: unknown) => {
      throw new DeploymentError(`Invoking ${functionName}`, error);
    });
  const payload = parseJson(answer.Payload);
  if (answer.FunctionError !== undefined) {
    const failure = v.safeParse(FailureSchema, payload);
    throw new BackfillRefusedError(
      failure.success
        ? failure.output.errorMessage
        : `${functionName} failed (${answer.FunctionError}); see its log.`,
    );
  }
  const parsed = v.safeParse(schema, payload);
  if (!parsed.success) {
    throw new DeploymentError(`Invoking ${functionName}`, `its answer is of another version: ${DEPLOY}`);
  }
  return parsed.output;
}

function parseJson(payload: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(payload ?? []).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The event of start-run by hand. */
export interface BackfillRequest {
  /** First and last issue date, `YYYY-MM-DD`. */
  desde: string;
  hasta: string;
  /** All companies when absent. */
  ruts?: readonly string[];
  /** Both when absent. */
  direcciones?: readonly Direction[];
  /** Directions whose receipts are read in full. When absent, the stack's settings decide. */
  detalles?: readonly Direction[];
  /**
   * A claim about the lake's source: its service has a new address, or an unmarked lake is this service's.
   */
  fuente?: 'mudada' | 'adoptada';
}

const StartedRunSchema: v.GenericSchema<unknown, StartedRun> = v.object({
  corrida: v.string(),
  empresas: v.number(),
  unidades: v.number(),
  ejecucion: v.string(),
  problemas: v.array(v.string()),
  // A stack of an older version sends none, but has started the run.
  avisos: v.optional(v.array(v.string()), []),
  repetida: v.boolean(),
});

/**
 * Starts a run by hand. The client must not retry by itself (see openDeployment): a lost answer may mean a started
 * run. Throws BackfillRefusedError with start-run's own message, and DeploymentError.
 */
export async function startBackfill(
  client: LambdaClient,
  functionName: string,
  request: BackfillRequest,
): Promise<StartedRun> {
  return await invoke(client, functionName, request, StartedRunSchema);
}
