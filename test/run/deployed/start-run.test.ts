import { InvokeCommand, LambdaClient, TooManyRequestsException } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { invoke } from '../../../lib/run/deployed/runs.ts';
import type { BackfillRequest } from '../../../lib/run/run-request.ts';
import { StartedRunSchema } from '../../../lib/run/start-run.ts';
import { lambdaPayload } from '../../support/aws/stack-answers.ts';

const client = new LambdaClient({});
const service = mockClient(client);
beforeEach(() => void service.reset());

const REQUEST: BackfillRequest = { desde: '2026-01-01', hasta: '2026-03-31', direcciones: ['recibidos'] };
const STARTED = {
  corrida: 'run-1',
  empresas: 2,
  unidades: 180,
  ejecucion: 'arn:execution',
  problemas: [],
  avisos: [],
  repetida: false,
};
const startBackfill = (client: LambdaClient, functionName: string, request: BackfillRequest) =>
  invoke(client, functionName, request, StartedRunSchema);

describe('startBackfill', () => {
  it('invokes start-run with the request and gives its answer', async () => {
    service.on(InvokeCommand).resolves({ StatusCode: 200, Payload: lambdaPayload(STARTED) });
    expect(await startBackfill(client, 'start-run', REQUEST)).toEqual(STARTED);
    const [call] = service.commandCalls(InvokeCommand);
    expect(call?.args[0].input).toEqual({ FunctionName: 'start-run', Payload: JSON.stringify(REQUEST) });
  });

  it('fails with start-run’s own words when it refuses the request', async () => {
    const errorMessage = 'start-run cannot do what it was asked for: desde is missing.';
    service.on(InvokeCommand).resolves({
      StatusCode: 200,
      FunctionError: 'Unhandled',
      Payload: lambdaPayload({ errorType: 'MessageError', errorMessage }),
    });
    const starting = startBackfill(client, 'start-run', REQUEST);
    await expect(starting).rejects.toMatchObject({ name: 'BackfillRefusedError', message: errorMessage });
  });

  it('does not mistake an answer of another shape for a run', async () => {
    service.on(InvokeCommand).resolves({ StatusCode: 200, Payload: lambdaPayload({ ok: true }) });
    await expect(startBackfill(client, 'start-run', REQUEST)).rejects.toThrow(
      /another version answered: npx cdk deploy/,
    );
  });

  it('asks once only: the run may have been started although the answer was lost', async () => {
    service
      .on(InvokeCommand)
      .rejects(new TooManyRequestsException({ message: 'Rate Exceeded.', $metadata: {} }));
    await expect(startBackfill(client, 'start-run', REQUEST)).rejects.toThrow(
      'Invoking start-run failed (TooManyRequestsException). Rate Exceeded.',
    );
    expect(service.commandCalls(InvokeCommand)).toHaveLength(1);
  });
});
