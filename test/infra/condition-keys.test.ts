import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { asText, STACKS, synthesise } from './synthesis.ts';

/**
 * Each condition key that the stack uses: its type in AWS's service authorization reference, the operators that compare
 * it, and the form of its values. `[]`: a key with several values, which only ForAllValues and ForAnyValue compare, and
 * ForAllValues holds for an absent one too, unless Null says that there must be one.
 */
const KEYS: Readonly<Record<string, { type: string; operators: readonly string[]; value: RegExp }>> = {
  'aws:SecureTransport': { type: 'Bool', operators: ['Bool'], value: /^false$/ },
  'aws:SourceAccount': { type: 'String', operators: ['StringEquals'], value: /^<AWS::AccountId>$/ },
  'aws:SourceArn': {
    type: 'ARN',
    operators: ['ArnEquals', 'ArnLike'],
    value:
      /^(arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:\*|<SchedulesGroup\w+\.Arn>)$/,
  },
  'events:detail-type': { type: 'String', operators: ['StringEquals'], value: /^Run published$/ },
  'events:source': {
    type: 'String[]',
    operators: ['ForAllValues:StringEquals', 'Null'],
    value: /^(cfe-lake|false)$/,
  },
  // CloudWatch Logs puts an ARN into it, and its user guide compares it as one.
  'kms:EncryptionContext:aws:logs:arn': {
    type: 'String',
    operators: ['ArnLike'],
    value: /^arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:\/aws\/[\w/*-]+$/,
  },
  's3:TlsVersion': { type: 'Numeric', operators: ['NumericLessThan'], value: /^1\.2$/ },
};

interface Compared {
  operator: string;
  key: string;
  values: string[];
}

const Conditions = v.record(v.string(), v.record(v.string(), v.unknown()));

/** All conditions below a value of a template: those of policies, of trust policies and of policies of resources. */
function conditionsIn(value: unknown): Compared[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const isOfStatement = name === 'Condition' && 'Effect' in value;
    return isOfStatement ? comparisonsIn(v.parse(Conditions, inner)) : conditionsIn(inner);
  });
}

function comparisonsIn(conditions: v.InferOutput<typeof Conditions>): Compared[] {
  return Object.entries(conditions).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, given]) => ({
      operator,
      key,
      values: (Array.isArray(given) ? given : [given]).map(asText),
    })),
  );
}

const found = Object.values(STACKS).flatMap((settings) => conditionsIn(synthesise(settings).toJSON()));

describe('conditions of policies', () => {
  it('compare the keys of this table, and no others', () => {
    expect([...new Set(found.map(({ key }) => key))].sort()).toEqual(Object.keys(KEYS).sort());
  });

  it.each(Object.entries(KEYS))('compare %s by its type and with values of its form', (key, known) => {
    const all = found.filter((compared) => compared.key === key);
    expect([...new Set(all.map(({ operator }) => operator))].sort()).toEqual(known.operators);
    for (const value of all.flatMap(({ values }) => values)) expect(value).toMatch(known.value);
  });

  it('use an operator of the type, and one for several values where a key has them', () => {
    for (const { type, operators } of Object.values(KEYS)) {
      const isOfMany = type.endsWith('[]');
      for (const operator of operators.filter((operatorName) => operatorName !== 'Null'))
        expect(operator.startsWith('ForA')).toBe(isOfMany);
      if (isOfMany) expect(operators).toContain('Null');
    }
  });
});
