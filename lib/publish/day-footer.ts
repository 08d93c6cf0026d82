import { createHash } from 'node:crypto';

/**
 * Which units a day object holds, in its footer: of each its company, a mark of its bytes and the number of its rows,
 * some 27 bytes.
 */

const UNITS = 'cfe-lake.units';

/** A unit as a day object took it in. */
export interface PublishedUnit {
  /** See `shortFingerprint`. */
  fingerprint: string;
  rowCount: number;
}

/** By RUT. */
export type PublishedUnits = ReadonlyMap<string, PublishedUnit>;

const UNIT = /^(\d{12})([\w-]{12})(\d{1,9})$/;

/** 72 bits of what a store tells of an object's bytes. */
export function shortFingerprint(fingerprint: string): string {
  return createHash('sha256').update(fingerprint).digest('base64url').slice(0, 12);
}

/** The footer's pairs; the same units give the same, in whatever order they came. */
export function footerOf(units: PublishedUnits): Record<string, string> {
  const sorted = [...units].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    [UNITS]: sorted.map(([rut, { fingerprint, rowCount }]) => `${rut}${fingerprint}${rowCount}`).join(' '),
  };
}

/** Undefined where no publication wrote it. */
export function unitsInFooter(metadata: Readonly<Record<string, string>>): PublishedUnits | undefined {
  const text = metadata[UNITS];
  if (text === undefined) return undefined;
  const units = new Map<string, PublishedUnit>();
  for (const word of text.split(' ')) {
    const [, rut, fingerprint, rowCount] = UNIT.exec(word) ?? [];
    if (rut === undefined || fingerprint === undefined) return undefined;
    units.set(rut, { fingerprint, rowCount: Number(rowCount) });
  }
  return units;
}
