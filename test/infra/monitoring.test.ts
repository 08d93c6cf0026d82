import { globSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../../lib/run/lambda/telemetry.ts';
import { anchorOf } from '../../lib/stack/monitoring/alarms.ts';
import { SAVED_QUERIES } from '../../lib/stack/monitoring/saved-queries.ts';
import { HANDLERS } from '../../lib/system/program.ts';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const Metric = v.looseObject({
  MetricName: v.optional(v.string()),
  Namespace: v.optional(v.string()),
  Dimensions: v.optional(v.array(v.object({ Name: v.string(), Value: v.unknown() })), []),
  Statistic: v.optional(v.string()),
  Period: v.optional(v.number()),
});
const AlarmProperties = v.looseObject({
  ...Metric.entries,
  AlarmName: v.string(),
  AlarmDescription: v.string(),
  Threshold: v.number(),
  ComparisonOperator: v.string(),
  EvaluationPeriods: v.number(),
  TreatMissingData: v.string(),
  AlarmActions: v.array(v.unknown()),
  Metrics: v.optional(
    v.array(
      v.looseObject({
        Expression: v.optional(v.string()),
        MetricStat: v.optional(v.looseObject({ Metric, Period: v.number(), Stat: v.string() })),
      }),
    ),
    [],
  ),
});

type Template = ReturnType<typeof synthesise>;
const alarmsOf = (template: Template) =>
  Object.values(propertiesOf(template, 'AWS::CloudWatch::Alarm')).map((alarm) =>
    v.parse(AlarmProperties, alarm),
  );
const namesOf = (template: Template) =>
  alarmsOf(template).map(({ AlarmName }) => AlarmName.split('-').at(-1) ?? '');

const template = synthesise();
const alarms = alarmsOf(template);
const named = (name: string) => alarms.find(({ AlarmName }) => AlarmName === `cfe-lake-${name}`);

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const sections = runbook
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ heading: text.split('\n', 1)[0] ?? '', text }));

