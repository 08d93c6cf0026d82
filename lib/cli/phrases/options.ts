import { inBoth, type Localized } from '../../text/language.ts';
import { counted, countText } from '../../text/spanish.ts';

/** What options mean, and what is wrong with their values. */
const en = {
  // Days
  date: () => 'issue date, YYYY-MM-DD (default: yesterday in Uruguay)',
  from: () => 'first issue date of a range',
  to: () => 'last issue date of a range, included; may be in the future',
  last: () => 'the last N issue dates, up to yesterday in Uruguay',
  onlyMonth: () => 'only this month, by issue date',
  onlyFrom: () => 'only from this day on (of exportaciones and cambios: of the run)',
  onlyTo: () => 'only to this day, included',
  oneOfDays: () => 'Give only one of --date D, --last N, and --from D --to D.',
  monthOrRange: () => 'Give either --month YYYY-MM, or --from D and --to D.',
  endMissing: (end: string) => `A range needs both ends: --${end} D is missing.`,
  tooFarAhead: (day: string, most: number, today: string) =>
    `${day} is more than ${most} days ahead, where there are no receipts; today is ${today} in Uruguay.`,
  inTheFuture: (first: string, last: string, today: string) =>
    `${first} is in the future: today is ${today} in Uruguay. Ask again when that day is over, or give --from ${today} --to ${last} for receipts already dated ahead.`,
  beforeReceipts: (day: string, first: string) =>
    `${day} is before the first electronic receipts (${first}; in AWS the setting firstDay): check the year.`,
  note: () => 'Note:',
  datedAhead: (day: string, today: string) =>
    `${day} is in the future (today is ${today} in Uruguay): such days have only receipts dated ahead.`,
  reversed: (from: string, to: string) => `The range is reversed: write --from ${to} --to ${from}.`,
  noSuchDay: () => 'there is no such day',
  writeDay: () => 'write it as YYYY-MM-DD',
  notADay: (option: string, text: string, why: Localized, meant: string) =>
    `--${option} takes a day as YYYY-MM-DD, not "${text}": ${why('en')}.${meant}`,
  notAMonth: (text: string, meant: string) => `--month takes a month as YYYY-MM, not "${text}".${meant}`,
  meant: (text: string) => ` Did you mean ${text}?`,

  // Companies, directions, details
  onlyCompany: () => 'only this company',
  notARut: (text: string, why: string, more: string) => `--rut ${text} is not a RUT: ${why}.${more}`,
  noCompany: (rut: string, known: string) => `There is no company with the RUT ${rut}; known: ${known}.`,
  thoseKnown: (known: string) => ` Those known: ${known}.`,
  whoseReceipts: (known: string) => `Whose receipts? Add --rut RUT; known: ${known}.`,
  onlyDirection: () => 'only this direction (default: both)',
  details: () => 'also read these receipts in full, one request each',
  maxDetails: (most: number) => `only of days with at most N (default ${most})`,
  detailsAge: () => 'read details again that are older (default: changed ones)',
  whichDetails: () => 'Details of which receipts? Add --details recibidos or --details emitidos.',
  detailsNeedList: (direction: string) =>
    `--details ${direction} needs the list too: add --direction ${direction}.`,
  ui: () => "the UI of 31 December before that year, for e-Tickets' limit",
  wrongUi: () => '--ui takes a year and a decimal: --ui 2026=6.4208',
  unlikelyUi: (typed: string) => `--ui ${typed}: no UI was worth that. Write its pesos: --ui 2026=6.4208`,
  twoUis: (year: string) => `--ui gives two values for ${year}.`,

  // The lake
  lake: (ownLake: string, sandbox: string) =>
    `folder or s3://bucket/prefix (default ${ownLake}, or ${sandbox})`,
  sourceMoved: () => "confirm, once, that the lake's API has moved to this address",
  adoptLake: () => 'confirm, once, that the receipts of a lake without a mark come from this API',
  movedOrAdopted: () => 'Give either --source-moved, of a lake with a mark, or --adopt-lake, of one without.',
  wait: (minutes: number) => `minutes to wait for another that writes it (default ${minutes})`,
  using: (folder: string) => `Using ${folder}.`,
  usingSandbox: (folder: string) => `Using ${folder}: invented receipts of the sandbox.`,
  nothingExported: (named: string, address: string, command: string) =>
    `Nothing of ${named} was exported to ${address}. Export these days first: ${command}`,
  range: (from: string, to: string) => `${from} to ${to}`,

  // The API
  api: (variable: string) => `address of the API (default: the file's "api", ${variable}, or the sandbox)`,
  companies: () => 'JSON file of RUTs and tokens (default: those of the sandbox)',
  sandbox: () => 'invented receipts of invented companies, from the built-in sandbox of the API',
  concurrency: (most: number) => `requests in flight per company (default ${most})`,
  requestTimeout: (ms: number) => `to wait for an answer (default ${ms})`,
  maxRequests: () => 'of all companies together (default: any number)',
  maxRows: (most: number) => `fail a list with more rows (default ${most})`,
  apiOrSandbox: () => 'Give either --api or --sandbox.',
  sandboxHasCompanies: () => 'The sandbox has companies of its own: leave out --sandbox or --companies.',
  addressMissing: (variable: string) =>
    '--companies also needs the address of their API: add --api https://…, or write "api": "https://…" beside ' +
    `"companies" in the file, or set ${variable}.`,
  otherAddress: (name: string, file: string) =>
    `${name} is not the "api" of ${file}, which its tokens are for, so nothing was sent. Leave ${name} out, or correct the file.`,
  inventedReceipts: () => 'SANDBOX: invented receipts of invented companies. For your own: --companies FILE',
  whichCompanies: () => 'Which companies? Give a file of RUTs and tokens: --companies FILE',
  waitingForApi: (fault: string, isRefusal: boolean, seconds: number, tryNumber: number, mostTries: number) =>
    `the API ${isRefusal ? 'asks for fewer requests' : 'is down'} (${fault}). ` +
    `Asking again in ${seconds} s (${tryNumber} of ${mostTries}).`,
};

