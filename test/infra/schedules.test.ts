import { Match } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { readRunRequest } from '../../lib/run/run-request.ts';
import { daysBetween, FIRST_DAY, monthlySlice } from '../../lib/time/days.ts';
import { policiesIn } from './policies.ts';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const template = synthesise();

const ScheduledInput = v.looseObject({ nombre: v.string(), dias: v.optional(v.number()) });
const ScheduleProperties = v.looseObject({
  ScheduleExpression: v.string(),
  Target: v.object({
    Arn: v.unknown(),
    Input: v.pipe(v.string(), v.parseJson(), ScheduledInput),
    RetryPolicy: v.unknown(),
    DeadLetterConfig: v.unknown(),
  }),
});

function schedulesOf(from: typeof template) {
  const all = Object.values(propertiesOf(from, 'AWS::Scheduler::Schedule'));
  return all
    .filter(({ Name }) => !/-(publish|renew-tokens|revision-tokens)$/.test(String(Name)))
    .map((properties) => {
      const { Target: target, ...schedule } = v.parse(ScheduleProperties, properties);
      return { schedule, target, input: target.Input };
    });
}

const schedules = schedulesOf(template);

function nightOf(from: typeof template) {
  const [schedule] = schedulesOf(from);
  if (schedule === undefined) throw new Error('the stack has no night');
  return schedule;
}
const night = nightOf(template);

describe('the schedules', () => {
  it('start one night for both directions, by the clock of Uruguay', () => {
    expect(schedules).toHaveLength(1);
    expect(night.schedule).toMatchObject({
      Name: 'cfe-lake-nocturna',
      GroupName: 'cfe-lake',
      State: 'ENABLED',
      ScheduleExpression: 'cron(0 2 * * ? *)',
      ScheduleExpressionTimezone: 'America/Montevideo',
      FlexibleTimeWindow: { Mode: 'OFF' },
    });
    expect(night.input).toEqual({
      origen: 'programado',
      nombre: 'nocturna',
      direcciones: ['recibidos', 'emitidos'],
      dias: 3,
      semanal: { dia: 'SUN', dias: 65 },
      programado: '<aws.scheduler.scheduled-time>',
      ejecucion: '<aws.scheduler.execution-id>',
    });
  });

  it('look at the tokens in the evening, as many days ahead as the alarm', () => {
    for (const [settings, dias] of [
      [STACKS.default, 7],
      [STACKS.own, 30],
    ] as const)
      synthesise(settings).hasResourceProperties('AWS::Scheduler::Schedule', {
        Name: 'cfe-lake-revision-tokens',
        ScheduleExpression: 'cron(0 18 * * ? *)',
        ScheduleExpressionTimezone: 'America/Montevideo',
        Target: Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ExporterStartRunFunction'), 'Arn'] },
          Input: JSON.stringify({ revisar: 'tokens', dias }),
        }),
      });
  });

  it('look at no tokens where that is off, or there is no night', () => {
    for (const settings of [STACKS.adopted, STACKS.off]) {
      const names = Object.values(propertiesOf(synthesise(settings), 'AWS::Scheduler::Schedule'));
      expect(names.map(({ Name }) => Name)).not.toContain('cfe-lake-revision-tokens');
    }
  });

  it.each([
    ['platform', '2026-11-22T05:00:00Z', 65, { desde: 66, hasta: 400 }],
    ['platform', '2026-11-23T05:00:00Z', 3, { desde: 66, hasta: 400 }],
    ['other', '2026-11-22T03:15:00Z', 7, { desde: 31, hasta: 100 }],
    ['other', '2026-11-23T03:15:00Z', 30, { desde: 31, hasta: 100 }],
  ] as const)(
    'of %s read on %s the last %i days, and some that the weekly reading leaves out',
    (name, programado, dias, edades) => {
      const { input } = nightOf(synthesise(STACKS[name]));
      // start-run reads what the template says.
      const { run, from, to, older } = readRunRequest(
        { ...input, programado },
        Date.parse(programado),
        FIRST_DAY,
      );
      expect(run.id).toMatch(/-nocturna$/);
      expect(daysBetween(from, to)).toHaveLength(dias);
      expect(older).toEqual(monthlySlice(run.day, { youngest: edades.desde, oldest: edades.hasta }));
    },
  );

  it('publish every ten minutes, whatever runs there are', () => {
    for (const settings of [STACKS.default, STACKS.off]) {
      synthesise(settings).hasResourceProperties('AWS::Scheduler::Schedule', {
        Name: 'cfe-lake-publish',
        ScheduleExpression: 'rate(10 minutes)',
        State: 'ENABLED',
        Target: Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ExporterPublishFunction'), 'Arn'] },
        }),
      });
    }
  });

  it('call renew-tokens so often that its secrets have less than a hundred versions a day', () => {
    synthesise({ ...STACKS.default, login: true }).hasResourceProperties('AWS::Scheduler::Schedule', {
      Name: 'cfe-lake-renew-tokens',
      ScheduleExpression: 'rate(15 minutes)',
      State: 'ENABLED',
    });
  });

  it('deliver to start-run, try again for hours, and keep what could not be delivered', () => {
    const [queueId] = Object.keys(propertiesOf(template, 'AWS::SQS::Queue'));
    const { target } = night;
    expect(asText(target.Arn)).toMatch(/^<ExporterStartRunFunction\w+\.Arn>$/);
    expect(target.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 6 * 3600, MaximumRetryAttempts: 60 });
    expect(target.DeadLetterConfig).toEqual({ Arn: { 'Fn::GetAtt': [queueId, 'Arn'] } });
  });

  it("are created after their group, and after their role's policy: no first event is denied", () => {
    const [groupId = ''] = Object.keys(propertiesOf(template, 'AWS::Scheduler::ScheduleGroup'));
    const [policyId = ''] = policiesIn(template).flatMap(({ id, roles }) =>
      roles.some((role) => role.startsWith('SchedulesRole')) ? id : [],
    );
    for (const { DependsOn } of Object.values(template.findResources('AWS::Scheduler::Schedule')))
      expect(DependsOn).toEqual(expect.arrayContaining([groupId, policyId]));
  });

  it('can be moved and switched off', () => {
    expect(nightOf(synthesise(STACKS.other)).schedule.ScheduleExpression).toBe('cron(15 0 * * ? *)');
    expect(schedulesOf(synthesise(STACKS.off))).toEqual([]);
    expect(nightOf(synthesise({ weekly: 'off' })).input).not.toHaveProperty('semanal');
  });
});

it('a start that fails is tried again by Lambda, then kept', () => {
  const [queueId] = Object.keys(propertiesOf(template, 'AWS::SQS::Queue'));
  template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 2);
  // publish runs again within the hour.
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    MaximumRetryAttempts: 2,
    MaximumEventAgeInSeconds: 6 * 3600,
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queueId, 'Arn'] } } },
  });
});
