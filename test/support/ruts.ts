import { rutCheckDigit } from '../../lib/companies/rut.ts';

/** So many valid RUTs, in ascending order. */
export function rutsOf(count: number): string[] {
  const ruts: string[] = [];
  for (let serial = 1; ruts.length < count; serial += 1) {
    const eleven = `21${String(serial).padStart(6, '0')}001`;
    const digit = rutCheckDigit(eleven);
    if (digit !== undefined) ruts.push(`${eleven}${digit}`);
  }
  return ruts;
}
