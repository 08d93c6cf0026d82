import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const template = synthesise(STACKS.own);
const keyArn = asText({ 'Fn::GetAtt': [Object.keys(propertiesOf(template, 'AWS::KMS::Key'))[0], 'Arn'] });

const KeyPolicy = v.object({
  KeyPolicy: v.object({
    Statement: v.array(
      v.object({ Condition: v.optional(v.record(v.string(), v.record(v.string(), v.unknown()))) }),
    ),
  }),
});

describe('useKms', () => {
  it('puts every log and the topics under the key', () => {
    const logs = Object.values(propertiesOf(template, 'AWS::Logs::LogGroup'));
    expect(logs.length).toBeGreaterThan(3);
    for (const { KmsKeyId } of logs) expect(asText(KmsKeyId)).toBe(keyArn);
    const topics = Object.values(propertiesOf(template, 'AWS::SNS::Topic'));
    expect(topics).toHaveLength(2);
    for (const { KmsMasterKeyId } of topics) expect(asText(KmsMasterKeyId)).toBe(keyArn);
  });

  it('lets CloudWatch Logs use it for the logs of this stack, each of them', () => {
    const [key] = Object.values(propertiesOf(template, 'AWS::KMS::Key'));
    const forLogs = v
      .parse(KeyPolicy, key)
      .KeyPolicy.Statement.find(({ Condition }) => Condition?.ArnLike !== undefined)?.Condition?.ArnLike;
    const patterns = v
      .parse(v.array(v.unknown()), forLogs?.['kms:EncryptionContext:aws:logs:arn'])
      .map((pattern) => asText(pattern).split(':log-group:')[1] ?? '');
    for (const { LogGroupName } of Object.values(propertiesOf(template, 'AWS::Logs::LogGroup'))) {
      const name = asText(LogGroupName);
      expect(
        patterns.some((pattern) => name === pattern || name.startsWith(pattern.replace(/\*$/, ''))),
      ).toBe(true);
    }
    for (const pattern of patterns) expect(pattern).toContain('/cfe-lake');
  });
});
