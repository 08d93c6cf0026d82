import { randomUUID } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetScheduleCommand, paginateListSchedules, SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListExecutions, SFNClient } from '@aws-sdk/client-sfn';
import { expectSame, PlayFailedError, until } from './process.ts';
import { clientFor, type Deployer } from './stack.ts';

export interface ScheduledEvent {
  name: string;
  expression: string;
  functionArn: string;
  /** The event, in which EventBridge Scheduler fills in its context attributes. */
  input: string;
}

/** What the deployed schedules send. */
export async function schedulesOf(deployer: Deployer): Promise<ScheduledEvent[]> {
  const client = new SchedulerClient(clientFor(deployer.root));
  const GroupName = await deployer.output('ScheduleGroup');
  const found: ScheduledEvent[] = [];
  for await (const { Schedules = [] } of paginateListSchedules({ client }, { GroupName })) {
    for (const { Name = '' } of Schedules) {
      const { ScheduleExpression = '', Target } = await client.send(
        new GetScheduleCommand({ GroupName, Name }),
      );
      const { Arn: functionArn = '', Input: input = '{}' } = Target ?? {};
      found.push({ name: Name, expression: ScheduleExpression, functionArn, input });
    }
  }
  return found;
}

/** The schedules of a night: those that start a run each day. */
export async function nightlySchedules(deployer: Deployer): Promise<ScheduledEvent[]> {
  const startRun = await deployer.output('StartRunFunction');
  return (await schedulesOf(deployer)).filter(
    ({ expression, functionArn, input }) =>
      functionArn.endsWith(`:${startRun}`) &&
      /^cron\(\d+ \d+ \* \* \? \*\)$/.test(expression) &&
      input.includes('<aws.scheduler.scheduled-time>'),
  );
}

/** Calls a function as the schedule that calls it each time so many minutes are over does. Returns its answer. */
export async function callOften(deployer: Deployer, name: string): Promise<unknown> {
  const found = (await schedulesOf(deployer)).find(
    (event) => event.name.endsWith(name) && /^rate\(1[05] minutes\)$/.test(event.expression),
  );
  if (found === undefined) throw new PlayFailedError(`No schedule calls ${name} every ten or 15 minutes.`);
  const client = new LambdaClient(clientFor(deployer.root));
  const { functionArn: FunctionName, input } = found;
  const answer = await client.send(new InvokeCommand({ FunctionName, Payload: input }));
  const text = answer.Payload?.transformToString() ?? '';
  if (answer.FunctionError !== undefined) throw new PlayFailedError(`${name}: ${text}`);
  return JSON.parse(text);
}

interface Execution {
  name: string;
  status: string;
}

async function executionsOf(deployer: Deployer): Promise<Execution[]> {
  const client = new SFNClient(clientFor(deployer.root));
  const stateMachineArn = await deployer.output('StateMachineArn');
  const found: Execution[] = [];
  for await (const { executions = [] } of paginateListExecutions({ client }, { stateMachineArn }))
    found.push(...executions.map(({ name = '', status = '' }) => ({ name, status })));
  return found;
}

/**
 * Delivers a schedule's event as EventBridge Scheduler does at that moment, waits for its run, and delivers it once more.
 * Throws PlayFailedError unless that is one run, which succeeds. Returns the run's name.
 */
export async function deliverTwice(
  deployer: Deployer,
  { name, functionArn, input }: ScheduledEvent,
  scheduledTime: string,
): Promise<string> {
  const client = new LambdaClient(clientFor(deployer.root));
  const Payload = input
    .replaceAll('<aws.scheduler.scheduled-time>', scheduledTime)
    .replaceAll('<aws.scheduler.execution-id>', randomUUID());
  const before = new Set((await executionsOf(deployer)).map((run) => run.name));
  const newRuns = async () => (await executionsOf(deployer)).filter((run) => !before.has(run.name));
  await client.send(new InvokeCommand({ FunctionName: functionArn, InvocationType: 'Event', Payload }));
  const started = await until(`${name} starts a run that ends`, async () => {
    const [run] = await newRuns();
    return run === undefined || run.status === 'RUNNING' ? undefined : run;
  });
  expectSame(`the run of ${name}`, started.status, 'SUCCEEDED');
  // Waited for: its answer comes once it has done what it does.
  const again = await client.send(new InvokeCommand({ FunctionName: functionArn, Payload }));
  if (again.FunctionError !== undefined) throw new PlayFailedError(`${name}, delivered again, failed.`);
  expectSame(`runs of ${name}, delivered twice`, await newRuns(), [started]);
  return started.name;
}
