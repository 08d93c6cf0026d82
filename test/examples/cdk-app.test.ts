import { Template } from 'aws-cdk-lib/assertions';
import { expect, it, vi } from 'vitest';
import { ReceiptsStack } from '../../examples/cdk-app/receipts-stack.ts';
import { BUNDLES, newApp } from '../infra/synthesis.ts';

// The package contains the bundles; a checkout has none.
vi.mock('../../lib/system/program.ts', async (original) => ({
  ...(await original<typeof import('../../lib/system/program.ts')>()),
  builtBundles: () => BUNDLES,
}));

it('the example is a stack with a lake, and roles that may ask it and start runs', () => {
  const stack = new ReceiptsStack(newApp(), 'Receipts', {
    apiAddress: 'https://api.example.invalid',
    alarmEmail: 'books@example.com',
  });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::S3::Bucket', 1);
  template.resourceCountIs('AWS::Lambda::Function', 4);
  expect(Object.keys(template.findOutputs('*')).sort()).toContain('StartRunFunction');
});
