import type { Value } from './parquet/writer.ts';
import type { ColumnType, Table } from './tables.ts';

const MICROS_PER_SECOND = 1_000_000n;

/** A column's value as text, exact: `-0.05`, `2026-11-19T23:59:59.123456`; null stays null. */
export function valueText(type: ColumnType, value: Value): string | null {
  if (value === null) return null;
  if (type === 'decimal(17,2)' && typeof value === 'bigint') return decimalText(value);
  if (type === 'timestamp' && typeof value === 'bigint') return timestampText(value);
  if (type === 'date' && typeof value === 'number') {
    return new Date(value * 86_400_000).toISOString().slice(0, 10);
  }
  return String(value);
}

/** A row as a JSON object of texts, by column name; nulls are left out. */
export function rowText(table: Table, values: readonly Value[]): string {
  const members = table.columns.flatMap(({ name, type }, index) => {
    const text = valueText(type, values[index] ?? null);
    return text === null ? [] : [[name, text]];
  });
  return JSON.stringify(Object.fromEntries(members));
}

function decimalText(scaled: bigint): string {
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(3, '0');
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function timestampText(micros: bigint): string {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  return fraction === 0n ? seconds : `${seconds}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}
