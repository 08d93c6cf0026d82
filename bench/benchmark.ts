/** A row of the table in docs/benchmarks.md. */
export interface Line {
  target: string;
  /** The measured value with its unit, and what it is compared to. */
  measured: string;
  /** Measured ÷ limit, or another figure that the target bounds. */
  ratio: string;
  /** Undefined: the row is a comparison, without a target. */
  isMet?: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export function megabytes(mb: number): string {
  return `${mb.toFixed(0)} MB`;
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** A line whose target is an upper bound of measured ÷ limit. */
export function atMost(bound: number, ratio: number, target: string, measured: string): Line {
  return { target, measured, ratio: `${ratio.toFixed(2)} (≤ ${bound.toFixed(2)})`, isMet: ratio <= bound };
}
