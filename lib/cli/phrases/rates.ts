import { inBoth } from '../../text/language.ts';
import { counted } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

/** What the command rates says. */
const en = {
  sheet: () => 'the sheet of the workbook (default: the only visible one with rates)',
  allowJumps: () => 'take rates over 20 % from their neighbours, or far from what they ever were',
  bcu: () => 'in place of a file, ask the central bank',
  month: () => 'with --bcu: the rates that this month needs (default: this month)',
  api: () => "with --bcu: another address than the bank's, for a test or a proxy",
  yes: () => 'with --bcu: write what it gives without asking',
  noteFile: () =>
    'A .csv, .xlsx or .xls as the central bank and its copies have it: Fecha, Moneda and Compra or Valor in a row a day and currency, or Fecha and a column a currency; a column Unidades divides. UI and UR become UYI and UYR; of several rates, that of bank notes for the buyer is taken. What is not known by its whole name is left out, and told. A file with a rate of a day after today (but of the UI, which is published ahead, and the UR of this month) is refused, and one whose dates nobody can tell from days of other months: 2026-09-01 can be read in one way.',
  noteBank: () =>
    "--bcu asks the central bank's web service for the dollar (of bank notes), the euro, the real, the Argentine peso, the UI and the UR, one after the other. Nobody who wrote this has seen that service answer, only what others published of it: what it gives is shown before it is written.",
  noteUse: () =>
    "They are the table cotizaciones. The VAT books, posicion-iva, form 2181 and the e-Tickets' limit take from it where a receipt states no rate: the last of four days before, or of ten where the month has a later one; the UI of the day alone; the UR of the month.",
  noteBucket: () =>
    'In a bucket it reads and writes cotizaciones/*, which OperatorPolicy of the stack allows.',
  noteAgain: () =>
    'The same rates again change nothing. A rate with another value replaces the one that was there, and is told.',

  nightly: () => 'with --schedule: ask the central bank for exchange rates too, every night (rates --bcu)',
  offerNightly: () => 'With --bcu the central bank is asked for exchange rates too, every night.\n',

  fileOrBank: () => 'Give either a FILE or --bcu.',
  onlyBank: (option: string) => `--${option} goes with --bcu.`,
  onlyFile: () => '--sheet goes with a FILE.',
  notBegun: (month: string) => `${month} has not begun: it has no rates yet.`,
  nothingKnown: (source: string, why: string) => `${source} has no rate of a currency that is known${why}.`,
  afterToday: (source: string, today: string, cells: string) =>
    `Nothing was written: ${source} has rates of days after today, ${today}: ${cells}.`,
  lateRow: (row: number, column: string, day: string, currencies: string) =>
    `row ${row} has "${day}" as "${column}" of ${currencies}`,
  monthFirst: (source: string, column: string, first: string, last: string) =>
    `Nothing was written: nothing in ${source} tells whether "${column}" has the day or the month first, and "${first}" to "${last}" may be days of one month or two, or of several.`,
  writeDates: () => 'Correct its dates: written as 2026-09-01, none can be read in two ways.',
  bank: () => 'The central bank',
  given: (name: string, count: number, first: string, last: string) =>
    `${name}: ${plural(count, 'rate')}, from ${first} to ${last}`,
  gaveNone: (currency: string, from: string, to: string) => `${currency}: none between ${from} and ${to}`,
  write: () => 'Write these rates? (y, or Enter to leave them): ',
  nothingWritten: () => 'Nothing was written.',
  nobodyToAsk: () => 'Nothing was written: there is no terminal to ask at.',
  withYes: () => 'Look at the rates above, and run it again with --yes.',

  taken: (
    count: number,
    currencies: string,
    from: string,
    to: string,
    added: number,
    changed: number,
    unchanged: number,
    lake: string,
  ) =>
    `${plural(count, 'rate')} of ${currencies}, ${from} to ${to}: ${added} new, ${changed} changed, ${unchanged} as they were, in ${lake}.`,
  changed: (change: string) => `Changed: ${change}`,
  leftOut: (name: string, count: number) => `Left out: ${plural(count, 'row')} of ${name}`,
  daysBefore: (day: string) => `days before ${day}`,
  unknownColumn: (name: string) => `Left out: the column "${name}", which is no known rate`,
  moreLeftOut: (count: number) => `Left out, too: ${count} more (--json names them)`,
  notRead: (cells: string) => `Not read, and left out: ${cells}`,
  cell: (row: number, column: string, text: string) => `row ${row} has "${text}" as "${column}"`,
  andMore: (count: number) => `; and ${count} more`,
  lacking: (count: number) => `Without a rate: ${plural(count, 'cell')}`,
  rounded: (count: number) => `Rounded to six decimals: ${plural(count, 'rate')}`,
};

