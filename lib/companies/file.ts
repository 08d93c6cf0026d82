import { readFile } from 'node:fs/promises';
import type { Company } from './company.ts';
import { SHAPES } from './parse.ts';
import { parseCompaniesText } from './parse-text.ts';
import { type CompanyProblem, describeProblem } from './problem.ts';

/** A companies file that can't be used; the message has one line per problem, never a token. */
export class CompaniesFileError extends Error {
  override name = 'CompaniesFileError';
  readonly problems: readonly CompanyProblem[];

  constructor(problems: readonly CompanyProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: `there is no such file: check its name, or ${SHAPES}`,
  EISDIR: 'it is a folder, not a file',
  EACCES: 'it may not be read: check its permissions',
};

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const reason = READ_FAILURES[code] ?? `it can't be read (${code})`;
    throw new CompaniesFileError([{ source: path, reason }]);
  }
}

/** Every company of a JSON file, in its order. Throws a CompaniesFileError that lists all problems if there is any. */
export async function readCompaniesFile(path: string): Promise<Company[]> {
  const { companies, problems } = parseCompaniesText(await readText(path), path);
  if (problems.length > 0) throw new CompaniesFileError(problems);
  return companies;
}
