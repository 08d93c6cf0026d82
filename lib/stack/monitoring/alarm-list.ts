import { Duration } from 'aws-cdk-lib';
import type { Exporter } from '../exporter/exporter.ts';
import type { Schedules } from '../schedules.ts';
import type { Settings } from '../settings.ts';
import type { AlarmDefinition } from './alarms.ts';

/** An alarm stays on this long after a single event, and reports no other meanwhile. */
const AN_HOUR = { period: Duration.hours(1), statistic: 'Sum' };
const A_DAY = Duration.days(1);

/** A day, plus two hours in case tonight's event is late. */
const NIGHT_HOURS = 26;

/**
 * Every alarm: one for each fault, so that one fault sends one mail. Each watches a single metric: a sum of several has
 * no value in a period in which one of them has no data.
 */
export function alarmList(
  { startRun, exportCompany, publish, finishRun, renewTokens, stateMachine }: Exporter,
  { deadLetters }: Schedules,
  { nightly, tokenAlarmDays }: Settings,
): AlarmDefinition[] {
  const noNight: AlarmDefinition = {
    name: 'NoNightlyRun',
    severity: 'urgent',
    meaning: `No night has begun for ${NIGHT_HOURS} hours: its schedule is off or gone, or an earlier night is still under way.`,
    runbook: 'No night has begun',
    metric: startRun.metric('NightsBegun', AN_HOUR),
    isBelow: true,
    periods: NIGHT_HOURS,
    isAbsence: true,
  };
  const tokenExpires: AlarmDefinition = {
    name: 'TokenExpires',
    severity: 'soon',
    meaning: `A company's token expires within ${tokenAlarmDays} days.`,
    runbook: 'A token expires',
    metric: startRun.metric('TokenDaysLeft', { period: A_DAY, statistic: 'Minimum' }),
    threshold: tokenAlarmDays,
    isBelow: true,
    // Off again, too, once the token has ended: then the run fails.
    isOkTold: false,
  };
  return [
    {
      name: 'RunFailed',
      severity: 'urgent',
      meaning: 'A run failed: units failed or are missing, or it could not publish or count them.',
      runbook: 'A run did not end well',
      metric: stateMachine.metricFailed(AN_HOUR),
    },
    {
      name: 'RunStopped',
      severity: 'urgent',
      meaning: 'A run was stopped, by somebody or because it took longer than runTimeoutHours.',
      runbook: 'A run did not end well',
      metric: publish.metric('RunsStopped', AN_HOUR),
    },
    {
      name: 'DaysNotPublished',
      severity: 'urgent',
      meaning: 'Days of the tables could not be rebuilt from their units: they keep their earlier rows.',
      runbook: 'Days lag behind their units',
      metric: publish.metric('DaysNotPublished', AN_HOUR),
    },
    ...(nightly === undefined ? [] : [noNight]),
    {
      name: 'RunsNotStarted',
      severity: 'urgent',
      meaning: 'Events lie in the dead-letter queue: their runs were never started.',
      runbook: 'The dead-letter queue is not empty',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(5),
        statistic: 'Maximum',
      }),
    },
    {
      name: 'CompaniesLeftOut',
      severity: 'urgent',
      meaning: 'An entry in the secrets is unusable or gone, so its company is in no run.',
      runbook: 'A company is left out',
      metric: startRun.metric('CompanyProblems', AN_HOUR),
    },
    ...(renewTokens === undefined
      ? []
      : [
          {
            name: 'LoginFailed',
            severity: 'urgent' as const,
            meaning: 'The login failed, or its tokens could not be kept: its companies will have none.',
            runbook: 'The login failed',
            metric: renewTokens.metric('LoginsFailed', AN_HOUR),
            // Each invocation counts, every 15 minutes: what AWS ends in its midst does not.
            isAbsence: true,
          },
        ]),
    {
      name: 'ReceiptsVanished',
      severity: 'soon',
      meaning: 'The API no longer lists receipts that it listed before; the lake keeps them, marked.',
      runbook: 'Receipts vanished',
      metric: exportCompany.metric('ReceiptsVanished', AN_HOUR),
    },
    {
      name: 'UnknownFields',
      severity: 'soon',
      meaning:
        "The API's answers have fields that the contract does not name, new ones; the lake keeps them.",
      runbook: 'The API has a new field',
      metric: finishRun.metric('UnknownFields', AN_HOUR),
    },
    ...(nightly === undefined || tokenAlarmDays === 0 ? [] : [tokenExpires]),
  ];
}
