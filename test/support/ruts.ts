import { isValidRut, type Rut, rutCheckDigit } from '../../lib/units/rut.ts';

/** This many valid RUTs, in ascending order. */
export function rutsOf(count: number): Rut[] {
  const ruts: Rut[] = [];
  for (let serial = 1; ruts.length < count; serial += 1) {
    const eleven = `21${String(serial).padStart(6, '0')}001`;
    const rut = `${eleven}${rutCheckDigit(eleven) ?? ''}`;
    if (isValidRut(rut)) ruts.push(rut);
  }
  return ruts;
}
