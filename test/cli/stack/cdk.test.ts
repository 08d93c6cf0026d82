import { describe, expect, it } from 'vitest';
import { environmentOf, readCdkWords } from '../../../lib/cli/stack/stack-command.ts';

describe('readCdkWords', () => {
  it('finds settings in every form that CDK accepts, and the last one of a name wins', () => {
    const words = '-c a=1 --context b=2 --context=c=3 -cd=4 --hotswap -c a=5 -c e=x=y -c=f=6'.split(' ');
    expect(readCdkWords(words)).toMatchObject({
      words,
      context: { a: '5', b: '2', c: '3', d: '4', e: 'x=y', f: '6' },
    });
  });

  it('finds the profile, the region and the stack of CDK itself', () => {
    expect(readCdkWords(['--profile', 'books', '--region=sa-east-1'])).toMatchObject({
      profile: 'books',
      region: 'sa-east-1',
      toolkitStackName: 'CDKToolkit',
    });
    expect(readCdkWords(['--toolkit-stack-name', 'Ours']).toolkitStackName).toBe('Ours');
  });
});

it('keeps --accept to itself', () => {
  const words = '--accept encryption --force --accept=second-stack -c a=b'.split(' ');
  expect(readCdkWords(words)).toMatchObject({
    words: ['--force', '-c', 'a=b'],
    accepted: ['encryption', 'second-stack'],
  });
});

describe('environmentOf', () => {
  it('uses the region that the AWS CLI uses, and a typed one wins', () => {
    const nothing = { profile: undefined, region: undefined };
    expect(environmentOf(nothing, { AWS_DEFAULT_REGION: 'sa-east-1' }).AWS_REGION).toBe('sa-east-1');
    const both = { AWS_DEFAULT_REGION: 'sa-east-1', AWS_REGION: 'us-east-1' };
    expect(environmentOf(nothing, both).AWS_REGION).toBe('us-east-1');
    expect(environmentOf({ profile: 'books', region: 'us-east-2' }, both)).toMatchObject({
      AWS_PROFILE: 'books',
      AWS_REGION: 'us-east-2',
    });
    expect(environmentOf(nothing, {})).toEqual({});
  });
});
