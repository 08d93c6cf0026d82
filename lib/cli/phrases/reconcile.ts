import { inBoth } from '../../text/language.ts';
import { counted } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

/** What `reconcile` is told, and why it compares nothing. */
export const SAY = inBoth(
  {
    rut: () => 'the company whose list it is',
    month: () => 'the month to compare (default: the dates that the list says)',
    direction: () => 'recibidos or emitidos (default: what the list says)',
    sheet: () => 'the sheet of the workbook (default: the only visible one with a heading)',
    xlsx: () => 'write the differences as a workbook',
    whose: () => 'Whose list is it? Give --rut RUT.',
    whichDirection: () => 'The list does not say whether it is of recibidos or emitidos: give --direction.',
    isList: () => '--xlsx: this is the list itself. Name another file.',
    noIssuer: () =>
      'The list has no column of who issued each receipt (RUT Emisor), without which received receipts can’t be told apart. Download it once more with that column.',
    noDates: () => 'The list has no dates: give --month YYYY-MM.',
    differences: (count: number) => plural(count, 'difference'),
  },
  {
    rut: () => 'la empresa de la que es la lista',
    month: () => 'el mes que se compara (si falta: las fechas que dice la lista)',
    direction: () => 'recibidos o emitidos (si falta: lo que dice la lista)',
    sheet: () => 'la hoja de la planilla (si falta: la única visible con un encabezado)',
    xlsx: () => 'escribe las diferencias como planilla',
    whose: () => '¿De quién es la lista? Dé --rut RUT.',
    whichDirection: () => 'La lista no dice si es de recibidos o de emitidos: dé --direction.',
    isList: () => '--xlsx: es la lista misma. Nombre otro archivo.',
    noIssuer: () =>
      'La lista no tiene la columna de quién emitió cada comprobante (RUT Emisor), sin la que no se distinguen los recibidos. Bájela otra vez con esa columna.',
    noDates: () => 'La lista no tiene fechas: dé --mes AAAA-MM.',
    differences: (count: number) => counted(count, ['diferencia', 'diferencias']),
  },
);
