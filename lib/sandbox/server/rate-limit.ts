/** A token bucket per key that holds one second's worth and fills steadily. */
export interface RateLimit {
  /** Seconds until the next request would be let through; 0: this one is. */
  take(key: string): number;
}

/**
 * @param perSecond requests a second; 0: no limit
 * @param nowMs a clock that never goes back
 */
export function rateLimit(perSecond: number, nowMs: () => number): RateLimit {
  if (perSecond <= 0) return { take: () => 0 };
  const capacity = Math.max(1, perSecond);
  const buckets = new Map<string, { filled: number; at: number }>();
  return {
    take(key) {
      const now = nowMs();
      const bucket = buckets.get(key) ?? { filled: capacity, at: now };
      buckets.set(key, bucket);
      bucket.filled = Math.min(capacity, bucket.filled + ((now - bucket.at) * perSecond) / 1000);
      bucket.at = now;
      if (bucket.filled < 1) return (1 - bucket.filled) / perSecond;
      bucket.filled--;
      return 0;
    },
  };
}
