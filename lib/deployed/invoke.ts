import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import { DEPLOY } from '../program.ts';
import { BackfillRefusedError, DeploymentError } from './errors.ts';

const FailureSchema = v.object({ errorMessage: v.string() });

/**
 * Invokes a function of the stack and gives its answer. Throws BackfillRefusedError with the function's own message,
 * and DeploymentError.
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
