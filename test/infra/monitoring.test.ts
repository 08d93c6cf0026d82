import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../../lib/run/lambda/telemetry.ts';
import { anchorOf } from '../../lib/stack/monitoring/alarms.ts';
import { TROUBLE_QUERY } from '../../lib/stack/monitoring/log-queries.ts';
import { HANDLERS } from '../../lib/system/program.ts';
import { type DeployedAlarm, deployedAlarms } from './deployed-alarms.ts';
import { withRows } from './page-tables.ts';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const template = synthesise({ login: true });
const alarms = deployedAlarms(template);
const RUNBOOK = fileURLToPath(new URL('../../docs/runbook.md', import.meta.url));
const runbook = readFileSync(RUNBOOK, 'utf8');
const sections = runbook
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ heading: text.split('\n', 1)[0] ?? '', text }));

const severityOf = ({ AlarmDescription }: DeployedAlarm) => /^\[(\w+)\]/.exec(AlarmDescription)?.[1] ?? '';
const linkOf = ({ AlarmDescription }: DeployedAlarm) => AlarmDescription.split('docs/runbook.md#')[1] ?? '';
const shortName = ({ AlarmName }: DeployedAlarm) => AlarmName.replace('cfe-lake-', '');

/** Each alarm, as the template has it. */
function rowOf(alarm: DeployedAlarm): string {
  const { Namespace, MetricName, Statistic, Threshold, ComparisonOperator, EvaluationPeriods, Period } =
    alarm;
  const hours = (EvaluationPeriods * Period) / 3600;
  const time = hours < 1 ? `${hours * 60} minutes` : hours === 1 ? 'an hour' : `${hours} hours`;
  const metric = `\`${Namespace === 'cfe-lake' ? '' : `${Namespace} `}${MetricName}\``;
  const sign = ComparisonOperator === 'LessThanThreshold' ? '<' : '≥';
  const statistic = { Sum: 'sum', Maximum: 'highest', Minimum: 'lowest' }[Statistic];
  const measured = `${metric} ${sign} ${Threshold} (${statistic} in ${time})`;
  const absent = `no ${metric} for ${time}`;
  const ways =
    alarm.TreatMissingData !== 'missing' ? [measured] : sign === '<' ? [absent] : [measured, absent];
  const when = ways.join(', or ');
  return `| [\`${shortName(alarm)}\`](#${linkOf(alarm)}) | ${severityOf(alarm)} | ${when} |`;
}

describe('the alarms', () => {
  it('are those of the runbook, each with its severity and what sets it off', async () => {
    await expect(withRows(runbook, 'Alarm', alarms.map(rowOf))).toMatchFileSnapshot(RUNBOOK);
  });

  it('go to the topic of their severity, and tell when they are over, but of what is no good news', () => {
    for (const alarm of alarms) {
      const topic = severityOf(alarm) === 'urgent' ? /^<AlarmsTopic\w{8}>$/ : /^<AlarmsMorningTopic\w{8}>$/;
      // Where no data is a fault, having none is told; all others take no data for no fault.
      const isAbsence = ['NoNightlyRun', 'LoginFailed'].includes(shortName(alarm));
      const actions = alarm.AlarmActions;
      expect(actions.map(asText)).toEqual([expect.stringMatching(topic)]);
      expect(alarm.InsufficientDataActions).toEqual(isAbsence ? actions : []);
      expect(alarm.TreatMissingData).toBe(isAbsence ? 'missing' : 'notBreaching');
      // Any night that has begun is none that is missing.
      if (shortName(alarm) === 'NoNightlyRun')
        expect(alarm).toMatchObject({ Threshold: 1, ComparisonOperator: 'LessThanThreshold' });
      expect(alarm.OKActions).toEqual(shortName(alarm) === 'TokenExpires' ? [] : actions);
    }
  });

  it('watch metrics that the handlers write, with no dimension but the handler, no further back than CloudWatch does', () => {
    const ofHandlers = alarms.filter(({ Namespace }) => Namespace === 'cfe-lake');
    expect(ofHandlers.length).toBeGreaterThan(5);
    for (const { MetricName, Dimensions } of ofHandlers) {
      expect(METRIC_NAMES).toContain(MetricName);
      expect(Dimensions).toEqual([{ Name: 'service', Value: expect.toBeOneOf([...HANDLERS]) }]);
      const { Value } = Dimensions[0] ?? {};
      const code = readFileSync(`lib/run/lambda/${String(Value)}.ts`, 'utf8');
      expect(code).toMatch(new RegExp(`count\\('${MetricName}'`));
    }
    const ofAws = alarms.filter(({ Namespace }) => Namespace !== 'cfe-lake');
    expect(ofAws.flatMap((alarm) => alarm.Dimensions.map(({ Value }) => asText(Value)))).toEqual([
      expect.stringMatching(/^<ExporterRunStateMachine\w{8}>$/),
      expect.stringMatching(/^<SchedulesDeadLetters\w{8}\.QueueName>$/),
    ]);
    for (const { Period, EvaluationPeriods } of alarms)
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(Period < 3600 ? 86_400 : 7 * 86_400);
  });

  it('miss no schedule that is switched off, no token that something else renews, and no login that is not there', () => {
    const names = (settings: object) => deployedAlarms(synthesise({ ...settings })).map(shortName);
    expect(names(STACKS.default)).not.toContain('LoginFailed');
    expect(names(STACKS.off).filter((name) => /Night|Token/.test(name))).toEqual([]);
    expect(names(STACKS.adopted)).not.toContain('TokenExpires');
    expect(deployedAlarms(synthesise(STACKS.own))).toContainEqual(
      expect.objectContaining({ MetricName: 'TokenDaysLeft', Threshold: 30 }),
    );
  });
});

