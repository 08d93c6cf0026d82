import { StateMachine } from 'aws-local-stepfunctions';
import * as v from 'valibot';
import { afterAll, beforeEach, expect, vi } from 'vitest';
import type { SentAnswer } from '../../lib/run/messages.ts';
import type { StartedRun } from '../../lib/run/start-run.ts';
import type { Rut } from '../../lib/units/rut.ts';
import type { SandboxOptions } from '../../sandbox/behaviour.ts';
import { asText, propertiesOf, synthesise } from '../infra/synthesis.ts';
import { settled } from '../support/fake-clock.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { beginAgain } from './clock-without-waits.ts';
import { type LocalCloud, startLocalCloud } from './local-cloud.ts';

type Definition = ConstructorParameters<typeof StateMachine>[0];
/** JSON, as Step Functions passes it on. */
type Json = Parameters<StateMachine['run']>[0];

/** The functions that the workflow's tasks call. */
export interface Tasks {
  exportCompany(event: unknown): Promise<unknown>;
  publish(event: unknown): Promise<unknown>;
  finishRun(event: unknown): Promise<unknown>;
}

/** How an execution ended, and everything that passed through its states. */
export interface Execution {
  output?: unknown;
  /** Name and message of the error that it failed with. */
  error?: { name: string; message: string };
  /** The input, and inputs and outputs of all tasks, as JSON. */
  states: string;
}

const Machine = v.object({ DefinitionString: v.unknown() });

/** The definition of the state machine that the template deploys. */
export function synthesisedDefinition(settings: Readonly<Record<string, unknown>> = {}): Definition {
  const [properties] = Object.values(propertiesOf(synthesise(settings), 'AWS::StepFunctions::StateMachine'));
  const { DefinitionString } = v.parse(Machine, properties);
  return JSON.parse(asText(DefinitionString));
}

/** Runs an execution locally with these tasks. Neither waits nor retries take time. */
export async function execute(definition: Definition, input: string, tasks: Tasks): Promise<Execution> {
  const states = [input];
  const underWay = new Set<Promise<unknown>>();
  const recorded = (call: (event: unknown) => Promise<unknown>) => async (event: Json) => {
    states.push(JSON.stringify(event));
    // Lambda accepts and returns JSON, not objects.
    const answering = call(JSON.parse(JSON.stringify(event)));
    underWay.add(answering);
    const answer = JSON.stringify(await answering.finally(() => underWay.delete(answering)));
    states.push(answer);
    return JSON.parse(answer);
  };
  // grammar.test.ts validates the definition, which takes a while.
  const machine = new StateMachine(definition, { validationOptions: { noValidate: true } });
  const { result } = machine.run(JSON.parse(input), {
    overrides: {
      taskResourceLocalHandlers: {
        ExportCompany: recorded(tasks.exportCompany),
        Publish: recorded(tasks.publish),
        FinishRun: recorded(tasks.finishRun),
      },
      waitTimeOverrides: { WaitBeforeRetry: 0 },
      retryIntervalOverrides: { ExportCompany: 0, Publish: 0, FinishRun: 0 },
    },
  });
  const end = await result.then(
    (output) => ({ output }),
    (error: unknown) => ({ error: nameAndMessage(error) }),
  );
  // The library ends a map at its first failure, and leaves the other companies' workers running.
  while (underWay.size > 0) {
    await Promise.allSettled(underWay);
    await settled();
  }
  return { ...end, states: states.join('\n') };
}

function nameAndMessage(error: unknown): { name: string; message: string } {
  // The library's own error has the task's as its cause.
  const failure = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return failure instanceof Error
    ? { name: failure.name, message: failure.message }
    : { name: '', message: String(failure) };
}

interface WorkflowOptions extends SandboxOptions {
  /** Of the stack. */
  settings?: Readonly<Record<string, unknown>>;
  /** Variables of the Lambdas, besides the usual ones. */
  environment?: Readonly<Record<string, string>>;
}

interface Workflow {
  cloud: LocalCloud;
  aws: LocalCloud['aws'];
  sandbox: LocalCloud['sandbox'];
  /** Of all companies, in order. */
  ruts: Rut[];
  /** The handlers. */
  tasks: Omit<Tasks, 'exportCompany'> & {
    exportCompany(event: unknown, remainingMs?: () => number): Promise<SentAnswer>;
  };
  startRun(event: unknown): Promise<StartedRun>;
  /** Executes a run that was started, with these tasks in place of the handlers. */
  executeRun(started: { corrida: string }, changes?: Partial<Tasks>): Promise<Execution>;
  /** Starts a run by its event, and executes it. */
  run(event: unknown, changes?: Partial<Tasks>): Promise<Execution & { started: StartedRun }>;
  /** Runs the event with workers whose time is up once each has asked for it so many times. */
  runInParts(event: unknown, questions: number): Promise<Execution & { invocations: number }>;
}

/** The workflow of a stack over a cloud of the test file's own, which is empty before each test. */
export async function startWorkflow({
  settings,
  environment = {},
  ...options
}: WorkflowOptions): Promise<Workflow> {
  const cloud = await startLocalCloud(options);
  const { aws, sandbox } = cloud;
  const setEnvironment = () => {
    for (const [name, value] of Object.entries({ ...cloud.environment, ...environment }))
      vi.stubEnv(name, value);
  };
  setEnvironment();
  beforeEach(() => {
    setEnvironment();
    beginAgain(systemClock);
    cloud.reset();
  });
  afterAll(() => cloud.close());
  const { systemClock } = await import('../../lib/time/clock.ts');
  // They read the variables on loading.
  const { startRunByEvent: startRun } = await import('../support/run/started-run.ts');
  const { handler: exportCompany } = await import('../../functions/export-company.ts');
  const { handler: publish } = await import('../../functions/publish.ts');
  const { handler: finishRun } = await import('../../functions/finish-run.ts');
  const tasks = {
    exportCompany: (event: unknown, remainingMs?: () => number) =>
      exportCompany(event, lambdaContext(remainingMs)),
    publish: (event: unknown) => publish(event, lambdaContext()),
    finishRun: (event: unknown) => finishRun(event, lambdaContext()),
  };
  const definition = synthesisedDefinition(settings);

  const executeRun: Workflow['executeRun'] = async ({ corrida }, changes = {}) => {
    const started = aws.steps.executions.find(({ name }) => name === corrida);
    const ended = await execute(definition, started?.input ?? '', { ...tasks, ...changes });
    if (started !== undefined) started.hasEnded = true;
    for (const { token } of sandbox.companies) expect(ended.states).not.toContain(token);
    return ended;
  };

  const run: Workflow['run'] = async (event, changes = {}) => {
    const started = await startRun(event);
    return { started, ...(await executeRun(started, changes)) };
  };

  const runInParts: Workflow['runInParts'] = async (event, questions) => {
    let invocations = 0;
    const ended = await run(event, {
      exportCompany: (companyEvent) => {
        invocations += 1;
        let asked = 0;
        return tasks.exportCompany(companyEvent, () => {
          asked += 1;
          return asked > questions ? 30_000 : 600_000;
        });
      },
    });
    return { ...ended, invocations };
  };

  const ruts = sandbox.companies.map(({ rut }) => rut).sort();
  return { cloud, aws, sandbox, ruts, tasks, startRun, executeRun, run, runInParts };
}
