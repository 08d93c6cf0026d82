import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { samplesOf } from '../support/samples.ts';

it('every sample of docs/library.md has the types of the package', () => {
  const samples = samplesOf(readFileSync('docs/library.md', 'utf8'));
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

  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  expect(samples).toHaveLength(4);
});
