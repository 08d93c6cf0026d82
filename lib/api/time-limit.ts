/** The time that a request may take, and the caller's wish to give it up, as one signal. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Whether the time was up; false when the caller gave up first. */
  isOver(): boolean;
  /** To be called when the request has ended: leaves no timer and no listener behind. */
  end(): void;
}

/**
 * AbortSignal.timeout and AbortSignal.any would do, but live on until the time is up: with 30 seconds and some
 * thousand requests a second that is a hundred megabytes, and it doubles the time of a request on loopback.
 */
export function startTimeLimit(timeoutMs: number, caller: AbortSignal | undefined): TimeLimit {
  const stop = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    stop.abort();
  }, timeoutMs);
  const onAbort = () => stop.abort(caller?.reason);
  caller?.addEventListener('abort', onAbort, { once: true });
  if (caller?.aborted) onAbort();
  return {
    signal: stop.signal,
    isOver: () => isOver,
    end: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
