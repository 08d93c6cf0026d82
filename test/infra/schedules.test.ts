import { Match } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { readRunRequest } from '../../lib/run/run-request.ts';
import { FIRST_DAY, monthlySlice } from '../../lib/time/days.ts';
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
    .filter(({ Name }) => !/-(publish|revision-tokens)$/.test(String(Name)))
    .map((properties) => {
      const { Target: target, ...schedule } = v.parse(ScheduleProperties, properties);
      return { schedule, target, input: target.Input };
    });
}

const schedules = schedulesOf(template);
const named = (name: string) => schedules.find(({ input }) => input.nombre === name);

describe('the schedules', () => {
  it.each([
    ['nocturna-recibidos', 'cron(0 2 * * ? *)', ['recibidos'], 3],
    ['nocturna-emitidos', 'cron(0 3 * * ? *)', ['emitidos'], 3],
    ['semanal', 'cron(0 5 ? * SUN *)', ['recibidos', 'emitidos'], 65],
  ])('start %s by the clock of Uruguay', (nombre, expression, direcciones, dias) => {
    const found = named(nombre);
    expect(found?.schedule).toMatchObject({
      Name: `cfe-lake-${nombre}`,
      GroupName: 'cfe-lake',
      State: 'ENABLED',
      ScheduleExpression: expression,
      ScheduleExpressionTimezone: 'America/Montevideo',
      FlexibleTimeWindow: { Mode: 'OFF' },
    });
    expect(found?.input).toEqual({
      origen: 'programado',
      nombre,
      direcciones,
      dias,
      programado: '<aws.scheduler.scheduled-time>',
      ejecucion: '<aws.scheduler.execution-id>',
    });
  });

  it.each([
    [{}, '0 18', 13],
    // 22:30 to 00:15 counts as two hours.
    [{ tokenReview: '22:30', nightlyReceived: '00:15', nightlyIssued: 'off' }, '30 22', 6],
    // With automatic renewal, only an expired token means that it has failed.
    [STACKS.other, '30 22', 0],
  ])('look at the tokens in the evening, with %j at %s until %d hours later', (settings, time, horas) => {
    synthesise(settings).hasResourceProperties('AWS::Scheduler::Schedule', {
      Name: Match.stringLikeRegexp('-revision-tokens$'),
      ScheduleExpression: `cron(${time} * * ? *)`,
      ScheduleExpressionTimezone: 'America/Montevideo',
      Target: Match.objectLike({
        Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ExporterStartRunFunction'), 'Arn'] },
        Input: JSON.stringify({ revisar: 'tokens', horas }),
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
    ['platform', { desde: 66, hasta: 400 }],
    ['other', { desde: 31, hasta: 100 }],
  ] as const)('read each night some of the days that the weekly run leaves out: %s', (name, edades) => {
    const deep = schedulesOf(synthesise(STACKS[name])).find(({ input }) => input.nombre === 'profunda');
    expect(deep?.schedule).toMatchObject({
      ScheduleExpression: 'cron(0 4 * * ? *)',
      ScheduleExpressionTimezone: 'America/Montevideo',
    });
    const event = { ...deep?.input, programado: '2026-11-20T07:00:00Z' };
    expect(event).toMatchObject({ origen: 'programado', direcciones: ['recibidos', 'emitidos'], edades });
    // start-run reads what the template says.
    const { run, from, to } = readRunRequest(event, 0, FIRST_DAY);
    expect(run.id).toBe('20261120040000-profunda');
    expect({ from, to }).toEqual(
      monthlySlice('2026-11-20', { youngest: edades.desde, oldest: edades.hasta }),
    );
  });

  it('read no older days by default', () => {
    expect(named('profunda')).toBeUndefined();
  });

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

  it('deliver to start-run, try again for hours, and keep what could not be delivered', () => {
    const [queueId] = Object.keys(propertiesOf(template, 'AWS::SQS::Queue'));
    expect(schedules).toHaveLength(3);
    for (const { target } of schedules) {
      expect(asText(target.Arn)).toMatch(/^<ExporterStartRunFunction\w+\.Arn>$/);
      expect(target.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 6 * 3600, MaximumRetryAttempts: 60 });
      expect(target.DeadLetterConfig).toEqual({ Arn: { 'Fn::GetAtt': [queueId, 'Arn'] } });
    }
  });

  it('are created after their group', () => {
    const [groupId] = Object.keys(propertiesOf(template, 'AWS::Scheduler::ScheduleGroup'));
    template.allResources('AWS::Scheduler::Schedule', { DependsOn: Match.arrayWith([groupId]) });
  });

  it('can be moved, switched off and given other days', () => {
    const changed = schedulesOf(synthesise(STACKS.other));
    expect(
      changed.map(({ input, schedule }) => [input.nombre, input.dias, schedule.ScheduleExpression]),
    ).toEqual([
      ['nocturna-recibidos', 7, 'cron(15 0 * * ? *)'],
      ['semanal', 30, 'cron(30 4 ? * MON *)'],
      ['profunda', undefined, 'cron(0 4 * * ? *)'],
    ]);
  });
});

describe('a start that fails', () => {
  it('is tried again by Lambda, then kept', () => {
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
});
