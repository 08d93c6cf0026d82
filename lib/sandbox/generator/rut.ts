import { rutCheckDigit } from '../../companies/rut.ts';

/** RUTs of invented companies: valid check digits, and no two alike. */

const PREFIXES = 22;
const BODIES = 499_999;
const SPACE = PREFIXES * BODIES;
/** A prime beyond the space: multiplying by it scatters neighbours and keeps them apart. */
const SCATTER = 15_485_863;

/** The RUT with this serial number, 0 to some ten million; different serials give different RUTs. */
export function inventedRut(serial: number): string {
  const scattered = Number((BigInt(serial) * BigInt(SCATTER)) % BigInt(SPACE));
  const prefix = String(1 + (scattered % PREFIXES)).padStart(2, '0');
  const body = 2 * (1 + Math.floor(scattered / PREFIXES));
  const even = `${prefix}${String(body).padStart(6, '0')}001`;
  const checkDigit = rutCheckDigit(even);
  if (checkDigit !== undefined) return `${even}${checkDigit}`;
  // The neighbour's sum differs by 5 modulo 11, so it has a check digit when this one has none.
  const odd = `${prefix}${String(body + 1).padStart(6, '0')}001`;
  return `${odd}${rutCheckDigit(odd)}`;
}
