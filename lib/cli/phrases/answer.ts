import { inBoth } from '../../text/language.ts';
import { counted, countText } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

/** What is asked of an answer's file or table, and what is said of it. */
const en = {
  format: (formats: string) => `${formats} (default: by the extension of --out, else table)`,
  sameAs: (format: string) => `the same as --format ${format}`,
  out: () => 'write the answer to this file',
  locale: () => 'with --format csv: semicolons, decimal commas and a byte-order mark, as spreadsheets expect',
  raw: () => 'with --format csv: leave texts that begin like a formula as they are, also in a file',
  oneFormat: () => 'Give only one of --json, --csv and --format F.',
  localeIsForCsv: (locale: string, isWorkbook: boolean) =>
    `--locale ${locale} is for --format csv${isWorkbook ? ': a workbook has numbers for every locale' : ''}.`,
  notShown: (format: string) => `--format ${format} cannot be shown: name a file, --out answer.${format}`,
  parquetIsForQuery: () => 'Parquet is for query: give a name that ends with .csv or .xlsx.',
  noSuchExtension: (extension: string) =>
    `--out: no format has the extension .${extension}. Name a file .xlsx, .csv, .json or .parquet (or .txt, a table), or say which --format.`,
  askForParquet: () =>
    'Ask for fewer days or columns, or for sums; or write all of it with --format parquet.',
  guarded: (count: number) =>
    `Texts that begin like a formula: ${count}. Each got an apostrophe, so that no spreadsheet runs it; --raw leaves them, and --format xlsx has them as they are.`,
  longNumbers: (count: number, digits: number) =>
    `Orange: ${plural(count, 'number')} of more than ${digits} digits, as text. Excel would round them, and its sums leave texts out.`,
  longTexts: (count: number, characters: number) =>
    `Orange: ${plural(count, 'text')} cut after ${characters} characters, the most that a cell holds. CSV, JSON and Parquet have them whole.`,
  wrote: (file: string, content: string) => `Wrote ${file}: ${content}.`,
  rows: (count: number) => plural(count, 'row'),
  shown: (count: number, most: number) =>
    count > most ? `the first ${most} of ${plural(count, 'row')}; --all shows them` : plural(count, 'row'),

  // query
  named: () => 'run a query that comes with the program; without a name, list them',
  rut: () => 'with --named or --close: only this company; may be repeated',
  close: () =>
    "ask what closes have kept, each company's newest below this folder or the one in it; with --named changes-since-close, what is not as they declared",
  sql: () => 'with --named: print its SQL, with company and days filled in, and do not run it',
  force: () => 'with --format dgi-2181: leave out the receipts that are in no line of the form',
  allRows: (most: number) => `show all rows in a terminal, not only the first ${most}`,
  namedQueries: (list: string) => `Named queries: query --named ${list}`,
  memory: () =>
    'A question takes at most half of the memory, and for what does not fit a quarter of the free disk of the temporary folder.',
  isForNamed: () => "--sql, --rut and --ui are for --named NAME; in SQL, write WHERE rut = '…'.",
  sqlOrNamed: () => 'Give either SQL or --named NAME.',
  noQuery: (name: string, near: string | undefined, list: string) =>
    `There is no --named "${name}".${near === undefined ? '' : ` Did you mean ${near}?`} --named ${list} shows them all.`,
  isNamed: (name: string) => `${name} is a named query: query --named ${name}`,
  toNeedsFrom: () => '--to D needs --from D; or give --month YYYY-MM.',
  whichQuestion: (program: string, tables: string) =>
    `What is the question?  ${program} query "SELECT count(*) FROM recibidos"   (or a file: question.sql, or - for ` +
    `standard input)   Tables: ${tables}`,
  longSql: (mostBytes: number) => `The SQL on standard input has more than ${mostBytes} bytes.`,
  betweenQuotes: () => 'Put the whole SQL between quotes, as one word.',
  closeIsTaken: (day: string) =>
    `The close is taken to be ${day}: --close FOLDER compares with a close that was kept.`,
  objects: (count: number) => plural(count, 'object'),
  isForFormat: (option: string, format: string) => `--${option} is for --format ${format}.`,
  formatIsForNamed: (format: string, query: string) => `--format ${format} is for --named ${query}.`,
  oneCompanyAndMonth: () => 'A form is of one company and one month: give --rut RUT and --month YYYY-MM.',
  anyButParquet: (list: string) => `--named ${list} takes any --format but parquet.`,
  name: () => 'name',
  or: () => 'or',
  asks: () => 'asks',
};

