import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Printer, publishingProgress, startProgress } from '../../lib/cli/printer.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { addDays } from '../../lib/time/days.ts';

function newProgress(total: number, isTTY: boolean, environment: NodeJS.ProcessEnv = {}) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 90 });
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  const progress = startProgress(new Printer(stream, environment), total, clock);
  return { clock, progress, shown: () => String(stream.read() ?? '') };
}

describe('progress', () => {
  it('shows its speed, the time left and what failed, once that is meaningful', () => {
    const { clock, progress, shown } = newProgress(100, false);
    for (let done = 0; done < 10; done += 1) progress.step('0 receipts');
    expect(shown()).toBe('10/100 0 receipts\n');
    clock.ms = 4_000;
    for (let done = 0; done < 10; done += 1) progress.step('9 receipts', done < 2);
    expect(shown()).toBe('20/100 5/s · 16 s left · 2 failed · 9 receipts\n');
    clock.ms = 20_000;
    for (let done = 0; done < 80; done += 1) progress.step('99 receipts');
    expect(shown().split('\n').at(-2)).toBe('100/100 2 failed · 99 receipts');
  });

  it('counts slow work by the minute, and what is left in hours', () => {
    const { clock, progress, shown } = newProgress(1_000, false);
    clock.ms = 100 * 60_000;
    for (let done = 0; done < 100; done += 1) progress.step('one');
    expect(shown()).toContain('100/1000 1.0/min · 15.0 h left · one\n');
  });

  it('is a bar in a terminal, no wider than that', () => {
    const { clock, progress, shown } = newProgress(4, true);
    clock.ms = 4_000;
    progress.step('x'.repeat(200));
    const line = shown().split('\u001b[2K').at(-1) ?? '';
    expect(line).toMatch(/^█{8}░{22} 1\/4 15\/min · 12 s left · x+$/);
    expect(line).toHaveLength(89);
  });

  it('shows what failed in red, where colour is wanted', () => {
    const drawn = (environment: NodeJS.ProcessEnv) => {
      const { progress, shown } = newProgress(4, true, environment);
      progress.step('x'.repeat(200), true);
      return shown().split('\u001b[2K').at(-1) ?? '';
    };
    const inColour = drawn({});
    expect(inColour).toMatch(/^█{8}░{22} 1\/4 .*1 failed.* · x+$/);
    expect(inColour).toContain('\u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m');
    expect(drawn({ NO_COLOR: '1' })).toMatch(/^█{8}░{22} 1\/4 1 failed · x{43}$/);
  });

  it('is lines in CI, even where CI has a terminal', () => {
    const { progress, shown } = newProgress(2, true, { CI: 'true' });
    progress.step('one', true);
    progress.end();
    expect(shown()).toBe('1/2 1 failed · one\n');
  });
});

describe('the progress of publishing', () => {
  const shownFor = (dayCount: number) => {
    const stream = Object.assign(new PassThrough(), { isTTY: false, columns: 90 });
    const progress = publishingProgress(new Printer(stream, {}));
    for (let day = 0; day < dayCount; day += 1) {
      progress.onDayEnd({ table: RECIBIDOS, day: addDays('2026-11-19', -day) }, dayCount);
    }
    progress.end();
    return String(stream.read() ?? '');
  };

  it('is shown for many days', () => {
    const lines = shownFor(100).split('\n');
    expect(lines[0]).toBe('10/100 days of tables · recibidos 2026-11-10');
    expect(lines).toHaveLength(11);
  });

  it('is not shown for a few', () => expect(shownFor(49)).toBe(''));
});
