const POWERS = [1n, 10n, 100n, 1_000n, 10_000n, 100_000n, 1_000_000n] as const;
const FRACTIONS = Array.from({ length: 100 }, (_, cents) =>
  cents === 0 ? '' : `.${String(cents).padStart(2, '0').replace(/0$/, '')}`,
);
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Cents as a JSON number without trailing zeros (`617.5`), exact at any length; `null` for none. */
export function amountText(cents: bigint | null): string {
  if (cents === null) return 'null';
  if (cents > SAFE || cents < -SAFE) return decimalText(cents, 2);
  const number = Number(cents);
  const absolute = number < 0 ? -number : number;
  return `${number < 0 ? '-' : ''}${Math.floor(absolute / 100)}${FRACTIONS[absolute % 100]}`;
}

/** A whole number of tenths, hundredths, … (`scale` digits) as a JSON number without trailing zeros. */
export function decimalText(value: bigint, scale: number): string {
  const power = POWERS[scale] ?? 10n ** BigInt(scale);
  const absolute = value < 0n ? -value : value;
  const fraction = (absolute % power).toString().padStart(scale, '0').replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${absolute / power}${fraction === '' ? '' : `.${fraction}`}`;
}
