/**
 * A token bucket that holds one second's worth and fills steadily. Returns, for each request, the seconds until the
 * next one would be let through; 0: this one is.
 * @param perSecond requests a second; 0: no limit
 * @param nowMs a clock that never goes back
 */
export function rateLimit(perSecond: number, nowMs: () => number): () => number {
  if (perSecond <= 0) return () => 0;
  const capacity = Math.max(1, perSecond);
  let filled = capacity;
  let at = nowMs();
  return () => {
    const now = nowMs();
    filled = Math.min(capacity, filled + ((now - at) * perSecond) / 1000);
    at = now;
    if (filled < 1) return (1 - filled) / perSecond;
    filled--;
    return 0;
  };
}
