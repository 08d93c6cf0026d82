import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NoAnswerError } from '../../lib/api/errors.ts';
import { InvalidFilterError } from '../../lib/api/filters.ts';
import { LakeMissingError } from '../../lib/lake/store/open-store.ts';
import { InvalidDayError } from '../../lib/library/arguments.ts';
import { QueryError } from '../../lib/query/question.ts';
import { CfeLakeError, WrongInputError } from '../../lib/system/errors.ts';

/** Errors that never leave the program, being caught in it, or that only the command line or the functions in AWS throw. */
const INSIDE = ['CFE_LAKE', 'BODY', 'FAILED_ANSWER', 'NOT_REPLACED', 'WRONG_BYTES'];
const OF_COMMANDS = ['WORKBOOK_TOO_LARGE', 'FORM_INCOMPLETE'];
const OF_FUNCTIONS = ['UNREADABLE_SECRET'];
/** The folders that `import … from 'cfe-lake'` runs. */
const FOLDERS = '{api,audit,companies,export,lake,library,publish,query,system}';

class NamedError extends CfeLakeError {
  constructor(name: string) {
    super('It broke.');
    this.name = name;
  }
}

describe('errors of the package', () => {
  it('have the codes that docs/library.md lists, one for each class', () => {
    const names = globSync(`lib/${FOLDERS}/**/*.ts`).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^export class (\w+) extends \w*Error\b/gm)].map(
        ([, name = '']) => name,
      ),
    );
    const codes = names.map((name) => new NamedError(name).code);
    expect(new Set(codes).size).toBe(codes.length);
    const [, list = ''] =
      /\n\| `code` \| \|\n([\s\S]*?)\n\n/.exec(readFileSync('docs/library.md', 'utf8')) ?? [];
    const listed = [...list.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code),
    );
    const inside = new Set([...INSIDE, ...OF_COMMANDS, ...OF_FUNCTIONS]);
    expect(listed.toSorted()).toEqual(codes.filter((code) => !inside.has(code)).toSorted());
    expect(listed).toContain('LAKE_MISSING');
  });

  const CONTEXT = { rut: '219999830019', direction: 'emitidos', day: '2026-11-19' } as const;
  it.each([
    new LakeMissingError('./none'),
    new NoAnswerError(CONTEXT, 'the connection was closed', 3),
    new InvalidFilterError('FechaDesde', 'must be a calendar date YYYY-MM-DD, not 7'),
    new InvalidDayError('from must not be after to'),
    new QueryError('Parser Error: syntax error at or near "SELCT"'),
    new WrongInputError('One sentence that says what is wrong and what to do.'),
  ])('$name: has advice', (error) => {
    expect(error.advice).not.toBe('');
    expect(error.code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });
});
