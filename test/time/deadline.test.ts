import { beforeEach, describe, expect, it, vi } from 'vitest';
import { watchDeadline } from '../../lib/time/clock.ts';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());

function watch(limitMs: number) {
  const endMs = Date.now() + limitMs;
  return watchDeadline(() => endMs - Date.now());
}

describe('watchDeadline', () => {
  it('lets work begin until a minute is left, and go on until twenty seconds are', () => {
    const deadline = watch(15 * MINUTE);
    expect(deadline.isTimeUp()).toBe(false);
    vi.advanceTimersByTime(14 * MINUTE);
    expect(deadline.isTimeUp()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.isTimeUp()).toBe(true);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(40_000);
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.signal.reason).toMatchObject({ message: 'the invocation ran out of time' });
  });

  it('leaves no timer behind when it is closed', () => {
    const deadline = watch(15 * MINUTE);
    deadline.close();
    vi.advanceTimersByTime(20 * MINUTE);
    expect(deadline.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts immediately when there is hardly any time', () => {
    const deadline = watch(10_000);
    expect(deadline.isTimeUp()).toBe(true);
    vi.advanceTimersByTime(0);
    expect(deadline.signal.aborted).toBe(true);
  });
});