const es: typeof en = {
  sheet: () => 'la hoja de la planilla (por defecto, la única visible con cotizaciones)',
  allowJumps: () => 'acepta cotizaciones a más de 20 % de sus vecinas, o lejos de lo que valieron alguna vez',
  bcu: () => 'en lugar de un archivo, le pregunta al Banco Central',
  month: () => 'con --bcu: las cotizaciones que precisa este mes (por defecto, el mes en curso)',
  api: () => 'con --bcu: otra dirección que la del banco, para una prueba o un proxy',
  yes: () => 'con --bcu: escribe lo que da sin preguntar',
  noteFile: () =>
    'Un .csv, .xlsx o .xls como los del Banco Central y sus copias: Fecha, Moneda y Compra o Valor en una fila por día y moneda, o Fecha y una columna por moneda; una columna Unidades divide. UI y UR pasan a UYI y UYR; de varias cotizaciones se toma la del billete para el comprador. Lo que no se conoce por su nombre entero queda afuera, y se dice. Se rechaza un archivo con una cotización de un día posterior a hoy (salvo la UI, que se publica antes, y la UR del mes en curso), y uno cuyas fechas pueden ser días de otros meses: 2026-09-01 se lee de una sola forma.',
  noteBank: () =>
    '--bcu le pregunta al servicio web del Banco Central por el dólar (billete), el euro, el real, el peso argentino, la UI y la UR, uno por uno. Nadie de los que escribieron esto vio responder a ese servicio, solo lo que otros publicaron: lo que da se muestra antes de escribirlo.',
  noteUse: () =>
    'Son la tabla cotizaciones. Los libros IVA, posicion-iva, el formulario 2181 y el límite de los e-Tickets toman de ella donde un comprobante no declara cotización: la del último día anterior, a lo sumo cuatro días, o diez si ese mes tiene otra posterior; la UI, solo la del día; la UR del mes.',
  noteBucket: () => 'En un bucket lee y escribe cotizaciones/*, que OperatorPolicy del stack permite.',
  noteAgain: () =>
    'Las mismas cotizaciones otra vez no cambian nada. Una con otro valor reemplaza a la que estaba, y se dice.',

  nightly: () => 'con --schedule: pide además cotizaciones al Banco Central, cada noche (cotizaciones --bcu)',
  offerNightly: () => 'Con --bcu se le piden además cotizaciones al Banco Central, cada noche.\n',

  fileOrBank: () => 'Hay que dar un ARCHIVO o --bcu, uno de los dos.',
  onlyBank: (option) => `--${option} va con --bcu.`,
  onlyFile: () => '--sheet va con un ARCHIVO.',
  notBegun: (month) => `${month} no empezó: todavía no tiene cotizaciones.`,
  nothingKnown: (source, why) => `${source} no tiene ninguna cotización de una moneda conocida${why}.`,
  afterToday: (source, today, cells) =>
    `No se escribió nada: ${source} tiene cotizaciones de días posteriores a hoy, ${today}: ${cells}.`,
  lateRow: (row, column, day, currencies) =>
    `la fila ${row} tiene «${day}» como «${column}» de ${currencies}`,
  monthFirst: (source, column, first, last) =>
    `No se escribió nada: nada en ${source} dice si «${column}» tiene primero el día o el mes, y de «${first}» a «${last}» pueden ser días de un mes o dos, o de varios.`,
  writeDates: () => 'Corrija sus fechas: escritas como 2026-09-01, ninguna se puede leer de dos formas.',
  bank: () => 'El Banco Central',
  given: (name, count, first, last) =>
    `${name}: ${counted(count, ['cotización', 'cotizaciones'])}, del ${first} al ${last}`,
  gaveNone: (currency, from, to) => `${currency}: ninguna entre el ${from} y el ${to}`,
  write: () => '¿Escribir estas cotizaciones? (s, o Enter para dejarlas): ',
  nothingWritten: () => 'No se escribió nada.',
  nobodyToAsk: () => 'No se escribió nada: no hay una terminal donde preguntar.',
  withYes: () => 'Mire las cotizaciones de arriba y vuelva a correrlo con --yes.',

  taken: (count, currencies, from, to, added, changed, unchanged, lake) =>
    `${counted(count, ['cotización', 'cotizaciones'])} de ${currencies}, del ${from} al ${to}: ${added} nuevas, ${changed} cambiadas, ${unchanged} como estaban, en ${lake}.`,
  changed: (change) => `Cambió: ${change}`,
  leftOut: (name, count) => `Afuera: ${counted(count, ['fila', 'filas'])} de ${name}`,
  daysBefore: (day) => `días anteriores al ${day}`,
  unknownColumn: (name) => `Afuera: la columna «${name}», que no es una cotización conocida`,
  moreLeftOut: (count) => `Afuera, también: ${count} más (--json dice cuáles)`,
  notRead: (cells) => `Sin leer, y afuera: ${cells}`,
  cell: (row, column, text) => `la fila ${row} tiene «${text}» como «${column}»`,
  andMore: (count) => `; y ${count} más`,
  lacking: (count) => `Sin cotización: ${counted(count, ['celda', 'celdas'])}`,
  rounded: (count) => `Redondeadas a seis decimales: ${counted(count, ['cotización', 'cotizaciones'])}`,
};

export const RATES = inBoth(en, es);
