import { inBoth } from '../../text/language.ts';

/** What is said of files that somebody declares. */
export const SAY = inBoth(
  {
    accept: () => 'write a declared file of a month of which days were not read; its first line says so',
    nothingToAccept: () =>
      '--accept days is for workbooks of the VAT books, the VAT position, withholdings and form 2181, and for --format dgi-2181.',
    reportToAccept: () => '--accept days is for --xlsx FILE.',
  },
  {
    accept: () => 'escribir un archivo que se declara aunque falten días del mes; su primera línea lo dice',
    nothingToAccept: () =>
      '--aceptar days es para planillas de los libros IVA, la posición, los resguardos y el formulario 2181, y para --format dgi-2181.',
    reportToAccept: () => '--aceptar days es para --xlsx ARCHIVO.',
  },
);