const es: typeof en = {
  format: (formats) => `${formats} (si falta: según la extensión de --salida, o table)`,
  sameAs: (format) => `lo mismo que --format ${format}`,
  out: () => 'escribe la respuesta en este archivo',
  locale: () =>
    'con --format csv: punto y coma, coma decimal y marca de orden de bytes, como esperan las planillas',
  raw: () =>
    'con --format csv: deja tal cual los textos que empiezan como una fórmula, también en un archivo',
  oneFormat: () => 'Dé uno solo de --json, --csv y --format F.',
  localeIsForCsv: (locale, isWorkbook) =>
    `--locale ${locale} es para --format csv${isWorkbook ? ': una planilla tiene números para cualquier configuración' : ''}.`,
  notShown: (format) =>
    `--format ${format} no se puede mostrar: nombre un archivo, --salida respuesta.${format}`,
  parquetIsForQuery: () => 'Parquet es para query: dé un nombre que termine en .csv o .xlsx.',
  noSuchExtension: (extension) =>
    `--salida: ningún formato tiene la extensión .${extension}. Nombre un archivo .xlsx, .csv, .json o .parquet (o .txt, una tabla), o diga cuál con --format.`,
  askForParquet: () => 'Pida menos días o columnas, o sumas; o escríbala entera con --format parquet.',
  guarded: (count) =>
    `Textos que empiezan como una fórmula: ${count}. Cada uno lleva un apóstrofo, para que ninguna planilla la ejecute; --raw los deja, y --format xlsx los tiene tal cual.`,
  longNumbers: (count, digits) =>
    `En naranja: ${counted(count, ['número', 'números'])} de más de ${digits} cifras, como texto. Excel los redondearía, y sus sumas no cuentan los textos.`,
  longTexts: (count, characters) =>
    `En naranja: ${counted(count, ['texto cortado', 'textos cortados'])} a los ${countText(characters)} caracteres, que es lo que cabe en una celda. CSV, JSON y Parquet los tienen enteros.`,
  wrote: (file, content) => `Se escribió ${file}: ${content}.`,
  rows: (count) => counted(count, ['fila', 'filas']),
  shown: (count, most) =>
    count > most
      ? `las primeras ${countText(most)} de ${counted(count, ['fila', 'filas'])}; --all las muestra todas`
      : counted(count, ['fila', 'filas']),

  named: () => 'hace una consulta que viene con el programa; sin nombre, las lista',
  rut: () => 'con --named o --cierre: solo esta empresa; puede repetirse',
  close: () =>
    'pregunta a lo que guardaron los cierres, el último de cada empresa bajo esta carpeta o el que está en ella; con --named cambios-desde-el-cierre, lo que no está como se declaró',
  sql: () => 'con --named: muestra su SQL, con la empresa y los días puestos, sin ejecutarlo',
  force: () =>
    'con --format dgi-2181: deja afuera los comprobantes que no van en ninguna línea del formulario',
  allRows: (most) => `muestra todas las filas en la terminal, no solo las primeras ${most}`,
  namedQueries: (list) => `Consultas con nombre: consultar --named ${list}`,
  memory: () =>
    'Una pregunta usa a lo sumo la mitad de la memoria, y para lo que no cabe un cuarto del disco libre de la carpeta temporal.',
  isForNamed: () => "--sql, --rut y --ui son para --named NOMBRE; en SQL, escriba WHERE rut = '…'.",
  sqlOrNamed: () => 'Dé SQL o bien --named NOMBRE.',
  noQuery: (name, near, list) =>
    `No hay ninguna --named "${name}".${near === undefined ? '' : ` ¿Quiso decir ${near}?`} --named ${list} las muestra todas.`,
  isNamed: (name) => `${name} es una consulta con nombre: consultar --named ${name}`,
  toNeedsFrom: () => '--hasta D necesita --desde D; o dé --mes AAAA-MM.',
  whichQuestion: (program, tables) =>
    `¿Cuál es la pregunta?  ${program} query "SELECT count(*) FROM recibidos"   (o un archivo: pregunta.sql, o - para ` +
    `la entrada estándar)   Tablas: ${tables}`,
  longSql: (mostBytes) => `El SQL de la entrada estándar tiene más de ${mostBytes} bytes.`,
  betweenQuotes: () => 'Ponga todo el SQL entre comillas, como una sola palabra.',
  closeIsTaken: (day) =>
    `Se toma ${day} como día del cierre: --cierre CARPETA compara con un cierre guardado.`,
  objects: (count) => counted(count, ['objeto', 'objetos']),
  isForFormat: (option, format) => `--${option} es para --format ${format}.`,
  formatIsForNamed: (format, query) => `--format ${format} es para --named ${query}.`,
  oneCompanyAndMonth: () => 'Un formulario es de una empresa y un mes: dé --rut RUT y --mes AAAA-MM.',
  anyButParquet: (list) => `--named ${list} acepta cualquier --format menos parquet.`,
  name: () => 'nombre',
  or: () => 'o',
  asks: () => 'pregunta',
};

export const ANSWER = { en, es };
export const SAY = inBoth(en, es);
