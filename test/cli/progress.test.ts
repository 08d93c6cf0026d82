import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Printer } from '../../lib/cli/printer.ts';
import { exportProgress, startProgress } from '../../lib/cli/progress.ts';
import type { Direction, Unit } from '../../lib/units/unit.ts';

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

  it('is a bar in a terminal, no wider than that', () => {
    const { clock, progress, shown } = newProgress(4, true);
    clock.ms = 4_000;
    progress.step('x'.repeat(200));
    const line = shown().split('\u001b[2K').at(-1) ?? '';
    expect(line).toMatch(/^█{8}░{22} 1\/4 15\/min · 12 s left · x+$/);
    expect(line).toHaveLength(89);
  });
});

describe('the progress of an export with details', () => {
  const unitOf = (direction: Direction): Unit => ({ rut: '219999830019', direction, day: '2026-11-19' });
  const [first, second] = [unitOf('recibidos'), unitOf('emitidos')];
  const NO_REQUESTS = {
    state: 'exportado',
    conversionErrors: 0,
    bytes: 0,
    pages: 0,
    requests: 0,
    retries: 0,
  } as const;
  const TIMES = { startedAt: '2026-11-20 02:00:00', endedAt: '2026-11-20 02:00:01' };
  const ended = (unit: Unit, receipts: number) => ({
    ...unit,
    ...NO_REQUESTS,
    ...TIMES,
    receipts,
  });
  const shownBy = (isTTY: boolean) => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 140 });
    const clock = { ms: 0, monotonicMs: () => clock.ms };
    const progress = exportProgress(new Printer(stream, {}), 2, clock);
    return { clock, progress, shown: () => String(stream.read() ?? '') };
  };
  const last = (text: string) => text.split('\u001b[2K').at(-1) ?? '';

  it('counts receipts and details, and what an interruption keeps', () => {
    const { clock, progress, shown } = shownBy(true);
    clock.ms = 4_000;
    progress.onUnitEnd(ended(first, 12));
    expect(last(shown())).toMatch(/^█{15}░{15} 1\/2 15\/min · 4 s left · 12 receipts so far · /);
    for (let read = 1; read <= 600; read += 1) {
      clock.ms += 25;
      progress.onDetailRead(second);
    }
    const text = shown();
    expect(last(text)).toMatch(/ · 12 receipts, 600 details so far · 2026-11-19 emitidos of /);
    // Drawn ten times a second, not for each detail.
    expect(text.split('\u001b[2K')).toHaveLength(151);
    expect(progress.keptText()).toBe(
      'Kept 1 of 2 company-days, and 600 details of others, which need not be read again.',
    );
    progress.onUnitEnd(ended(second, 3_000));
    expect(progress.keptText()).toBe('Kept 2 of 2 company-days.');
  });
});
