import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { always, status429 } from '../support/api/faults.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { newSandbox } from '../support/sandbox.ts';

it.each([undefined, '45'])(
  'export tells that the API refuses all requests, and goes on once it does not (Retry-After %s)',
  async (retryAfter) => {
    const sandbox = await newSandbox({ receiptsPerDay: 2, companyCount: 2 });
    const folder = newFolder();
    const file = join(folder, 'companies.json');
    const companies = sandbox.companies.map(({ rut, token }) => ({ rut, token }));
    writeFileSync(file, JSON.stringify({ api: sandbox.url, companies }), { mode: 0o600 });
    let passedMs = 0;
    let longWaits = 0;
    vi.spyOn(systemClock, 'monotonicMs').mockImplementation(() => performance.now() + passedMs);
    vi.spyOn(systemClock, 'sleep').mockImplementation(async (delayMs) => {
      await new Promise(setImmediate);
      passedMs += delayMs;
      if (delayMs >= 30_000) longWaits += 1;
      if (longWaits === 3) sandbox.behave({ intercept: DEFAULT_BEHAVIOUR.intercept });
    });
    sandbox.behave({ intercept: always(status429(retryAfter)) });
    const words = ['--lake', join(folder, 'lake'), '--companies', file, '--last', '2'];
    const { code, stderr } = await runMain('export', ...words);
    expect(stderr).toMatch(
      /the API asks for fewer requests \(status 429\)\. Asking again in (30|45) s \(1 of/,
    );
    expect(code).toBe(0);
  },
);
