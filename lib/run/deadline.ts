/** With less than this left, no unit is begun and no page asked for; what was read is staged. */
const PAUSE_BEFORE_END_MS = 60_000;
/** With less than this left, all work is aborted: the audit and the answer need the time. */
const ABORT_BEFORE_END_MS = 20_000;

/** The end of an invocation. */
export interface Deadline {
  isTimeUp(): boolean;
  signal: AbortSignal;
  /** Must be called: it stops the timer. */
  close(): void;
}

/** Watches how much time an invocation has left. */
export function watchDeadline(remainingMs: () => number): Deadline {
  const abortion = new AbortController();
  const timer = setTimeout(
    () => abortion.abort(new Error('the invocation ran out of time')),
    Math.max(0, remainingMs() - ABORT_BEFORE_END_MS),
  );
  return {
    isTimeUp: () => remainingMs() < PAUSE_BEFORE_END_MS,
    signal: abortion.signal,
    close: () => clearTimeout(timer),
  };
}
