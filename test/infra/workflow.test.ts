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

it('the state machine is a standard one by JSONPath, and logs errors without their data', () => {
  expect(machine).toMatchObject({
    StateMachineName: 'cfe-lake',
    StateMachineType: 'STANDARD',
    LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false },
  });
  expect(JSON.stringify(definition)).not.toMatch(/JSONata/i);
  expect(definition.TimeoutSeconds).toBe(72 * 3600);
  expect(company.ExportCompany).toMatchObject({ TimeoutSeconds: 15 * 60 + 30 });
});

describe('the map over companies', () => {
  it('has a standard child execution for each, as many at a time as the run says', () => {
    expect(map).toMatchObject({
      Type: 'Map',
      ItemsPath: '$.ruts',
      MaxConcurrencyPath: '$.a_la_vez',
      Label: 'empresas',
    });
    expect(map.ItemProcessor.ProcessorConfig).toEqual({ Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' });
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
  it('has few states, and does what is left before what failed', () => {
    expect(Object.keys(company).length).toBeLessThanOrEqual(7);
    const choices = v.parse(v.array(v.looseObject({ Next: v.string() })), company.AnythingLeft?.Choices);
    expect(choices.map(({ Next: next }) => next)).toEqual(['NoProgress', 'ExportCompany', 'TakeFailedUnits']);
  });

  it('waits longer before each further attempt', () => {
    expect(company.TakeFailedUnits).toMatchObject({
      Parameters: {
        'ronda.$': 'States.MathAdd($.ronda, 1)',
        'pausa_s.$': 'States.ArrayGetItem(States.Array(120, 480), $.ronda)',
        evento: {
          'pendientes.$': '$.evento.fallidas',
          'parte.$': '$.evento.parte',
          'detalles.$': '$.evento.detalles',
        },
      },
    });
    expect(company.WaitBeforeRetry).toMatchObject({ SecondsPath: '$.pausa_s', Next: 'ExportCompany' });
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
