import { DIRECTIONS, type Direction } from '../../api/directions.ts';
import { DEFAULT_MAX_DETAILS_PER_UNIT, type DetailOptions } from '../../export/export-tools.ts';
import type { Option, Parsed } from '../parse-words.ts';
import { UsageError, wholeNumber } from '../usage.ts';

export const DIRECTION_OPTION = {
  direction: {
    kind: 'values',
    placeholder: 'recibidos|emitidos',
    help: 'only this direction; may be repeated (default: both)',
    choices: () => DIRECTIONS,
  },
} as const satisfies Record<string, Option>;

/** The directions that were asked for; both when none was. */
export function askedDirections(names: readonly string[] = []): Direction[] {
  return DIRECTIONS.filter((direction) => names.length === 0 || names.includes(direction));
}

export const DETAIL_OPTIONS = {
  details: {
    kind: 'values',
    placeholder: 'recibidos|emitidos',
    help: 'also read these receipts in full, one request each; may be repeated',
    choices: () => DIRECTIONS,
  },
  'max-details-per-unit': {
    kind: 'value',
    placeholder: 'N',
    help: `skip the details of days with more receipts (default ${DEFAULT_MAX_DETAILS_PER_UNIT})`,
  },
  'details-max-age-days': {
    kind: 'value',
    placeholder: 'N',
    help: 'read details again that are older (default: only when the receipt changed)',
  },
} as const satisfies Record<string, Option>;

/** What the options say of details; undefined when none are asked for. Throws UsageError. */
export function askedDetails(
  options: Parsed<typeof DETAIL_OPTIONS>,
  exported: readonly Direction[],
): DetailOptions | undefined {
  const { details: names, 'max-details-per-unit': most, 'details-max-age-days': age } = options;
  if (names === undefined) {
    if (most !== undefined || age !== undefined) {
      throw new UsageError('Details of which receipts? Add --details recibidos or --details emitidos.');
    }
    return undefined;
  }
  for (const name of names) {
    if (!exported.some((direction) => direction === name)) {
      throw new UsageError(`--details ${name} needs the list too: add --direction ${name}.`);
    }
  }
  return {
    directions: DIRECTIONS.filter((direction) => names.includes(direction)),
    maxPerUnit:
      most === undefined
        ? DEFAULT_MAX_DETAILS_PER_UNIT
        : wholeNumber('max-details-per-unit', most, 1, 10_000_000),
    maxAgeDays: age === undefined ? undefined : wholeNumber('details-max-age-days', age, 1, 36_500),
  };
}