it('the stack has few resources besides alarms and saved queries, and fewer without a login: somebody has to read them', () => {
  const typesOf = (settings: object) =>
    Object.values<{ Type: string }>(synthesise({ ...settings }).toJSON().Resources).map(({ Type }) => Type);
  const countOf = (settings: object) => typesOf(settings).length;
  // With the two subscriptions of the e-mail.
  const types = typesOf({ alarmEmail: 'ops@example.com' });
  const grows = ['AWS::CloudWatch::Alarm', 'AWS::Athena::NamedQuery'];
  expect(types.filter((type) => !grows.includes(type)).length).toBeLessThanOrEqual(54);
  expect(Object.keys(template.findOutputs('*'))).toHaveLength(10);
  const page = readFileSync('docs/aws.md', 'utf8');
  expect(/creates (\d+) resources and ends with ten outputs/.exec(page)?.[1]).toBe(String(types.length));
  expect(countOf({ login: true }) - countOf({})).toBe(8);
});

describe('docs/runbook.md', () => {
  it('has a heading for every alarm, and an alarm for every heading', () => {
    expect([...new Set(alarms.map(linkOf))].sort()).toEqual(
      sections.map(({ heading }) => anchorOf(heading)).sort(),
    );
  });

  it('names the alarms of each heading with their severity, and says what they mean, how to look, what to do', () => {
    for (const { heading, text } of sections) {
      const ofHeading = alarms.filter((alarm) => linkOf(alarm) === anchorOf(heading));
      const severities = new Set(ofHeading.map(severityOf));
      const names = ofHeading.map((alarm) => `\`${shortName(alarm)}\``);
      expect(text).toContain(`\n\n${names.join(', ')} · ${[...severities].join(', ')}`);
      for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(text).toContain(part);
    }
  });

  it('quotes messages, settings and fields as the program has them', () => {
    const code = globSync(['lib/**/*.ts', 'functions/*.ts'])
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const prose = runbook.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/^\|.*$/gm, '');
    const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
    const commands = /^(npm|aws|cfe-lake) |[(-]/;
    const messages = spans.filter((span) => span.includes(' ') && !commands.test(span));
    const names = spans.filter((span) => /^[a-z]+[A-Z]\w+$/.test(span) && span !== 'responsePayload');
    expect(messages).toContain('the list goes on past 250,000 rows');
    expect(names).toContain('maxRowsPerList');
    // What differs from time to time is a number, or `…`; Lambda's own words are in the query.
    const parts = [...messages, ...names]
      .flatMap((span) => span.split(/…|\d[\d,]*/))
      .map((part) => part.trim());
    expect(parts.filter((part) => !code.includes(part))).toEqual([]);
  });

  it('refers only to the saved query, which asks all logs', () => {
    const referred = [...runbook.matchAll(/(?<![\w`])_([^_\n]+)_(?![\w`])/g)].map(([, name]) => name ?? '');
    const names = referred.filter((name) => name !== 'with the rights of whoever deploys');
    expect(new Set(names)).toEqual(new Set([TROUBLE_QUERY.name]));
    const [query, ...others] = Object.values(propertiesOf(template, 'AWS::Logs::QueryDefinition'));
    expect({ Name: query?.Name, others }).toEqual({ Name: `cfe-lake/${TROUBLE_QUERY.name}`, others: [] });
    expect(v.parse(v.array(v.unknown()), query?.LogGroupNames)).toHaveLength(HANDLERS.length);
  });
});
