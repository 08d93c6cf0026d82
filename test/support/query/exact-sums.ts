/** Exact sums by group, computed as SQL does, to compare the answers of queries with. */

/** A JSON number, or the text of one too long for a double, times 10^scale. */
export function scaled(value: number | string | undefined, scale: number): bigint {
  const [whole = '', fraction = ''] = String(value ?? 0).split('.');
  if (!/^-?\d+$/.test(whole) || fraction.length > scale) throw new RangeError(`${value} has another form`);
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** The sum, ignoring nulls; null if there are only nulls. */
export function sumOf(amounts: readonly (bigint | null)[]): bigint | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0n);
}

export type TextRow = (string | null)[];

/** One row for each key: the key, and values computed from its items. */
export function rowsBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => TextRow,
  valuesOf: (members: readonly Item[]) => TextRow,
): TextRow[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(keyOf(item)));
  return [...groups].map(([key, members]) => [...(JSON.parse(key) as TextRow), ...valuesOf(members)]);
}

export function centsText(cents: bigint | null): string | null {
  return decimalText(cents, 2);
}

/** As a cell of a workbook reads: Excel's numbers hold 15 digits, more stand there as text. */
export function cellText(cents: bigint | null): string | null {
  const text = centsText(cents);
  if (text === null) return null;
  const digits = text.replaceAll(/[-.]/g, '').replaceAll(/^0+|0+$/g, '');
  return digits.length <= 15 ? String(Number(text)) : text;
}

export function millisText(thousandths: bigint | null): string | null {
  return decimalText(thousandths, 3);
}

function decimalText(value: bigint | null, scale: number): string | null {
  if (value === null) return null;
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The rows as sorted texts, to compare them in any order. */
export function unordered(rows: readonly (readonly (string | null)[])[]): string[] {
  return rows.map((row) => row.map(String).join(' | ')).sort();
}
