import { Duration, RemovalPolicy, Stack, TimeZone } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RENEWAL_INTERVAL_MS } from '../companies/login.ts';
import { NIGHTLY, TOKEN_REVIEW } from '../run/messages.ts';
import { DIRECTIONS } from '../units/unit.ts';
import { explain, explainWildcards } from './explain.ts';
import type { Exporter } from './exporter/exporter.ts';
import type { ExporterFunction } from './exporter/exporter-function.ts';
import { Naming } from './naming.ts';
import type { ScheduleTime } from './setting-kinds.ts';
import type { Settings } from './settings.ts';

interface Call {
  description: string;
  schedule: scheduler.ScheduleExpression;
  event: object;
  maxEventAge: Duration;
}

/** A run that can't be started within this time is dropped; the next night reads the same days again. */
const GIVE_UP_AFTER = Duration.hours(6);
const DELIVERY_ATTEMPTS = 60;

/** The schedules of runs, in Uruguayan time, and the queue of runs that could not be started. */
export class Schedules extends Construct {
  readonly deadLetters: Queue;
  readonly group: scheduler.ScheduleGroup;
  private readonly startRun: ExporterFunction;
  readonly role: Role;

  constructor(
    scope: Construct,
    { startRun, publish, renewTokens, stateMachine }: Exporter,
    settings: Settings,
  ) {
    super(scope, 'Schedules');
    this.startRun = startRun;
    this.deadLetters = this.queueOfDeadLetters();
    this.group = new scheduler.ScheduleGroup(this, 'Group', {
      scheduleGroupName: Naming.of(this).unique,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = this.roleOf(
      this.group,
      [startRun, publish, renewTokens].filter((lambda) => lambda !== undefined),
    );
    this.catchFailures();
    const maquina = stateMachine.stateMachineArn;
    // So no day waits to be published for a slow company, or for a run that died.
    this.callEvery(Duration.minutes(10), 'publish', publish, {
      description: 'Makes the days of the tables that lag behind their units',
      event: { maquina },
    });
    if (renewTokens !== undefined)
      this.callEvery(Duration.millis(RENEWAL_INTERVAL_MS), 'renew-tokens', renewTokens, {
        description: 'Keeps the tokens of the login fresh',
        event: {},
      });
    this.runNightly(settings);
    this.reviewTokens(settings);
  }

  private callEvery(
    interval: Duration,
    name: string,
    { lambda }: ExporterFunction,
    call: Pick<Call, 'description' | 'event'>,
  ): void {
    lambda.configureAsyncInvoke({ maxEventAge: interval, retryAttempts: 0 });
    explain(lambda, 'The next event does what this one could not; an alarm says when none did.', [
      'Serverless-LambdaDLQ',
      'Serverless-LambdaAsyncFailureDestination',
    ]);
    const schedule = scheduler.ScheduleExpression.rate(interval);
    this.call(name, lambda, { ...call, schedule, maxEventAge: interval });
  }

  /** One run a night: of the last days, on one day of the week of more of them, and of a share of older ones. */
  private runNightly({ nightly, nightlyDays, weekly, weeklyDays, deepReadDays }: Settings): void {
    if (nightly === undefined) return;
    this.call(NIGHTLY, this.startRun.lambda, {
      schedule: everyDayAt(nightly),
      description: 'Exports the last days of all companies in both directions',
      event: {
        origen: 'programado',
        nombre: NIGHTLY,
        direcciones: DIRECTIONS,
        dias: nightlyDays,
        ...(weekly !== undefined && { semanal: { dia: weekly, dias: weeklyDays } }),
        ...(deepReadDays !== undefined && { edades: { desde: weeklyDays + 1, hasta: deepReadDays } }),
        // The days come from the scheduled time, however late the event is.
        programado: scheduler.ContextAttribute.scheduledTime,
        ejecucion: scheduler.ContextAttribute.executionId,
      },
      maxEventAge: GIVE_UP_AFTER,
    });
  }

  /** Reviews tokens in the evening, while somebody can still replace them. */
  private reviewTokens({ tokenAlarmDays, nightly }: Settings): void {
    if (tokenAlarmDays === 0 || nightly === undefined) return;
    this.call(TOKEN_REVIEW, this.startRun.lambda, {
      schedule: everyDayAt({ hour: 18, minute: 0 }),
      description: 'Looks for tokens that expire soon',
      event: { revisar: 'tokens', dias: tokenAlarmDays },
      // Later, nobody would replace them before the night.
      maxEventAge: Duration.hours(2),
    });
  }

  private call(name: string, lambda: IFunction, { event, maxEventAge, ...when }: Call): void {
    const target = new LambdaInvoke(lambda, {
      role: this.role,
      input: scheduler.ScheduleTargetInput.fromObject(event),
      maxEventAge,
      retryAttempts: DELIVERY_ATTEMPTS,
      deadLetterQueue: this.deadLetters,
    });
    const schedule = new scheduler.Schedule(this, name, {
      scheduleName: `${Naming.of(this).unique}-${name}`,
      ...when,
      scheduleGroup: this.group,
      timeWindow: scheduler.TimeWindow.off(),
      target,
    });
    // The schedule refers to its group by name, and to the role but not to its policy: CloudFormation sees neither
    // dependency, and an event of a schedule whose role may do nothing yet ends in the dead-letter queue.
    schedule.node.addDependency(this.group, this.role);
  }

  private queueOfDeadLetters(): Queue {
    const queue = new Queue(this, 'DeadLetters', {
      queueName: Naming.of(this).withSuffix('-runs-not-started'),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    explain(queue, 'It is the dead-letter queue, of the schedules and of start-run.', [
      'AwsSolutions-SQS3',
      'Serverless-SQSRedrivePolicy',
    ]);
    return queue;
  }

  /** A role that only schedules of the group may assume. */
  private roleOf({ scheduleGroupArn }: scheduler.ScheduleGroup, targets: readonly ExporterFunction[]): Role {
    const conditions = {
      StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
      ArnEquals: { 'aws:SourceArn': scheduleGroupArn },
    };
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', { conditions }),
    });
    explainWildcards(role, 'All versions of the functions that it calls, and no other.', [
      ...targets.map(({ lambda }) => `${lambda.functionArn}:*`),
    ]);
    return role;
  }

  /** Scheduler only delivers the event. If the function fails, Lambda retries, then keeps the event in the queue. */
  private catchFailures(): void {
    const { lambda } = this.startRun;
    lambda.configureAsyncInvoke({
      maxEventAge: GIVE_UP_AFTER,
      retryAttempts: 2,
      onFailure: new SqsDestination(this.deadLetters),
    });
    explain(lambda, 'It has a failure destination instead, which also keeps the error.', [
      'Serverless-LambdaDLQ',
    ]);
  }
}

function everyDayAt({ minute, hour }: ScheduleTime): scheduler.ScheduleExpression {
  return scheduler.ScheduleExpression.cron({
    minute: String(minute),
    hour: String(hour),
    timeZone: TimeZone.AMERICA_MONTEVIDEO,
  });
}
