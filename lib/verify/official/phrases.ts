import { inBoth, type Localized, type Said, textIn } from '../../text/language.ts';

/** Why the central bank's service gave no rates. */
const en = {
  noRates: (currency: string, fault: Localized) =>
    `The central bank gave no rates of ${currency}: ${fault('en')}.`,
  tryLater: () => 'Try again later, or read a file of its rates: rates FILE.',
  status: (status: number) => `it answered status ${status}`,
  notText: () => 'its answer is not UTF-8 text',
  notItsAnswer: () => 'its answer is not that of its service',
  says: (message: string, code: string) => `it says ${message} (code ${code})`,
  strangeRow: (from: string, to: string) => `one of its rows is no rate of it between ${from} and ${to}`,
  connection: (fault: string) => fault,
};

const es: typeof en = {
  noRates: (currency, fault) => `El Banco Central no dio cotizaciones de ${currency}: ${fault('es')}.`,
  tryLater: () => 'Pruebe más tarde, o lea un archivo suyo: cotizaciones ARCHIVO.',
  status: (status) => `respondió con el estado ${status}`,
  notText: () => 'su respuesta no es texto UTF-8',
  notItsAnswer: () => 'su respuesta no es la de su servicio',
  says: (message, code) => `dice ${message} (código ${code})`,
  strangeRow: (from, to) => `una de sus filas no es una cotización de esa moneda entre el ${from} y el ${to}`,
  connection: (fault) => `no se pudo preguntar (${fault})`,
};

export const BANK = inBoth(en, es);

const NEEDED_EN = { fecha: 'the date', total: 'the total' };
const NEEDED_ES = { fecha: 'la fecha', total: 'el total' };

