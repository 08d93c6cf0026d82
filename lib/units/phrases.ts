import { inBoth } from '../text/language.ts';

/** What is wrong with a RUT, as the end of a sentence. */
const en = {
  digits: () => 'it must be 12 digits, without dots, dashes or spaces',
  shape: () => 'it must be 01 to 22, a number other than 000000, 001 and the check digit',
  checkDigit: () => 'its check digit is wrong; look for a typing error',
};
const es: typeof en = {
  digits: () => 'lleva 12 dígitos, sin puntos, guiones ni espacios',
  shape: () => 'lleva de 01 a 22, un número que no sea 000000, 001 y el dígito verificador',
  checkDigit: () => 'el dígito verificador está mal; busque un error de tecleo',
};

export const RUT_FAULT = inBoth(en, es);
