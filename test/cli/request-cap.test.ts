import { beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { mostWithin, sentTimes } from '../support/api/sent-times.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { allCommands } from '../support/program/commands.ts';
import { runMain } from '../support/program/run-main.ts';
import { sharedSandbox } from '../support/sandbox.ts';
import { clockWithoutWaits } from '../workflow/clock-without-waits.ts';

const PER_SECOND = 2;
const MOST = 10 * PER_SECOND + 1;
const RUT = '219999830019';
const DAY = '2026-11-19';
let sentMs: number[];

const sandbox = await sharedSandbox({ now: '2026-11-20T23:00:00', receiptsPerDay: 150 });

beforeEach(() => {
  const clock = clockWithoutWaits();
  vi.spyOn(systemClock, 'now').mockImplementation(clock.now);
  vi.spyOn(systemClock, 'monotonicMs').mockImplementation(clock.monotonicMs);
  const { sleep } = systemClock;
  vi.spyOn(systemClock, 'sleep').mockImplementation((delayMs, signal, isInBackground) =>
    // The beat of the folder's lock would outrun everything else.
    isInBackground === true ? sleep(delayMs, signal, true) : clock.sleep(delayMs, signal),
  );
  sentMs = sentTimes(systemClock);
});

const run = (...words: string[]) =>
  runMain(...words, '--api', sandbox.url, '--max-requests-per-second', String(PER_SECOND));

describe('--max-requests-per-second', () => {
  it('is kept by export, verify and missing, for all companies together', async () => {
    const lake = newFolder();
    expect(await run('export', '--date', DAY, '--lake', lake)).toMatchObject({ code: 0 });
    expect(sentMs.length).toBeGreaterThan(MOST);
    expect(await run('verify', '--date', DAY, '--lake', lake)).toMatchObject({ code: 0 });
    const days = ['--from', '2026-11-18', '--to', DAY];
    expect(await run('missing', ...days, '--export', '--lake', lake)).toMatchObject({ code: 0 });
    expect(sentMs.length).toBeGreaterThan(3 * MOST);
    expect(mostWithin(10_000, sentMs)).toBeLessThanOrEqual(MOST);
  });

  it('is kept by probe, list and show, from one command to the next', async () => {
    const [receipt] = sandbox.truth(RUT, 'emitidos', DAY);
    const probed = ['probe', '--rut', RUT, '--date', DAY, '--out', `${newFolder()}/probe.json`];
    expect(await run(...probed)).toMatchObject({ code: 0 });
    expect(sentMs.length).toBeGreaterThan(MOST);
    for (let time = 0; time < 5; time += 1) {
      const listed = ['list', 'emitidos', '--rut', RUT, '--date', DAY, '--limit', '200'];
      expect(await run(...listed)).toMatchObject({ code: 0 });
      expect(await run('show', 'emitidos', String(receipt?.id), '--rut', RUT)).toMatchObject({ code: 0 });
    }
    expect(mostWithin(10_000, sentMs)).toBeLessThanOrEqual(MOST);
  });

  it('belongs to every command that asks the API', async () => {
    const commands = await allCommands();
    const askingNames = commands.flatMap(({ name, options }) =>
      'request-timeout-ms' in options ? [name] : [],
    );
    const cappedNames = commands.flatMap(({ name, options }) =>
      'max-requests-per-second' in options ? [name] : [],
    );
    expect(cappedNames).toEqual(askingNames);
    expect(cappedNames).toEqual(
      expect.arrayContaining(['export', 'verify', 'probe', 'list', 'show', 'missing']),
    );
  });
});
