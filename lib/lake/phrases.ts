import { inBoth } from '../text/language.ts';
import { counted } from '../text/spanish.ts';
import { plural } from '../text/terminal.ts';

/** Why a lake is not opened, and what to do next. */
const en = {
  noLakeNamed: () => '--lake does not name a lake.',
  nameOne: () => 'Give a folder, or s3://bucket or s3://bucket/prefix.',
  missing: (folder: string) => `There is no lake at ${folder}.`,
  isEmpty: (lake: string) => `There is nothing in the lake ${lake} yet.`,
  exportOrOther: () => 'Export something first, or name another with --lake.',
  notThere: (rut: string, lake: string) =>
    `RUT ${rut} is not in the lake ${lake}: no export of it was ever recorded there.`,
  whichAre: () => 'The command coverage shows the companies that are. Another lake is named with --lake.',
  longPath: (length: number) =>
    `The lake's lock cannot be opened: its path of ${length} characters is too long. Move the lake to a shorter one.`,
  isBusy: (holder: string, lake: string) => `${holder} is writing the lake ${lake}, so nothing was done.`,
  waitLonger: () => 'Try again when it has ended, or wait longer with --wait MINUTES. End it if it hangs.',
  waiting: (minutes: number, holder: string, lake: string) =>
    `Waiting, at most ${plural(minutes, 'minute')}, for ${holder}, which writes ${lake}.`,
  fileFault: (lake: string, what: string, why: string) => `The lake ${lake}: ${what} failed: ${why}.`,
  specialFile: (key: string, lake: string) =>
    `${key} in ${lake} is no ordinary file: it is a link, a pipe, a socket or a device.`,
  removeSpecialFile: () => 'Remove it, and try again.',
  notOwnLock: (path: string) =>
    `${path} is no part of the lake's lock, which must be a folder of this user with an empty file: it is a link, another user's or something else.`,
  removeFromLock: () => 'Nothing was done. Remove it, and try again.',
  isWhole: () => 'No object was left half-written.',
  exportFirst: () => 'Export something first, or name another with --lake: a folder, or s3://BUCKET.',
  sandbox: (seed: string) => `the built-in sandbox (seed ${seed})`,
  otherSource: (lake: string, marked: string, asked: string) =>
    `The receipts of the lake ${lake} come from ${marked}, not from ${asked}. Nothing was read or written.`,
  moved: () =>
    'If that is the same service at a new address, confirm it once with --source-moved (export, or backfill for a ' +
    'deployed stack). Otherwise give another lake, or its address if you know that as your service: tokens go there.',
  neverMixed: () => 'Invented and real receipts are never mixed. Give another lake with --lake DIR.',
  neverMixedNorAsked: () =>
    'Invented and real receipts are never mixed. Give another lake with --lake DIR, or the API of this one with --api.',
  unmarked: (lake: string) =>
    `The lake ${lake} holds receipts, but no mark that says where they come from. Nothing was read or written.`,
  adopt: (api: string) =>
    `If they come from ${api} (verify compares them), confirm it once with --adopt-lake (export, or backfill for a ` +
    'deployed stack). Otherwise give another lake with --lake DIR.',
  unreadableMark: (lake: string, key: string) =>
    `This version can't read the mark of the lake ${lake} (${key}). Nothing was read or written.`,
  moveMarkAway: () =>
    'If a newer version wrote it, use that version. Otherwise move the mark away, and confirm once with ' +
    '--adopt-lake (export, or backfill for a deployed stack) where the receipts come from.',
};

