import { execPath } from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { Answerer } from '../../lib/cli/mcp/answerer.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';

it.skipIf(process.platform === 'win32').each([
  ['/nowhere/node', 'ENOENT'],
  ['false', 'it ended before it began'],
])('says that no process could be started, and asks another the next time: %s', async (program, why) => {
  const lake = await madeLakeFolder(
    { recibidos: [{ fecha: '2026-11-18', id: 1, rut: '219999830019' }] },
    sharedFolder(),
  );
  const answerer = new Answerer(60_000);
  onTestFinished(() => {
    process.execPath = execPath;
    answerer.close();
  });
  const answer = () =>
    answerer.answer({ lake, name: 'sql', given: { sql: 'SELECT 1 AS one' } }, new AbortController().signal);
  process.execPath = program;
  expect(await answer()).toEqual({
    isError: true,
    text: expect.stringMatching(`^The process that answers could not be started: .*${why}\\. `),
  });
  process.execPath = execPath;
  expect(await answer()).toMatchObject({ isError: false, text: expect.stringContaining('[{"one":1}]') });
});
