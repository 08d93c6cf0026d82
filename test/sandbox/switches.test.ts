import { parseArgs } from 'node:util';
import { describe, expect, it } from 'vitest';
import { behaviourFromSwitches, SANDBOX_SWITCHES, SandboxSwitchError } from '../../sandbox/behaviour.ts';

const OPTIONS = Object.fromEntries(SANDBOX_SWITCHES.map(({ flag }) => [flag, { type: 'string' as const }]));

function parsed(...args: string[]) {
  return behaviourFromSwitches(parseArgs({ args, options: OPTIONS, strict: true }).values);
}

it('no switches leave the behaviour as it is', () => {
  expect(parsed()).toEqual({});
});

it('every default can be given, except those that stand for nothing', () => {
  for (const { key, standing, flag } of SANDBOX_SWITCHES) {
    if (typeof standing === 'object' || standing === '') continue;
    const said = standing === true ? 'on' : String(standing);
    expect(parsed(`--${flag}=${said}`), flag).toEqual({ [key]: standing });
  }
});

describe('switches set', () => {
  it.each([
    ['--page-cap=50', { pageCap: 50 }],
    ['--past-end=404', { pastEnd: '404' }],
    ['--order=signature-desc', { order: 'signature-desc' }],
    ['--page-parameter-ignored=one', { pageParameterIgnored: 'one' }],
    ['--late-arrivals=off', { lateArrivals: false }],
    ['--status-flips=on', { statusFlips: true }],
    ['--empty-page=3', { emptyPage: { page: 3, when: 'once' } }],
    ['--short-page=2:always', { shortPage: { page: 2, when: 'always' } }],
    ['--remove-rows=5:10:middle', { removeRows: { afterListRequests: 5, count: 10, position: 'middle' } }],
    ['--hang-every=7', { hangEvery: 7 }],
    ['--rate-limit=0.5', { rateLimit: 0.5 }],
    ['--fault-target=*:*:*', { faultTarget: {} }],
    [
      '--failing-day=214844360018:emitidos:2026-11-19',
      { failingDay: { rut: '214844360018', direction: 'emitidos', day: '2026-11-19' } },
    ],
    ['--failing-day=*:*:2026-11-19', { failingDay: { day: '2026-11-19' } }],
    ['--max-range-days=31', { maxRangeDays: 31 }],
    ['--over-range=400', { overRange: '400' }],
    ['--over-range=last', { overRange: 'last' }],
    ['--result-window=1000', { resultWindow: 1000 }],
  ])('%s', (argument, behaviour) => {
    expect(parsed(argument)).toEqual(behaviour);
  });

  it('several keys at once', () => {
    expect(parsed('--page-cap', '7', '--hang-every', '3')).toEqual({ pageCap: 7, hangEvery: 3 });
  });
});

describe('an invalid value is an error that says what to write', () => {
  it.each([
    '--page-cap=0',
    '--page-cap=ten',
    '--order=date',
    '--late-arrivals=maybe',
    '--empty-page=0',
    '--empty-page=2:often',
    '--remove-rows=5:10',
    '--failing-day=2026-11-19',
    '--failing-day=1:emitidos:2026-11-19',
    '--failing-day=*:issued:2026-11-19',
    '--failing-day=*:*:2026-02-30',
    '--rate-limit=-1',
    '--max-range-days=-1',
    '--over-range=502',
    '--result-window=all',
  ])('%s', (argument) => {
    const flag = argument.split('=')[0] ?? '';
    const value = SANDBOX_SWITCHES.find((one) => `--${one.flag}` === flag)?.value ?? '';
    const failing = () => parsed(argument);
    expect(failing).toThrow(SandboxSwitchError);
    expect(failing).toThrow(`${flag} ${argument.slice(flag.length + 1)}: write ${value}`);
  });
});
