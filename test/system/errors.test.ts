import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../lib/cli/printer.ts';
import { requestError } from '../../lib/lake/store/s3-requests.ts';
import { QueryError } from '../../lib/query/question.ts';
import { BackfillRefusedError, DeploymentError } from '../../lib/run/deployed/stack-outputs.ts';
import { SettingsError } from '../../lib/stack/read-settings.ts';
import { awsFaultOf } from '../../lib/system/errors.ts';

it('CfeLakeError is the base of every error of the program, and each has a name of its own', () => {
  const files = globSync('lib/**/*.ts').filter((file) => !file.endsWith('lib/system/errors.ts'));
  expect(files.length).toBeGreaterThan(100);
  const nameless: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [all, name] of text.matchAll(/class (\w+) extends (?:\w*Error)\b[^{]*\{\s*(?:[^\n]*\n)/g)) {
      if (/extends Error\b/.test(all) || !text.includes(`name = '${name}'`))
        nameless.push(`${file}: ${name}`);
    }
  }
  expect(nameless).toEqual([]);
});

describe('exit codes', () => {
  const named = (name: string) => Object.assign(new Error('refused'), { name });
  it.each([
    [requestError('s3://lake', 'reading', 'reading it', named('NoSuchBucket')), 2],
    [requestError('s3://lake', 'reading', 'reading it', new Error('Region is missing')), 2],
    [requestError('s3://lake', 'reading', 'reading it', named('SlowDown')), 1],
    [new DeploymentError('Looking', named('ExpiredTokenException')), 2],
    [new DeploymentError('Looking', named('InternalFailure')), 1],
    [new BackfillRefusedError('No.'), 1],
    [new QueryError('Binder Error: no such column'), 2],
    [new QueryError('Out of Memory Error: too much'), 1],
    [new SettingsError(['weekly: must be a time']), 2],
  ] satisfies [Error, number][])('ends a command that fails with %s', (error, exitCode) => {
    expect(failureOf(error)).toEqual({ message: error.message, exitCode });
  });
});

describe('awsFaultOf', () => {
  const denied = Object.assign(new Error('no'), { name: 'AccessDeniedException' });

  it('advises by what was asked for', () => {
    expect(awsFaultOf(denied, 'stack').advice).toMatch(/^Ask for the permission/);
    expect(awsFaultOf(denied, 'secrets').advice).toMatch(/secretsmanager:GetSecretValue/);
  });

  it('names a fault of the network, which has no code of AWS, by its message', () => {
    const error = new Error('getaddrinfo ENOTFOUND cloudformation.nowhere-1.amazonaws.com');
    expect(awsFaultOf(error, 'stack').code).toBe(error.message);
    expect(new DeploymentError('Looking for the stack', error).message).toBe(
      `Looking for the stack failed (${error.message}). Check the region and the network, then try again.`,
    );
  });
});
