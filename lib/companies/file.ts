import { readFile } from 'node:fs/promises';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import { type Company, type CompanyProblem, describeProblem } from './company.ts';
import { parseCompaniesText, SHAPES } from './parse.ts';

/** A companies file that can't be used; the message has one line per problem, never a token. */
export class CompaniesFileError extends CfeLakeError {
  override name = 'CompaniesFileError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  override readonly isMultiline = true;
  readonly problems: readonly CompanyProblem[];

  constructor(problems: readonly CompanyProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

export interface CompaniesFile {
  companies: readonly Company[];
  /** The address that the tokens are for, if the file gives it. */
  api: URL | undefined;
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
    // What was typed in place of a file's name may be a token.
    throw new CompaniesFileError([{ source: '--companies', reason }]);
  }
}

/** A file of companies, in its order. Throws a CompaniesFileError that lists all problems if there is any. */
export async function readCompaniesFile(path: string): Promise<CompaniesFile> {
  const { companies, api, problems } = parseCompaniesText(await readText(path), path);
  if (problems.length > 0) throw new CompaniesFileError(problems);
  return { companies, api };
}
