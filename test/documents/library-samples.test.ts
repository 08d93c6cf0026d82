import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { itLong } from '../support/campaign.ts';
import { samplesOf } from '../support/samples.ts';

const SAMPLES = samplesOf(readFileSync('docs/library.md', 'utf8'));
const isOfCdk = (code: string) => code.includes('aws-cdk-lib');

it('the samples of docs/library.md have the types of the package', () => {
  const samples = SAMPLES.filter((code) => !isOfCdk(code));
  expect(samples).toHaveLength(3);
  expect(typeErrors(samples)).toEqual([]);
});

// CDK has three times as many files as all the rest.
itLong('the sample of an app of your own has the types of the construct', () => {
  const samples = [...SAMPLES, ...samplesOf(readFileSync('docs/aws.md', 'utf8'))].filter(isOfCdk);
  expect(samples).toHaveLength(2);
  expect(typeErrors(samples)).toEqual([]);
});

function typeErrors(samples: readonly string[]): string[] {
  const files = new Map(samples.map((code, index) => [resolve(`sample-${index}.ts`), code]));
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, '.');
  const host = ts.createCompilerHost(options);
  const [fileExists, readFile] = [host.fileExists, host.readFile];
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);

  const program = ts.createProgram([...files.keys()], { ...options, noUnusedLocals: false }, host);
  const problems = [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });

  return problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
