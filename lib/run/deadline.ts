/** No unit is begun and no page asked for when less than this is left: what was read so far is then staged. */
const PAUSE_BEFORE_END_MS = 60_000;
/** Whatever is still under way is given up when less than this is left: the audit and the answer need it. */
const ABORT_BEFORE_END_MS = 20_000;

/** The end of an invocation, as the work in it sees it. */
export interface Deadline {
  isTimeUp(): boolean;
  signal: AbortSignal;
  /** Has to be called: it stops the timer. */
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
