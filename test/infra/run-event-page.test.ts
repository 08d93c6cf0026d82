import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { RUN_EVENT_SOURCE, RUN_EVENT_TYPE, runEvents } from '../../lib/run/run-event.ts';
import { samplesOf } from '../support/samples.ts';
import { newApp, propertiesOf } from './synthesis.ts';

const page = readFileSync('docs/aws.md', 'utf8');
const [event] = runEvents(
  's3://cfe-lake-lakebucket',
  {
    runId: '20261120020000-nocturna',
    runDay: '2026-11-20',
    from: '2026-11-17',
    to: '2026-11-19',
    directions: ['recibidos', 'emitidos'],
    companiesAtOnce: 2,
    ruts: [],
  },
  [{ rut: '219999830019', fresh: 37, changed: 2, vanished: 0, rejected: 1, failed: 0 }],
);
const PATTERN = { source: [RUN_EVENT_SOURCE], 'detail-type': [RUN_EVENT_TYPE], detail: { parte: [1] } };

/** The value at `$.detail.total.nuevas` of an event. */
function at(path: string): unknown {
  return path
    .split('.')
    .slice(1)
    .reduce<unknown>((value, name) => Object.entries(value ?? {}).find(([key]) => key === name)?.[1], {
      detail: event,
    });
}

it('the example of docs/aws.md is the event that is sent, and the tables name all of its fields', () => {
  const [, example = ''] = /```json\n(\{\n {2}"version".*?)```/s.exec(page) ?? [];
  expect(JSON.parse(example)).toEqual(event);
  const named = new Set(
    [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []),
  );
  for (const name of [...Object.keys(event ?? {}), ...Object.keys(event?.total ?? {})]) {
    expect([...named, 'empresas']).toContain(name);
  }
});

it('the rule that mails is for this event, and its text has only fields that the event has', () => {
  const [, pattern = ''] = /--event-pattern '(.*?)'/.exec(page) ?? [];
  expect(JSON.parse(pattern)).toEqual(PATTERN);
  const [, paths = ''] = /"InputPathsMap": (\{.*?\})/s.exec(page) ?? [];
  const values = Object.values<string>(JSON.parse(paths)).map(at);
  expect(values).toEqual([event?.corrida, 37, 2, 0, 1, 0]);
});

it('the rule that posts to a chat is an app of CDK, for this event and with its fields', () => {
  const [code = '', ...others] = samplesOf(page);
  expect(others).toEqual([]);
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const sample: { addChat?: (stack: Stack, url: string) => void } = {};
  compileFunction(outputText, ['exports', 'require'])(sample, createRequire(import.meta.url));
  const stack = new Stack(newApp(), 'Chat');
  sample.addChat?.(stack, 'https://chat.example.com/hook');
  const template = Template.fromStack(stack);
  const [rule] = Object.values(propertiesOf(template, 'AWS::Events::Rule'));
  expect(rule).toMatchObject({ EventPattern: PATTERN });
  const text = JSON.stringify(rule);
  const paths = [...text.matchAll(/"(\$\.detail[\w.]*)"/g)].map(([, path = '']) => path);
  expect(paths.map(at)).toEqual([event?.corrida, 37, 1]);
  template.hasResourceProperties('AWS::Events::ApiDestination', {
    InvocationEndpoint: 'https://chat.example.com/hook',
  });
});
