import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { uiValues } from '../../lib/query/named-queries.ts';

const PROJECT = new URL('../../', import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, PROJECT), 'utf8');

/** The newest year that the queries know. */
const NEWEST = Math.max(...uiValues().map(([year]) => year));

function checked(...words: string[]) {
  const script = fileURLToPath(new URL('scripts/check-dates.ts', PROJECT));
  const { status, stdout, stderr } = spawnSync(execPath, [script, ...words], { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

describe('check:dates', () => {
  it.each([`${NEWEST}-01-01`, `${NEWEST}-11-30`])('misses nothing on %s', (day) => {
    expect(checked(day)).toEqual({ code: 0, stdout: `Nothing is missing on ${day}.\n`, stderr: '' });
  });

  it.each([`${NEWEST}-12-01`, `${NEWEST}-12-31`])('says on %s what is missing', (day) => {
    const { code, stdout, stderr } = checked(day);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      `Needed from ${NEWEST + 1}-01-01: lib/query/named/_vigente.sql has no UI of ${NEWEST + 1}`,
    );
  });

  it.each([`${NEWEST + 1}-01-01`, `${NEWEST + 3}-12-01`])('fails on %s', (day) => {
    const { code, stderr } = checked(day);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `has no UI of ${day.slice(0, 4)}, and judges its e-Tickets with the UI of ${NEWEST}`,
    );
  });

  it.each(['2026-02-30', ''])('refuses %j', (day) => {
    expect(checked(day)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a day') });
  });

  it('knows the years of its page', () => {
    const page = textOf('docs/e-tickets.md');
    for (const [year, value] of uiValues())
      expect(page).toContain(`| ${year} | ${value.replace('.', ',')} |`);
  });
});