const es: typeof en = {
  noLakeNamed: () => '--lake no nombra un lago.',
  nameOne: () => 'Dé una carpeta, o s3://bucket o s3://bucket/prefijo.',
  missing: (folder) => `No hay ningún lago en ${folder}.`,
  isEmpty: (lake) => `Todavía no hay nada en el lago ${lake}.`,
  exportOrOther: () => 'Traiga algo primero, o nombre otro con --lake.',
  notThere: (rut, lake) => `El RUT ${rut} no está en el lago ${lake}: nunca se trajo nada suyo.`,
  whichAre: () => 'El comando coverage muestra las que están. Otro lago se nombra con --lake.',
  longPath: (length) =>
    `No se puede abrir el candado del lago: su ruta de ${length} caracteres es demasiado larga. Mueva el lago a una más corta.`,
  isBusy: (holder, lake) => `${holder} escribe el lago ${lake}, así que no se hizo nada.`,
  waitLonger: () =>
    'Pruebe cuando haya terminado, o espere más con --wait MINUTOS. Termínelo si quedó colgado.',
  waiting: (minutes, holder, lake) =>
    `Se espera a lo sumo ${counted(minutes, ['minuto', 'minutos'])} a ${holder}, que escribe ${lake}.`,
  fileFault: (lake, _what, why) => `El lago ${lake}: ${why}.`,
  specialFile: (key, lake) =>
    `${key} de ${lake} no es un archivo común: es un enlace, una tubería, un socket o un dispositivo.`,
  removeSpecialFile: () => 'Quítelo y pruebe otra vez.',
  notOwnLock: (path) =>
    `${path} no es parte del candado del lago, que tiene que ser una carpeta de este usuario con un archivo vacío: es un enlace, de otro usuario u otra cosa.`,
  removeFromLock: () => 'No se hizo nada. Quítelo y pruebe otra vez.',
  isWhole: () => 'Nada quedó a medio escribir.',
  exportFirst: () => 'Traiga algo primero (exportar), o nombre otro con --lake: una carpeta, o s3://BUCKET.',
  sandbox: (seed) => `la API de práctica (semilla ${seed})`,
  otherSource: (lake, marked, asked) =>
    `Los comprobantes del lago ${lake} son de ${marked}, no de ${asked}. No se leyó ni se escribió nada.`,
  moved: () =>
    'Si es el mismo servicio en una dirección nueva, confírmelo una vez con --source-moved. Si no, dé otro lago, o la ' +
    'dirección del suyo si la conoce como su servicio: los tokens van ahí.',
  neverMixed: () =>
    'Los comprobantes inventados y los de verdad nunca se mezclan. Dé otro lago con --lake CARPETA.',
  neverMixedNorAsked: () =>
    'Los comprobantes inventados y los de verdad nunca se mezclan. Dé otro lago con --lake CARPETA, o la API de este con --api.',
  unmarked: (lake) =>
    `El lago ${lake} tiene comprobantes, pero no la marca que dice de dónde son. No se leyó ni se escribió nada.`,
  adopt: (api) =>
    `Si son de ${api} (verificar los compara), confírmelo una vez con --adopt-lake. Si no, dé otro lago con --lake CARPETA.`,
  unreadableMark: (lake, key) =>
    `Esta versión no puede leer la marca del lago ${lake} (${key}). No se leyó ni se escribió nada.`,
  moveMarkAway: () =>
    'Si la escribió una versión más nueva, use esa. Si no, saque la marca, y confirme una vez con --adopt-lake de dónde son ' +
    'los comprobantes.',
};

export const LAKE = inBoth(en, es);

/** Why exchange rates are not taken. */
const ratesEn = {
  twoRates: (currency: string, day: string, firstRate: string, secondRate: string) =>
    `Nothing was written: ${currency} has two rates on ${day}, ${firstRate} and ${secondRate}. Leave in the file the one that counts.`,
  jump: (currency: string, before: string, dayBefore: string, value: string, day: string) =>
    `${currency} ${before} on ${dayBefore}, ${value} on ${day}, a jump of over 20 %`,
  outOfBand: (place: string, currency: string, value: string, day: string, low: string, high: string) =>
    `${place} has ${currency} ${value} on ${day}, and ${low} to ${high} is plausible`,
  notTaken: (faults: string) => `Nothing was written: ${faults}.`,
  allowJumps: () => 'Correct the file, or, if the rates are right, say so by --allow-jumps.',
};

const ratesEs: typeof ratesEn = {
  twoRates: (currency, day, firstRate, secondRate) =>
    `No se escribió nada: ${currency} tiene dos cotizaciones el ${day}, ${firstRate} y ${secondRate}. Deje en el archivo la que vale.`,
  jump: (currency, before, dayBefore, value, day) =>
    `${currency} ${before} el ${dayBefore}, ${value} el ${day}, un salto de más de 20 %`,
  outOfBand: (place, currency, value, day, low, high) =>
    `${place} tiene ${currency} ${value} el ${day}, y lo verosímil va de ${low} a ${high}`,
  notTaken: (faults) => `No se escribió nada: ${faults}.`,
  allowJumps: () => 'Corrija el archivo o, si las cotizaciones están bien, dígalo con --allow-jumps.',
};

export const RATE_FAULTS = inBoth(ratesEn, ratesEs);