/** Why a file is no list of receipts or table of rates, but for what hardly any file is. */
const unreadableEn = {
  noList: (file: string, isRateList: boolean, reason: Said) =>
    `${file} is no ${isRateList ? 'table of exchange rates' : 'list of receipts'} that this program can read: ${textIn(reason, 'en')}.`,
  downloadAgain: () =>
    'Download it once more, or save it as .xlsx in a spreadsheet program, and name that file.',
  wrongName: () => 'its name ends with none of .xlsx, .xls, .csv and .txt',
  folder: () => 'it is a folder',
  empty: () => 'it is empty',
  larger: (most: string) => `it has more than ${most}`,
  webPage: () => 'it is a web page, whatever its name says',
  pdf: () => 'it is a PDF',
  binaryWorkbook: () => 'it is an .xlsb workbook',
  password: () => 'it is protected by a password',
  damaged: (how: string) => `as a workbook it is cut or damaged (${how})`,
  noText: () => 'it is no text and no workbook',
  openQuote: (row: number) => `a quotation mark is never closed, from its row ${row}`,
  strayQuote: (row: number) => `a quotation mark stands inside a cell, in its row ${row}`,
  noSheet: (asked: string, names: string) => `it has no sheet "${asked}"; it has ${names}`,
  whichSheet: (count: number, names: string) =>
    `${count} of its sheets may be the list, so that --sheet NAME must say which: ${names}`,
  hiddenSheet: (names: string) =>
    `only a hidden sheet looks like a list, which is not taken unless --sheet NAME says so: ${names}`,
  noHeading: () =>
    'none of its first 30 rows is a heading with the type, the series and the number (Tipo, Serie, Número)',
  noRateHeading: () =>
    'none of its first 30 rows is a heading with a date and a rate (Fecha, Moneda, Valor; or Fecha and a column a currency); what has the title Arbitraje is against the dollar, not in pesos',
  noColumn: (row: number, field: keyof typeof NEEDED_ES) =>
    `its heading in row ${row} has no column of ${NEEDED_EN[field]} of each receipt`,
  twoColumns: (row: number, field: string, columns: string) =>
    `its heading in row ${row} has two columns that may be its ${field}: ${columns}`,
  headingAgain: (row: number, text: string, column: string) =>
    `its row ${row} says "${text}" below "${column}", as a second heading does, of other rates`,
  dayAsMonth: (column: string) =>
    `"${column}" has dates up to the 12th as dates and later ones as texts: a spreadsheet took their days for months`,
  namelessColumn: (row: number, column: string) =>
    `its heading in row ${row} has no name for numbers beside "${column}", so that nobody knows which of them are the rate`,
  tornRow: (row: number, names: number) =>
    `its row ${row} has more cells than the ${names} headings: a decimal comma has parted a rate, perhaps`,
  halvedRate: (row: number, column: string, [whole, decimals]: readonly string[]) =>
    `its row ${row} has "${whole}" as ${column} and "${decimals}" beside it: a decimal comma has parted it, perhaps`,
  exportWithSemicolons: () =>
    'Export it once more from where it comes from, as a workbook or with semicolons between the cells; a rate without decimals is written with them, as the text 40,00.',
  eitherSign: (row: number, text: string, column: string) =>
    `its row ${row} has "${text}" as ${column}, in which the sign may part thousands or decimals, and nothing in the file tells`,
};
const unreadableEs: typeof unreadableEn = {
  noList: (file, isRateList, reason) =>
    `${file} no es una ${isRateList ? 'tabla de cotizaciones' : 'lista de comprobantes'} que este programa pueda leer: ${textIn(reason, 'es')}.`,
  downloadAgain: () =>
    'Bájelo otra vez, o guárdelo como .xlsx con un programa de planillas y nombre ese archivo.',
  wrongName: () => 'su nombre no termina en .xlsx, .xls, .csv ni .txt',
  folder: () => 'es una carpeta',
  empty: () => 'está vacío',
  larger: (most) => `tiene más de ${most}`,
  webPage: () => 'es una página web, diga lo que diga su nombre',
  pdf: () => 'es un PDF',
  binaryWorkbook: () => 'es una planilla .xlsb',
  password: () => 'está protegido con una contraseña',
  damaged: (how) => `como planilla está cortado o dañado: «${how}»`,
  noText: () => 'no es texto ni planilla',
  openQuote: (row) => `hay una comilla que no se cierra, desde su fila ${row}`,
  strayQuote: (row) => `hay una comilla dentro de una celda, en su fila ${row}`,
  noSheet: (asked, names) => `no tiene la hoja "${asked}"; tiene ${names}`,
  whichSheet: (count, names) =>
    `${count} de sus hojas pueden ser la lista, y --sheet NOMBRE tiene que decir cuál: ${names}`,
  hiddenSheet: (names) =>
    `solo una hoja oculta parece una lista, y no se toma si --sheet NOMBRE no la nombra: ${names}`,
  noHeading: () =>
    'ninguna de sus primeras 30 filas es un encabezado con el tipo, la serie y el número (Tipo, Serie, Número)',
  noRateHeading: () =>
    'ninguna de sus primeras 30 filas es un encabezado con una fecha y una cotización (Fecha, Moneda, Valor; o Fecha y una columna por moneda); lo que lleva el título Arbitraje es contra el dólar, no en pesos',
  noColumn: (row, field) =>
    `su encabezado, en la fila ${row}, no tiene la columna de ${NEEDED_ES[field]} de cada comprobante`,
  twoColumns: (row, field, columns) =>
    `su encabezado, en la fila ${row}, tiene dos columnas que pueden ser ${field}: ${columns}`,
  headingAgain: (row, text, column) =>
    `su fila ${row} dice "${text}" debajo de "${column}", como otro encabezado, de otras cotizaciones`,
  dayAsMonth: (column) =>
    `"${column}" tiene las fechas hasta el 12 como fechas y las demás como textos: una planilla tomó el día por el mes`,
  namelessColumn: (row, column) =>
    `su encabezado, en la fila ${row}, no da nombre a los números que están al lado de "${column}", y no se sabe cuáles son la cotización`,
  tornRow: (row, names) =>
    `su fila ${row} tiene más celdas que los ${names} encabezados: quizás una coma decimal partió una cotización`,
  halvedRate: (row, column, [whole, decimals]) =>
    `su fila ${row} tiene "${whole}" como ${column} y al lado "${decimals}": quizás la partió una coma decimal`,
  exportWithSemicolons: () =>
    'Expórtelo otra vez desde donde salió, como planilla o con punto y coma entre las celdas; una cotización sin decimales se escribe con ellos, como el texto 40,00.',
  eitherSign: (row, text, column) =>
    `su fila ${row} tiene "${text}" como ${column}, cuyo signo puede separar miles o decimales, y nada en el archivo lo dice`,
};
export const UNREADABLE = inBoth(unreadableEn, unreadableEs);