describe('the alarms', () => {
  it.each([
    ['RunFailed', 'AWS/States', 'ExecutionsFailed'],
    ['RunTimedOut', 'AWS/States', 'ExecutionsTimedOut'],
    ['RunStopped', 'AWS/States', 'ExecutionsAborted'],
    ['RunThrottled', 'AWS/States', 'ExecutionThrottled'],
    ['UnitsFailed', 'cfe-lake', 'UnitsFailed'],
    ['UnitsMissing', 'cfe-lake', 'UnitsMissing'],
    ['ReceiptsVanished', 'cfe-lake', 'ReceiptsVanished'],
    ['ScheduleTargetErrors', 'AWS/Scheduler', 'TargetErrorCount'],
    ['ScheduleDropped', 'AWS/Scheduler', 'InvocationDroppedCount'],
    ['RunsNotStarted', 'AWS/SQS', 'ApproximateNumberOfMessagesVisible'],
    ['CompaniesLeftOut', 'cfe-lake', 'CompanyProblems'],
    ['TokenEndsTooEarly', 'cfe-lake', 'TokensEnding'],
    ['UnknownFields', 'cfe-lake', 'UnknownFields'],
    ['RunEventNotSent', 'cfe-lake', 'RunEventNotSent'],
  ])('%s goes off at the first %s %s, and not for want of data', (name, namespace, metricName) => {
    expect(named(name)).toMatchObject({
      Namespace: namespace,
      MetricName: metricName,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('goes off after 26 hours without a night that read anything, and when there is no data at all', () => {
    const alarm = named('NoNightlyRun');
    expect(alarm).toMatchObject({
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 26,
      TreatMissingData: 'breaching',
      Metrics: [
        { Expression: 'FILL(successes, 0)' },
        {
          MetricStat: {
            Metric: {
              MetricName: 'NightlyRead',
              Namespace: 'cfe-lake',
              Dimensions: [{ Name: 'service', Value: 'finish-run' }],
            },
            Period: 3600,
            Stat: 'Sum',
          },
        },
      ],
    });
    expect(alarm).not.toHaveProperty('DatapointsToAlarm');
  });

  it('goes off when two nights in a row were not started, not at the first', () => {
    expect(named('NightsNotStarted')).toMatchObject({
      MetricName: 'NightsNotStarted',
      Dimensions: [{ Name: 'service', Value: 'start-run' }],
      Statistic: 'Maximum',
      Threshold: 2,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('tolerates a few throttles: all companies of a run begin at the same moment', () => {
    expect(named('WorkerThrottled')).toMatchObject({
      MetricName: 'Throttles',
      Threshold: 50,
      Period: 3600,
      Statistic: 'Sum',
      TreatMissingData: 'notBreaching',
    });
  });

  it('reports a worker at 80 % of the time that it is given', () => {
    expect(named('WorkerNearItsTimeLimit')).toMatchObject({
      MetricName: 'Duration',
      Threshold: 0.8 * 15 * 60_000,
    });
    const short = alarmsOf(synthesise(STACKS.other));
    expect(short).toContainEqual(
      expect.objectContaining({ MetricName: 'Duration', Statistic: 'Maximum', Threshold: 0.8 * 5 * 60_000 }),
    );
  });

  it('reports a token with less than seven days left, or as many as are set, or none at all', () => {
    expect(named('TokenExpires')).toMatchObject({
      MetricName: 'TokenDaysLeft',
      Statistic: 'Minimum',
      Threshold: 7,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'notBreaching',
    });
    expect(alarmsOf(synthesise(STACKS.own))).toContainEqual(
      expect.objectContaining({ MetricName: 'TokenDaysLeft', Threshold: 30 }),
    );
    expect(namesOf(synthesise(STACKS.other))).not.toContain('TokenExpires');
  });

  it('miss no schedule that is switched off', () => {
    const none = namesOf(synthesise(STACKS.off));
    expect(none.filter((name) => /Night|Schedule/.test(name))).toEqual([]);
    expect(none).toContain('RunsNotStarted');
  });

  it('all go to the one topic', () => {
    const topics = Object.keys(propertiesOf(template, 'AWS::SNS::Topic'));
    expect(topics).toHaveLength(1);
    for (const { AlarmActions } of alarms) expect(AlarmActions).toEqual([{ Ref: topics[0] }]);
  });

  it('look no further back than CloudWatch does: seven days, and one with periods below an hour', () => {
    for (const { Period, Metrics, EvaluationPeriods } of alarms) {
      const period =
        Period ?? Metrics.find(({ MetricStat }) => MetricStat !== undefined)?.MetricStat?.Period ?? 0;
      expect(period).toBeGreaterThan(0);
      expect(period * EvaluationPeriods).toBeLessThanOrEqual(period < 3600 ? 86_400 : 7 * 86_400);
    }
  });
});

describe('metrics of the exporter', () => {
  const ofExporter = alarms
    .flatMap((alarm) => [alarm, ...alarm.Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])])
    .filter(({ Namespace }) => Namespace === 'cfe-lake');

  it('are some that the handlers write, with no dimension but the handler', () => {
    expect(ofExporter.length).toBeGreaterThan(5);
    for (const { MetricName, Dimensions } of ofExporter) {
      expect(METRIC_NAMES).toContain(MetricName);
      expect(Dimensions.map(({ Name }) => Name)).toEqual(['service']);
    }
  });
});

describe('docs/runbook.md', () => {
  const linkOf = (description: string) => description.split('docs/runbook.md#')[1];

  it('has a heading for every alarm, and an alarm for every heading', () => {
    const linked = new Set(alarms.map(({ AlarmDescription }) => linkOf(AlarmDescription)));
    expect([...linked].sort()).toEqual(sections.map(({ heading }) => anchorOf(heading)).sort());
  });

  it('names the alarms of each heading with their severity, and says what they mean, how to look, what to do', () => {
    for (const { heading, text } of sections) {
      const ofHeading = alarms.filter(
        ({ AlarmDescription }) => linkOf(AlarmDescription) === anchorOf(heading),
      );
      const severities = new Set(
        ofHeading.map(({ AlarmDescription }) => /^\[(\w+)\]/.exec(AlarmDescription)?.[1]),
      );
      const names = ofHeading.map(({ AlarmName }) => `\`${AlarmName.replace('cfe-lake-', '')}\``);
      expect(text).toContain(`\n\n${names.join(', ')} · ${[...severities].join(', ')}\n`);
      for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(text).toContain(part);
    }
  });

  it('quotes messages, settings and fields as the program has them', () => {
    const code = globSync(['lib/**/*.ts', 'functions/*.ts'])
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const prose = runbook.replaceAll(/^```[\s\S]*?^```$/gm, '');
    const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
    const commands = /^(npm|aws|cfe-lake) |[(-]/;
    const messages = spans.filter((span) => span.includes(' ') && !commands.test(span));
    const names = spans.filter((span) => /^[a-z]+[A-Z]\w+$/.test(span) && span !== 'responsePayload');
    expect(messages).toContain('the list goes on past 250,000 rows');
    expect(names).toEqual(expect.arrayContaining(['maxRowsPerList', 'anchoProbado']));
    // What differs from time to time is a number, or `…`.
    const parts = [...messages, ...names]
      .flatMap((span) => span.split(/…|\d[\d,]*/))
      .map((part) => part.trim());
    expect(parts.filter((part) => !code.includes(part))).toEqual([]);
  });

  it('refers only to saved queries and headings that exist, and leaves no saved query out', () => {
    const known: string[] = [
      ...SAVED_QUERIES.map(({ name }) => name),
      ...sections.map(({ heading }) => heading),
    ];
    const referred = [...runbook.matchAll(/(?<![\w`])_([^_\n]+)_(?![\w`])/g)].map(([, name]) => name ?? '');
    const names = new Set(referred.filter((name) => name !== 'query'));
    for (const name of names) expect(known).toContain(name);
    for (const { name } of SAVED_QUERIES) expect([...names]).toContain(name);
  });
});

describe('the saved queries', () => {
  it("ask the handlers' logs, below a folder of the stack's name", () => {
    const queries = Object.values(propertiesOf(template, 'AWS::Logs::QueryDefinition'));
    expect(queries.map(({ Name }) => Name).sort()).toEqual(
      SAVED_QUERIES.map(({ name }) => `cfe-lake/${name}`).sort(),
    );
    for (const { LogGroupNames, QueryString } of queries) {
      const groups = v.parse(v.array(v.unknown()), LogGroupNames).map(asText);
      for (const group of groups) expect(group).toMatch(/^<Exporter\w+Logs\w+>$/);
      expect(QueryString).not.toContain('\n\n');
    }
  });

  it('ask for messages that the handlers log', () => {
    const files = HANDLERS.flatMap((name) => [`functions/${name}.ts`, `lib/run/lambda/${name}.ts`]);
    const code = files
      .map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
      .join('\n');
    const messages = SAVED_QUERIES.flatMap(({ text }) => [...text.matchAll(/message = '([^']+)'/g)]);
    expect(messages.length).toBeGreaterThan(5);
    for (const [, message] of messages) expect(code).toContain(`'${message}'`);
  });
});
