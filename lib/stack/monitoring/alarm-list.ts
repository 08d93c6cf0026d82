import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../run/lambda/telemetry.ts';
import type { Exporter } from '../exporter/exporter.ts';
import type { ExporterFunction } from '../exporter/exporter-function.ts';
import type { Schedules } from '../schedules.ts';
import type { Settings } from '../settings.ts';
import type { AlarmDefinition } from './alarms.ts';

/** An alarm stays on this long after a single event, and reports no other meanwhile. */
const AN_HOUR = { period: Duration.hours(1), statistic: 'Sum' };
const WORKER_TIME_SHARE = 0.8;
/** A few are normal: when a run begins, all its companies ask for their turn at the same time. */
const THROTTLES_AN_HOUR = 50;

/** A day, plus two hours in case tonight's run takes longer than last night's. */
const NIGHT_HOURS = 26;

/**
 * Every alarm. Each watches a single metric: a sum of several has no value in a period in which one of them has no
 * data.
 */
export function alarmList(
  { startRun, exportCompany, publish, finishRun, renewTokens, stateMachine }: Exporter,
  { group, deadLetters }: Schedules,
  { nightly, tokenAlarmDays }: Settings,
): AlarmDefinition[] {
  const nights: AlarmDefinition[] = [
    {
      name: 'NoNightlyRun',
      meaning: `No nightly run read any list in ${NIGHT_HOURS} hours.`,
      runbook: 'No nightly run read any list',
      ...withoutSuccess(finishRun, 'NightlyRead', NIGHT_HOURS),
    },
    {
      name: 'NightsNotStarted',
      meaning: 'Two nights in a row, or more, were not started: an earlier night is still under way.',
      runbook: 'A night was not started',
      metric: startRun.metric('NightsNotStarted', { ...AN_HOUR, statistic: 'Maximum' }),
      threshold: 2,
    },
    {
      name: 'ScheduleTargetErrors',
      meaning: 'A schedule could not hand its event to start-run, and tries again.',
      metric: group.metricTargetErrors(AN_HOUR),
      runbook: 'A schedule could not start its run',
    },
    {
      name: 'ScheduleDropped',
      meaning: 'A schedule gave up handing its event to start-run.',
      metric: group.metricDropped(AN_HOUR),
      runbook: 'A schedule could not start its run',
    },
  ];
  const tokenExpires: AlarmDefinition = {
    name: 'TokenExpires',
    meaning: `A company's token has expired, or does so within ${tokenAlarmDays} days.`,
    runbook: 'A token expires',
    // Each company's worker reports its token every night.
    metric: exportCompany.metric('TokenDaysLeft', { period: Duration.days(1), statistic: 'Minimum' }),
    threshold: tokenAlarmDays,
    isBelow: true,
  };
  return [
    {
      name: 'RunFailed',
      meaning: 'A run failed: units failed or are missing, or it could not be counted.',
      metric: stateMachine.metricFailed(AN_HOUR),
      runbook: 'A run did not end well',
    },
    {
      name: 'RunTimedOut',
      meaning: 'A run took longer than runTimeoutHours and was stopped.',
      metric: stateMachine.metricTimedOut(AN_HOUR),
      runbook: 'A run did not end well',
    },
    {
      name: 'RunStopped',
      meaning: 'Somebody stopped a run.',
      metric: stateMachine.metricAborted(AN_HOUR),
      runbook: 'A run did not end well',
    },
    {
      name: 'RunThrottled',
      meaning: 'Step Functions slowed a run down.',
      metric: stateMachine.metricThrottled(AN_HOUR),
      severity: 'soon',
      runbook: 'A run was throttled',
    },
    {
      name: 'WorkerThrottled',
      meaning: "Again and again, the account's Lambdas were too busy to start the workers of a run.",
      metric: exportCompany.lambda.metricThrottles(AN_HOUR),
      severity: 'soon',
      runbook: 'A run was throttled',
      threshold: THROTTLES_AN_HOUR,
    },
    {
      name: 'UnitsFailed',
      meaning: 'Units of a run failed, after all attempts.',
      metric: finishRun.metric('UnitsFailed', AN_HOUR),
      runbook: 'Units failed',
    },
    {
      name: 'UnitsMissing',
      meaning: 'The audit does not have all units of a run: a worker did not finish.',
      metric: finishRun.metric('UnitsMissing', AN_HOUR),
      runbook: 'Units failed',
    },
    {
      name: 'ReceiptsVanished',
      meaning: 'The API no longer lists receipts that it listed before; the lake keeps them, marked.',
      runbook: 'Receipts vanished',
      metric: exportCompany.metric('ReceiptsVanished', AN_HOUR),
    },
    {
      name: 'DaysNotPublished',
      meaning: 'Days of the tables could not be rebuilt from their units: they keep their earlier rows.',
      metric: publish.metric('DaysNotPublished', AN_HOUR),
      runbook: 'Days lag behind their units',
    },
    {
      name: 'NoPublication',
      meaning: 'publish runs every ten minutes, but has not succeeded for three hours.',
      runbook: 'Days lag behind their units',
      ...withoutSuccess(publish, 'PublicationsEnded', 3),
    },
    {
      name: 'UnitsNotPublished',
      meaning: 'Units are damaged or missing: the tables keep the earlier rows of them.',
      runbook: 'A unit is damaged or missing',
      metric: publish.metric('UnitsNotPublished', AN_HOUR),
    },
    ...(nightly === undefined ? [] : nights),
    {
      name: 'RunsNotStarted',
      meaning: 'Events lie in the dead-letter queue: their runs were never started.',
      runbook: 'The dead-letter queue is not empty',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(5),
        statistic: 'Maximum',
      }),
    },
    {
      name: 'CompaniesLeftOut',
      meaning: 'An entry in the secrets is unusable or gone, so its company is in no run.',
      runbook: 'A company is left out',
      metric: startRun.metric('CompanyProblems', AN_HOUR),
    },
    {
      name: 'TokenEndsTooEarly',
      meaning: "A company's token has expired, or expires before the night is over.",
      runbook: 'A token expires during the night',
      metric: startRun.metric('TokensEnding', AN_HOUR),
    },
    {
      name: 'LoginFailed',
      meaning:
        'The login was refused, or fails while its token is about to end: its companies will have none.',
      runbook: 'The login failed',
      metric: renewTokens.metric('LoginsFailed', AN_HOUR),
    },
    {
      name: 'UnknownFields',
      severity: 'soon',
      meaning:
        "The API's answers have fields that the contract does not name, new ones; the lake keeps them.",
      runbook: 'The API has a new field',
      metric: finishRun.metric('UnknownFields', AN_HOUR),
    },
    {
      name: 'RunEventNotSent',
      severity: 'soon',
      meaning: 'The event with what a run found could not be sent: who waits for it was told nothing.',
      runbook: 'The event of a run was not sent',
      metric: finishRun.metric('RunEventNotSent', AN_HOUR),
    },
    {
      name: 'WorkerNearItsTimeLimit',
      severity: 'soon',
      meaning: `A worker used ${WORKER_TIME_SHARE * 100} % of its time or more.`,
      runbook: 'A worker is near its time limit',
      metric: exportCompany.lambda.metricDuration({ period: Duration.hours(1), statistic: 'Maximum' }),
      threshold: exportCompany.timeout.toMilliseconds() * WORKER_TIME_SHARE,
    },
    ...(tokenAlarmDays === 0 ? [] : [tokenExpires]),
  ];
}

/**
 * Goes off after so many hours without a success. Alarms may look back seven days with periods of an hour, but only one
 * day with shorter ones. Hours without data are filled with zeros: with a single value among 26 missing ones, an
 * alarm would go by that value, however old. If there is no data at all to fill, missing data counts as trouble.
 */
function withoutSuccess(worker: ExporterFunction, metricName: MetricName, hours: number) {
  const { period } = AN_HOUR;
  const usingMetrics = { successes: worker.metric(metricName, { period }) };
  const expression = 'FILL(successes, 0)';
  const metric = new MathExpression({ expression, usingMetrics, period, label: metricName });
  return { metric, isBelow: true, periods: hours, isMissingDataTrouble: true };
}
