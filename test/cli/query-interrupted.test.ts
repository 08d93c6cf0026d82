import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLake } from '../../lib/query/open-lake.ts';
import { ask } from '../../lib/query/question.ts';
import { campaign } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runUntil } from '../support/program/run-main.ts';
import { endOf, startProgram } from '../support/program/run-program.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';

/** Takes minutes. */
const LONG =
  'SELECT count(*) FROM recibidos, range(500000) a, range(500000) b WHERE (a.range * b.range) % 7 = 3';
/** All is sorted in one step, before which DuckDB forgets that it was told to stop. */
const SORTED =
  'SELECT max(x) FROM (SELECT hash(range) AS x, row_number() OVER (ORDER BY x) FROM range(50000000))';
const INTERRUPTED = /Interrupted: .* as it was before\. Run the command again to go on\.$/;

let lake: string;
let temporary: string;
beforeEach(async () => {
  lake = await madeLakeFolder({ recibidos: [{ fecha: '2026-11-18', id: 1, rut: '219999830019' }] });
  temporary = newFolder();
  vi.stubEnv('TMPDIR', temporary);
});

/** Whether DuckDB has all tables: the question comes next. */
function isAsked(): boolean {
  const [scratch] = readdirSync(temporary).filter((name) => name.startsWith('cfe-lake-query-'));
  return (
    scratch !== undefined &&
    existsSync(join(temporary, scratch, 'lake')) &&
    !existsSync(join(temporary, scratch, 'stubs'))
  );
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate();
}

/** Sends a Ctrl-C to a question once it is time, which ends as interrupted, without an answer. */
async function interruptedOnce(isTime: () => boolean, ...words: string[]): Promise<void> {
  const interruption = new AbortController();
  const ended = runUntil(interruption.signal, 'query', ...words, '--lake', lake);
  await until(isTime);
  interruption.abort(new Error('interrupted'));
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout, stderr: stderr.trim() }).toEqual({
    code: 130,
    stdout: '',
    stderr: expect.stringMatching(INTERRUPTED),
  });
}

describe('Ctrl-C ends a question, and nothing of it stays', () => {
  it.each([[['--format', 'csv']], [['--format', 'parquet', '--out', 'answer.parquet']]])(
    'while DuckDB works (%j)',
    async (words) => {
      await interruptedOnce(isAsked, LONG, ...words);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  it.each(['csv', 'json', 'txt'])('while the text of its answer is written, answer.%s', async (format) => {
    const folder = newFolder();
    const sql = "SELECT range AS id, repeat('x', 200) AS texto FROM range(100000)";
    const isBegun = () => readdirSync(folder).length > 0;
    await interruptedOnce(isBegun, sql, '--out', join(folder, `answer.${format}`));
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([LONG, SORTED])('just before DuckDB begins to work: %s', async (sql) => {
    const interruption = new AbortController();
    const opened = await openLake(lake, [sql], {}, { signal: interruption.signal });
    onTestFinished(() => opened.close());
    const interrupt = vi.spyOn(opened.connection, 'interrupt');
    const answer = ask(opened, sql);
    interruption.abort(new Error('interrupted'));
    // At once: a second Ctrl-C, which may follow in a millisecond, exits when DuckDB's work has ended.
    expect(interrupt).toHaveBeenCalledOnce();
    await expect(answer).rejects.toThrow('Interrupted');
  });

  it.each(campaign({ quick: [2], long: [1, 2] }))(
    'of SQL on standard input, sent %i times',
    async (times) => {
      const child = startProgram(['query', '-', '--lake', lake], temporary, { TMPDIR: temporary });
      onTestFinished(() => void child.kill('SIGKILL'));
      child.stdin?.end(LONG);
      await until(isAsked);
      for (let time = 0; time < times; time += 1) child.kill('SIGINT');
      // The second ends the program as it ends any.
      const { code } = await endOf(child);
      expect([130, 'SIGINT']).toContain(child.signalCode ?? code);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'also where DuckDB looks at no interruption: by the second one',
    async () => {
      // Of a column, else it would be found before anything is asked.
      const stuck = `SELECT levenshtein(repeat('a', 300000 + id::INTEGER % 2), repeat('b', 300000)) FROM recibidos`;
      const child = startProgram(['query', stuck, '--lake', lake], temporary, { TMPDIR: temporary });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ticks = () => Number(readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ')[13]);
      await until(isAsked);
      const begun = ticks();
      await until(() => ticks() > begun + 50);
      child.kill('SIGINT');
      child.kill('SIGTERM');
      const { code } = await endOf(child);
      expect([130, 'SIGINT', 'SIGTERM']).toContain(child.signalCode ?? code);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});
