import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTimeLimit } from '../../lib/api/time-limit.ts';

describe('the time limit of a request', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('aborts when the time is up, and says so', async () => {
    const limit = startTimeLimit(500, undefined);
    await vi.advanceTimersByTimeAsync(499);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([true, true]);
  });

  it('aborts when the caller gives up, with the reason, and then was not the time', () => {
    const caller = new AbortController();
    const limit = startTimeLimit(500, caller.signal);
    caller.abort(new Error('enough'));
    expect([limit.signal.aborted, limit.isOver()]).toEqual([true, false]);
    expect(limit.signal.reason).toEqual(new Error('enough'));
  });

  it('has aborted already when the caller gave up before', () => {
    const limit = startTimeLimit(500, AbortSignal.abort());
    expect([limit.signal.aborted, limit.isOver()]).toEqual([true, false]);
  });

  it('leaves no timer and no listener behind, and aborts no more', async () => {
    const caller = new AbortController();
    const limit = startTimeLimit(500, caller.signal);
    expect([vi.getTimerCount(), getEventListeners(caller.signal, 'abort').length]).toEqual([1, 1]);
    limit.end();
    expect([vi.getTimerCount(), getEventListeners(caller.signal, 'abort').length]).toEqual([0, 0]);
    caller.abort();
    await vi.advanceTimersByTimeAsync(1000);
    expect([limit.signal.aborted, limit.isOver()]).toEqual([false, false]);
  });
});
