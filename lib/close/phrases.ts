import { inBoth } from '../text/language.ts';

/** What is wrong with a close that is asked, or with the question. */
const en = {
  noClose: (folder: string) => `${folder} is no close: its cierre.json cannot be read.`,
  otherClose: (folder: string, month: string, rut: string) => `${folder} is the close of ${month} of ${rut}.`,
  whichMonth: (example: string) => `Which month? Give --month YYYY-MM, or name a close: --close ${example}.`,
  noCloseOfMonth: (folder: string, month: string, ruts: string) =>
    `${folder} has no close of ${month}${ruts === '' ? '' : ` of ${ruts}`}.`,
  altered: (path: string) => `${path} is not as the close wrote it: its hash is another.`,
  changed: (path: string) =>
    `${path} was changed since it was handed over, or is of another close: nothing is written over it.`,
  moveAway: () => 'If it has notes, move it or give it another name; else remove it. Then run this again.',
  foreign: (folders: string) =>
    `A Parquet file of ${folders} is none that the close of that company would write, although its hash is right.`,
  unreadable: (why: string) => `The close was not kept, because nothing could ask it later: ${why}.`,
  manyTexts: (file: string, megabytes: string, most: string) =>
    `${file} has texts of ${megabytes} MB, and a close is read with ${most} MB at most`,
  manyRows: (file: string) => `${file} has more rows than its bytes tell apart`,
  stray: (file: string) => `${file} has a row twice, or of another company or month`,
  other: () => 'one of its files cannot be read',
  byHand: () =>
    'Look in its receipts for what is that odd or large (query), and tell whoever runs the service. Until then its books are written one by one, by query --named NAME --rut RUT --month YYYY-MM --out FILE.',
  isClose: (folder: string) => `${folder} is a close: name another folder for the client.`,
  noNumberLeft: (folder: string, last: string) =>
    `No number is left for a close in ${folder}: remove ${last} and .${last} from there, if no close of yours has that name.`,
  beyond: (name: string) =>
    `A close cannot answer --named ${name}: it keeps its month's receipts, and this reads more.`,
  notKept: (table: string) =>
    `A close does not keep the table ${table}: ask the lake about it, without --close.`,
  rates: () =>
    'This needs exchange rates, and these closes were not made with the same: ask about one company at a time, --rut RUT.',
  ownDays: () =>
    'A close has its own days and UI: --close FOLDER takes --month YYYY-MM, and no --from, --to or --ui.',
  rule: (version: string, tables: string, ruts: string) =>
    `Since version ${version}, which made the close, the rule of ${tables} changed: the same rows have another answer (RUT ${ruts}).`,
};
const es: typeof en = {
  noClose: (folder) => `${folder} no es un cierre: no se puede leer su cierre.json.`,
  otherClose: (folder, month, rut) => `${folder} es el cierre de ${month} de ${rut}.`,
  whichMonth: (example) => `¿De qué mes? Con --mes AAAA-MM, o nombrando un cierre: --cierre ${example}.`,
  noCloseOfMonth: (folder, month, ruts) =>
    `${folder} no tiene ningún cierre de ${month}${ruts === '' ? '' : ` de ${ruts}`}.`,
  altered: (path) => `${path} no está como lo escribió el cierre: su hash es otro.`,
  changed: (path) => `${path} cambió desde que se entregó, o es de otro cierre: no se escribe encima.`,
  moveAway: () => 'Si tiene notas, muévalo o cámbiele el nombre; si no, bórrelo. Después vuelva a correrlo.',
  foreign: (folders) =>
    `Un archivo Parquet de ${folders} no es de los que escribiría el cierre de esa empresa, aunque su hash es correcto.`,
  unreadable: (why) => `El cierre no se guardó, porque después no se podría consultar: ${why}.`,
  manyTexts: (file, megabytes, most) =>
    `${file} tiene textos de ${megabytes} MB, y un cierre se lee con ${most} MB a lo sumo`,
  manyRows: (file) => `${file} tiene más filas de las que distinguen sus bytes`,
  stray: (file) => `${file} tiene una fila dos veces, o de otra empresa u otro mes`,
  other: () => 'no se puede leer uno de sus archivos',
  byHand: () =>
    'Busque en sus comprobantes lo que es tan raro o grande (consultar), y avise a quien maneja el servicio. Mientras tanto, sus libros se escriben uno por uno, con consultar --named NOMBRE --rut RUT --mes AAAA-MM --salida ARCHIVO.',
  isClose: (folder) => `${folder} es un cierre: nombre otra carpeta para el cliente.`,
  noNumberLeft: (folder, last) =>
    `No queda número para un cierre en ${folder}: saque de ahí ${last} y .${last}, si ningún cierre suyo se llama así.`,
  beyond: (name) =>
    `Un cierre no puede contestar --named ${name}: guarda los comprobantes de su mes, y esa consulta lee más.`,
  notKept: (table) => `Un cierre no guarda la tabla ${table}: pregunte por ella al lago, sin --cierre.`,
  rates: () =>
    'Esto necesita tipos de cambio, y estos cierres no se hicieron con los mismos: pregunte por una empresa por vez, --rut RUT.',
  ownDays: () =>
    'Un cierre tiene sus propios días y su UI: --cierre CARPETA lleva --mes AAAA-MM, y no --desde, --hasta ni --ui.',
  rule: (version, tables, ruts) =>
    `Desde la versión ${version}, que hizo el cierre, cambió la regla de ${tables}: con las mismas filas da otra respuesta (RUT ${ruts}).`,
};
export const SAY = inBoth(en, es);

/** What a month may leave open at its close, by the names under which it is accepted. */
const pointsEn = {
  days: () => 'days are missing, or have to be read again',
  gone: () => 'receipts are in the list of no day any more',
  gaps: () => 'issued series have gaps',
  twice: () => 'receipts are listed more than once, under several ids',
  rejected: () => 'there are rejected receipts',
  details: () => 'the amounts of receipts are not known, or do not fit',
  rates: () => 'receipts have no exchange rate',
  lists: () => "the tax authority's list differs, or is of a part of the month",
};
const pointsEs: typeof pointsEn = {
  days: () => 'faltan días, o hay que leerlos otra vez',
  gone: () => 'hay comprobantes que ya no están en la lista de ningún día',
  gaps: () => 'hay saltos en la numeración de lo emitido',
  twice: () => 'hay comprobantes que figuran más de una vez, con varios identificadores',
  rejected: () => 'hay comprobantes rechazados',
  details: () => 'no se conocen los importes de comprobantes, o no cierran',
  rates: () => 'hay comprobantes sin tipo de cambio',
  lists: () => 'la lista de la DGI es distinta, o es de una parte del mes',
};
export const POINTS = inBoth(pointsEn, pointsEs);