const es: typeof en = {
  date: () => 'fecha de emisión, AAAA-MM-DD (si falta: ayer en Uruguay)',
  from: () => 'primera fecha de emisión de un rango',
  to: () => 'última fecha de emisión de un rango, incluida; puede ser futura',
  last: () => 'las últimas N fechas de emisión, hasta ayer en Uruguay',
  onlyMonth: () => 'solo este mes, por fecha de emisión',
  onlyFrom: () => 'solo desde este día (de exportaciones y cambios: el de la corrida)',
  onlyTo: () => 'solo hasta este día, incluido',
  oneOfDays: () => 'Dé una sola de --fecha D, --last N y --desde D --hasta D.',
  monthOrRange: () => 'Dé --mes AAAA-MM, o bien --desde D y --hasta D.',
  endMissing: (end) => `Un rango lleva dos extremos: falta --${end === 'from' ? 'desde' : 'hasta'} D.`,
  tooFarAhead: (day, most, today) =>
    `${day} es más de ${most} días en el futuro, donde no hay comprobantes; hoy es ${today} en Uruguay.`,
  inTheFuture: (first, last, today) =>
    `${first} es futuro: hoy es ${today} en Uruguay. Pregunte cuando ese día haya terminado, o dé --desde ${today} --hasta ${last} para los comprobantes con fecha adelantada.`,
  beforeReceipts: (day, first) =>
    `${day} es anterior a los primeros comprobantes electrónicos (${first}): revise el año.`,
  note: () => 'Nota:',
  datedAhead: (day, today) =>
    `${day} es futuro (hoy es ${today} en Uruguay): esos días solo tienen comprobantes con fecha adelantada.`,
  reversed: (from, to) => `El rango está al revés: escriba --desde ${to} --hasta ${from}.`,
  noSuchDay: () => 'ese día no existe',
  writeDay: () => 'escríbalo como AAAA-MM-DD',
  notADay: (option, text, why, meant) =>
    `--${SPANISH_DAYS[option] ?? option} lleva un día como AAAA-MM-DD, no "${text}": ${why('es')}.${meant}`,
  notAMonth: (text, meant) => `--mes lleva un mes como AAAA-MM, no "${text}".${meant}`,
  meant: (text) => ` ¿Quiso decir ${text}?`,

  onlyCompany: () => 'solo esta empresa',
  notARut: (text, why, more) => `--rut ${text} no es un RUT: ${why}.${more}`,
  noCompany: (rut, known) => `No hay ninguna empresa con el RUT ${rut}; se conocen: ${known}.`,
  thoseKnown: (known) => ` Se conocen: ${known}.`,
  whoseReceipts: (known) => `¿De quién? Agregue --rut RUT; se conocen: ${known}.`,
  onlyDirection: () => 'solo esta lista (si falta: las dos)',
  details: () => 'lee además estos comprobantes enteros, con un pedido por cada uno',
  maxDetails: (most) => `solo de días con N como máximo (si falta: ${most})`,
  detailsAge: () => 'lee otra vez los detalles más viejos (si falta: los que cambiaron)',
  whichDetails: () => '¿Detalles de qué comprobantes? Agregue --details recibidos o --details emitidos.',
  detailsNeedList: (direction) =>
    `--details ${direction} necesita también la lista: agregue --direction ${direction}.`,
  ui: () => 'la UI del 31 de diciembre anterior a ese año, para el límite de los e-Tickets',
  wrongUi: () => '--ui lleva un año y un decimal: --ui 2026=6.4208',
  unlikelyUi: (typed) => `--ui ${typed}: ninguna UI valió eso. Escriba sus pesos: --ui 2026=6.4208`,
  twoUis: (year) => `--ui da dos valores para ${year}.`,

  lake: (ownLake, sandbox) => `carpeta o s3://bucket/prefijo (si falta: ${ownLake}, o ${sandbox})`,
  sourceMoved: () => 'confirma, una vez, que la API del lago se mudó a esta dirección',
  adoptLake: () => 'confirma, una vez, que los comprobantes de un lago sin marca son de esta API',
  movedOrAdopted: () => 'Dé --source-moved, para un lago con marca, o bien --adopt-lake, para uno sin marca.',
  wait: (minutes) => `minutos de espera mientras otro lo escribe (si falta: ${minutes})`,
  using: (folder) => `Se usa ${folder}.`,
  usingSandbox: (folder) => `Se usa ${folder}: comprobantes inventados, de práctica.`,
  nothingExported: (named, address, command) =>
    `No se trajo nada de ${named} a ${address}. Traiga primero esos días: ${command}`,
  range: (from, to) => `${from} a ${to}`,

  api: (variable) => `dirección de la API (si falta: "api" del archivo, ${variable}, o la de práctica)`,
  companies: () => 'archivo JSON de RUT y tokens (si falta: las empresas de práctica)',
  sandbox: () => 'comprobantes inventados de empresas inventadas, de la API de práctica incluida',
  concurrency: (most) => `pedidos a la vez por empresa (si falta: ${most})`,
  requestTimeout: (ms) => `espera por una respuesta (si falta: ${ms})`,
  maxRequests: () => 'de todas las empresas juntas (si falta: sin límite)',
  maxRows: (most) => `falla una lista con más filas (si falta: ${most})`,
  apiOrSandbox: () => 'Dé --api o bien --sandbox.',
  sandboxHasCompanies: () => 'La API de práctica tiene sus propias empresas: saque --sandbox o --empresas.',
  addressMissing: (variable) =>
    '--empresas necesita además la dirección de su API: agregue --api https://…, o escriba "api": "https://…" junto a ' +
    `"companies" en el archivo, o defina ${variable}.`,
  otherAddress: (name, file) =>
    `${name} no es la "api" de ${file}, para la que son sus tokens, así que no se envió nada. Saque ${name}, o corrija el archivo.`,
  inventedReceipts: () =>
    'PRÁCTICA: comprobantes inventados de empresas inventadas. Para las suyas: --empresas ARCHIVO',
  whichCompanies: () => '¿Qué empresas? Dé un archivo de RUT y tokens: --empresas ARCHIVO',
  waitingForApi: (fault, isRefusal, seconds, tryNumber, mostTries) =>
    `la API ${isRefusal ? 'pide menos pedidos' : 'no responde'}. Se pregunta otra vez en ` +
    `${counted(seconds, ['segundo', 'segundos'])} (${countText(tryNumber)} de ${countText(mostTries)}): ${fault}`,
};

const SPANISH_DAYS: Readonly<Record<string, string>> = { date: 'fecha', from: 'desde', to: 'hasta' };

export const OPTION = inBoth(en, es);
