/** A signal that comes with the first of both. */
export function bothSignals(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a !== undefined && b !== undefined ? AbortSignal.any([a, b]) : (a ?? b);
}
