import { beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';

describe("the system's clock", () => {
  beforeEach(() => void vi.useFakeTimers());

  it('sleeps for as long as it is told', async () => {
    let isAwake = false;
    const startedAtMs = systemClock.now();
    const sleep = systemClock.sleep(500).then(() => {
      isAwake = true;
    });
    await vi.advanceTimersByTimeAsync(499);
    expect(isAwake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
    expect(systemClock.now() - startedAtMs).toBe(500);
  });

  it('wakes at once when the signal comes, with its reason, and leaves no timer', async () => {
    const abort = new AbortController();
    const sleep = systemClock.sleep(60_000, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not sleep at all after the signal', async () => {
    await expect(systemClock.sleep(60_000, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});
