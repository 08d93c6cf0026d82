import type { Value } from '../../../lib/lake/parquet/writer.ts';
import { DETAIL_TABLE_OF } from '../../../lib/lake/tables.ts';
import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';

/**
 * The row that the lake should hold for a detail, made without the exporter's decoding: the contract's columns by name,
 * JSON as values whose numbers are their digits as text.
 */
export function expectedDetail(receipt: SandboxReceipt, text: string): Record<string, unknown> {
  const wire = parsedWithDigits(text);
  const { columns } = DETAIL_TABLE_OF[receipt.direction];
  const row: Record<string, unknown> = {};
  for (const { name, type, path } of columns) {
    if (path === undefined) continue;
    const value = wire[name] ?? null;
    row[name] =
      value === null
        ? null
        : type === 'timestamp'
          ? microsOf(String(value))
          : type === 'int64'
            ? BigInt(digitsOf(value))
            : type === 'int32'
              ? Number(digitsOf(value))
              : value;
  }
  return { ...row, rut: receipt.rut, motivo: null, visto_por_ultima_vez: null };
}

/** The columns of a stored row that `expectedDetail` has, with JSON parsed in the same way. */
export function comparableDetail(
  receipt: SandboxReceipt,
  row: Readonly<Record<string, Value>>,
): Record<string, unknown> {
  const { columns } = DETAIL_TABLE_OF[receipt.direction];
  const named = columns.filter(
    ({ name, path }) => path !== undefined || ['rut', 'motivo', 'visto_por_ultima_vez'].includes(name),
  );
  return Object.fromEntries(
    named.map(({ name, type }) => {
      const value = row[name] ?? null;
      return [name, type === 'json' && value !== null ? parsedWithDigits(String(value)) : value];
    }),
  );
}

/** JSON with every number as the text `#` and its digits, or as its digits alone if a double may not hold it. */
export function parsedWithDigits(text: string): Record<string, unknown> {
  const quoted = text.replace(/("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)/g, (_, string, number) =>
    string === undefined ? `"${isLong(number) ? '' : '#'}${number}"` : string,
  );
  return JSON.parse(quoted);
}

function isLong(number: string): boolean {
  return /[eE]/.test(number) || number.replace(/^-?0*\.?0*/, '').replace('.', '').length > 15;
}

function digitsOf(value: unknown): string {
  return String(value).replace('#', '');
}

function microsOf(dateTime: string): bigint {
  const [seconds = '', fraction = ''] = dateTime.split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}
