import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { CDK_JSON } from './cdk-json.ts';

const flagsFile = createRequire(import.meta.url).resolve('aws-cdk-lib/recommended-feature-flags.json');
const recommended = v.parse(v.record(v.string(), v.unknown()), JSON.parse(readFileSync(flagsFile, 'utf8')));

it('switches on what CDK recommends, and tells nobody about its use', () => {
  expect(CDK_JSON.context).toEqual({ 'cli-telemetry': false, ...recommended });
  expect(CDK_JSON).toMatchObject({ app: 'node bin/app.ts', versionReporting: false, notices: false });
});
