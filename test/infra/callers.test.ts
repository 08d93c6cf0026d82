import { describe, expect, it } from 'vitest';
import { TABLES } from '../../lib/lake/tables.ts';
import { permissionsIn, policiesIn } from './policies.ts';
import { STACKS, synthesise } from './synthesis.ts';

function permissionsOf(name: string, stack: 'default' | 'own' = 'default'): string[] {
  const policies = policiesIn(synthesise(STACKS[stack]), 'AWS::IAM::ManagedPolicy');
  return permissionsIn(policies.filter(({ id }) => id.startsWith(`Callers${name}`)));
}

describe('the operator', () => {
  const permissions = permissionsOf('Operator');

  it('finds the stack, starts runs by start-run alone, follows them, reads what became of them, and keeps the rates', () => {
    expect([...new Set(permissions)].sort()).toEqual(
      [
        'cloudformation:DescribeStacks cloudformation:stack/cfe-lake/*',
        'lambda:InvokeFunction <ExporterStartRunFunction>',
        'states:ListExecutions <ExporterRunStateMachine>',
        'states:DescribeExecution states:execution:cfe-lake:*',
        'states:ListMapRuns states:execution:cfe-lake:*',
        'states:StopExecution states:execution:cfe-lake:*',
        'states:DescribeMapRun states:mapRun:cfe-lake/*',
        'scheduler:GetSchedule scheduler:schedule/cfe-lake/*',
        'sns:ListSubscriptionsByTopic <AlarmsTopic>',
        's3:GetObject <LakeBucket>/exportaciones/*',
        's3:GetObject <LakeBucket>/.open-runs/*',
        's3:GetObject <LakeBucket>/cobertura/*',
        's3:GetObject <LakeBucket>/cotizaciones/*',
        's3:PutObject <LakeBucket>/cotizaciones/*',
        's3:ListBucket <LakeBucket>',
        's3:GetBucketLocation <LakeBucket>',
        's3:GetBucketPolicy <LakeBucket>',
      ].sort(),
    );
  });
});

describe('the analyst', () => {
  const permissions = permissionsOf('Analyst');

  it('reads all tables, which of their days lag and whose they are, no unit, and writes nothing but answers', () => {
    const reads = permissions.filter((permission) => permission.startsWith('s3:GetObject '));
    expect([...new Set(reads)].sort()).toEqual(
      [...TABLES.map(({ name }) => name), '.open-runs', '.source', 'consultas']
        .map((prefix) => `s3:GetObject <LakeBucket>/${prefix}/*`)
        .sort(),
    );
    const writes = permissions.filter((permission) => /^s3:(Put|Delete|Abort)/.test(permission));
    expect(writes.length).toBeGreaterThan(0);
    for (const permission of writes) expect(permission).toMatch(/ <LakeBucket>\/consultas\/\*$/);
  });

  it('asks in the one workgroup, of the one database', () => {
    expect(permissions).toContain('athena:StartQueryExecution athena:workgroup/cfe-lake');
    const ofGlue = permissions.filter((permission) => permission.startsWith('glue:'));
    const resources = new Set(ofGlue.map((permission) => permission.split(' ')[1]));
    expect([...resources]).toEqual(['glue:catalog', 'glue:database/cfe_lake', 'glue:table/cfe_lake/*']);
    for (const permission of ofGlue) expect(permission).toMatch(/^glue:(Batch)?Get/);
  });
});

describe('both', () => {
  it('see no secret, and use the key of the lake where it has one', () => {
    for (const name of ['Operator', 'Analyst']) {
      for (const stack of ['default', 'own'] as const) {
        const permissions = permissionsOf(name, stack);
        expect(permissions.filter((permission) => permission.startsWith('secretsmanager:'))).toEqual([]);
        expect(permissions.includes('kms:Decrypt <LakeKey>')).toBe(stack === 'own');
      }
    }
  });
});
