import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { askedDays } from '../../lib/cli/options/units.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';

/** Still the 20th in Uruguay, though the 21st in UTC. */
const NOW_MS = Date.parse('2026-11-21T02:59:59Z');
const RUT = '219999830019';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS }));

function asked(options: Parameters<typeof askedDays>[0]) {
  const stderr = new PassThrough();
  const days = askedDays(options, NOW_MS, { stderr: new Printer(stderr) });
  return { days, note: String(stderr.read() ?? '') };
}

it('the last days end with yesterday in Uruguay', () => {
  expect(asked({ last: 3 }).days).toEqual(['2026-11-17', '2026-11-18', '2026-11-19']);
  expect(asked({ last: 1 })).toEqual(asked({}));
});

describe('days to come', () => {
  it.each([{ date: '2026-11-21' }, { from: '2026-11-21', to: '2026-11-30' }])(
    '%j: is refused, with what to type instead',
    (options) => {
      expect(() => asked(options)).toThrow(
        /^2026-11-21 is in the future: today is 2026-11-20 in Uruguay\. .*--from 2026-11-20 --to 2026-11-(21|30)/,
      );
    },
  );

  it('may be the end of a range, up to 60 days ahead, and a note says so', () => {
    const { days, note } = asked({ from: '2026-11-20', to: '2027-01-19' });
    expect({ days: days.length, last: days.at(-1) }).toEqual({ days: 61, last: '2027-01-19' });
    expect(note).toBe(
      'Note: 2027-01-19 is in the future (today is 2026-11-20 in Uruguay): such days have only receipts dated ahead.\n',
    );
    expect(() => asked({ from: '2026-11-20', to: '2027-01-20' })).toThrow(/more than 60 days ahead/);
  });

  it.each([
    { words: ['list', 'emitidos', '--rut', RUT, '--month', '2026-12'] },
    { words: ['query', 'SELECT 1', '--from', '2026-11-21', '--lake', '.'] },
  ])('$words: are looked up, and a note says so', async ({ words }) => {
    const { code, stderr } = await runMain(...words.map((word) => (word === '.' ? newFolder() : word)));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Note: 2026-1[-\d]+ is in the future \(today is 2026-11-20 in Uruguay\):/);
  });
});
