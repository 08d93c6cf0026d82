/** A JSON number, or the text of one that is too long for a double, as a whole number of its `scale`-th decimals. */
export function scaled(value: number | string | undefined, scale: number): bigint {
  const [whole = '', fraction = ''] = String(value ?? 0).split('.');
  if (!/^-?\d+$/.test(whole) || fraction.length > scale) throw new RangeError(`${value} has another form`);
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** Sums of several amounts by key, and how many were added. */
export class Sums {
  private readonly groups = new Map<
    string,
    { key: readonly string[]; count: number; sums: (bigint | null)[] }
  >();
  private readonly width: number;

  constructor(width: number) {
    this.width = width;
  }

  /** As SQL does: null adds nothing, and only nulls give null. */
  add(key: readonly string[], amounts: readonly (bigint | null)[]): void {
    const name = key.join('\t');
    const group = this.groups.get(name) ?? { key, count: 0, sums: new Array(this.width).fill(null) };
    group.count += 1;
    group.sums = group.sums.map((sum, index) => {
      const amount = amounts[index] ?? null;
      return amount === null ? sum : (sum ?? 0n) + amount;
    });
    this.groups.set(name, group);
  }

  /** The key, how many, and the sums as `text` gives them. */
  rows(
    text: (sums: readonly (bigint | null)[]) => (string | null)[],
    count?: (key: readonly string[]) => string,
  ): (string | null)[][] {
    return [...this.groups.values()].map((group) => [
      ...group.key,
      count?.(group.key) ?? String(group.count),
      ...text(group.sums),
    ]);
  }
}

export function centsText(cents: bigint | null | undefined): string | null {
  return decimalText(cents, 2);
}

export function millisText(thousandths: bigint | null | undefined): string | null {
  return decimalText(thousandths, 3);
}

function decimalText(value: bigint | null | undefined, scale: number): string | null {
  if (value === null || value === undefined) return null;
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
