import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const Retry = v.object({
  ErrorEquals: v.array(v.string()),
  MaxAttempts: v.number(),
  JitterStrategy: v.optional(v.string()),
});
const State = v.looseObject({ Type: v.string(), Retry: v.optional(v.array(Retry)) });
const States = v.record(v.string(), State);
const Definition = v.looseObject({
  TimeoutSeconds: v.number(),
  States: v.looseObject({
    ExportCompanies: v.looseObject({
      ItemProcessor: v.looseObject({ States, ProcessorConfig: v.unknown() }),
    }),
    FinishRun: State,
  }),
});

function read(settings: Record<string, unknown> = {}) {
  const machines = propertiesOf(synthesise(settings), 'AWS::StepFunctions::StateMachine');
  const [machine] = Object.values(machines);
  const definition = v.parse(Definition, JSON.parse(asText(machine?.DefinitionString)));
  const map = definition.States.ExportCompanies;
  return { machine, definition, map, company: map.ItemProcessor.States };
}

const { machine, definition, map, company } = read();

describe('the state machine', () => {
  it('is a standard one by JSONPath, traced, and logs errors without their data', () => {
    expect(machine).toMatchObject({
      StateMachineName: 'cfe-lake',
      StateMachineType: 'STANDARD',
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false },
    });
    expect(JSON.stringify(definition)).not.toMatch(/JSONata/i);
    expect(definition.TimeoutSeconds).toBe(72 * 3600);
    expect(company.ExportCompany).toMatchObject({ TimeoutSeconds: 15 * 60 + 30 });
  });
});

describe('the map over companies', () => {
  it('has a standard child execution for each, some at a time', () => {
    expect(map).toMatchObject({ Type: 'Map', ItemsPath: '$.ruts', MaxConcurrency: 8, Label: 'empresas' });
    expect(map.ItemProcessor.ProcessorConfig).toEqual({ Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' });
    expect(read(STACKS.other).map.MaxConcurrency).toBe(3);
    expect(read(STACKS.other).definition.TimeoutSeconds).toBe(10 * 3600);
  });

  it("bears any company's failure, and goes on to the count whatever happens", () => {
    expect(map).toMatchObject({
      ToleratedFailurePercentage: 100,
      Next: 'Publish',
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.mapa', Next: 'Publish' }],
    });
  });

  it('writes what the children answered into the bucket, and keeps its input for the count', () => {
    expect(map).toMatchObject({
      ResultPath: null,
      ResultWriter: {
        Resource: expect.stringMatching(/:states:::s3:putObject$/),
        Parameters: { Bucket: expect.stringMatching(/^<LakeBucket\w+>$/), Prefix: 'corridas' },
      },
    });
  });
});

describe('the workflow of a company', () => {
  it('waits where it is another run’s turn, before it calls the worker again', () => {
    expect(company.WaitForTurn).toMatchObject({
      Type: 'Wait',
      SecondsPath: '$.evento.espera_s',
      Next: 'ExportCompany',
    });
    const choices = v.parse(v.array(v.looseObject({ Next: v.string() })), company.AnythingLeft?.Choices);
    // The order matters: waiting comes before looking for what is left.
    expect(choices.map(({ Next: next }) => next)).toEqual([
      'NoProgress',
      'WaitForTurn',
      'ExportCompany',
      'TakeFailedUnits',
    ]);
  });

  it('waits longer before each further attempt', () => {
    expect(company.TakeFailedUnits).toMatchObject({
      Parameters: {
        'ronda.$': 'States.MathAdd($.ronda, 1)',
        'espera_s.$': 'States.ArrayGetItem(States.Array(120, 480), $.ronda)',
        evento: {
          'pendientes.$': '$.evento.fallidas',
          'parte.$': '$.evento.parte',
          'detalles.$': '$.evento.detalles',
        },
      },
    });
    expect(company.WaitBeforeRetry).toMatchObject({ SecondsPath: '$.espera_s', Next: 'ExportCompany' });
  });

  it('makes no further attempt where none is wanted', () => {
    const states = read(STACKS.off).company;
    expect(Object.keys(states).sort()).toEqual([
      'AnythingLeft',
      'CompanyDone',
      'CountDeath',
      'ExportCompany',
      'MayWorkAgain',
      'NoProgress',
      'WaitForTurn',
      'WorkerDied',
    ]);
  });
});

describe.each([
  ['ExportCompany', company.ExportCompany],
  ['FinishRun', definition.States.FinishRun],
])('the task %s', (_name, task) => {
  const retries = task?.Retry ?? [];
  const retryOf = (error: string) => retries.find((retry) => retry.ErrorEquals.includes(error));

  it('waits out faults of Lambda, and throttling for long', () => {
    expect(retryOf('Lambda.ServiceException')?.MaxAttempts).toBe(6);
    expect(retryOf('Lambda.TooManyRequestsException')).toMatchObject({
      MaxAttempts: 40,
      JitterStrategy: 'FULL',
    });
  });

  it('calls a function that died twice more', () => {
    expect(retries.at(-1)).toMatchObject({ ErrorEquals: ['States.ALL'], MaxAttempts: 2 });
  });
});

it('takes a failed run as the answer', () => {
  const retries = definition.States.FinishRun.Retry ?? [];
  const [final, last] = ['RunFailedError', 'States.ALL'].map((error) =>
    retries.findIndex((retry) => retry.ErrorEquals.includes(error)),
  );
  expect(retries[Number(final)]?.MaxAttempts).toBe(0);
  expect(final).toBeLessThan(Number(last));
});
