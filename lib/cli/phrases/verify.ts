import { inBoth } from '../../text/language.ts';
import { counted, countText, type Several } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

const DAYS: Several = ['día', 'días'];

const en = {
  legacy: () => 'compare with the unpaged legacy list, as an independent count',
  sourceMoved: () => 'compare even if the lake is marked with another address of this API',
  examples: (most: number) => `differences to show per company and day (default ${most})`,

  company: () => 'company',
  direction: () => 'direction',
  day: () => 'day',
  days: (count: number) => plural(count, 'day'),
  number: (count: number) => count.toLocaleString('en'),
  equal: () => 'equal',
  missing: () => 'missing',
  extra: () => 'extra',
  different: () => 'different',
  vanished: () => 'vanished',
  damaged: () => 'damaged',
  notRead: () => 'not read',
  more: (count: number) => `  … ${count} more`,
  moreInJson: (count: number) => `  … and ${count} more; --json has them all`,
  moreReceipts: (count: number) => `    … and ${plural(count, 'more receipt')}`,
  moreDays: (count: number) => `  … and ${plural(count, 'more day')}`,
  legend: () =>
    'missing: the API lists it, the lake lacks it. extra: only the lake has it. vanished: kept in the lake, marked as gone ' +
    'from the list. damaged: days whose object is not as it was written.',
  differences: () => 'Differences, such as:',
  damagedInLake: () => 'Damaged in the lake:',
  unread: () => 'Not read:',
  wrongInTables: () => 'Wrong in the tables:',
  wrongDay: (table: string, day: string, reason: string) => `  ${table}, day ${day}: ${reason}`,
  twice: () => 'extra: it is in the lake more than once',
  receipt: (id: string, what: string) => `    receipt ${id}  ${what}`,
  field: (id: string, field: string, lake: string | null, api: string | null) =>
    `    receipt ${id}  ${field}: ${lake ?? 'nothing'} in the lake, ${api ?? 'nothing'} in the API`,
  notCompared: (names: string) => `Not compared with the legacy list: ${names}.`,
  unstable: (count: number) =>
    `${plural(count, 'day')} changed at every reading, or their end could not be checked: compare again.`,

  api: () => 'the API',
  legacyList: () => 'the legacy list',
  couldNotCompare: (count: number, days: number) =>
    ` ${count.toLocaleString('en')} of ${plural(days, 'company-day')} could not be compared.`,
  differs: () => 'Different',
  differing: (
    source: string,
    count: number,
    days: number,
    lake: string,
    isDamaged: boolean,
    unread: string,
  ) =>
    ` from ${source}: ${count.toLocaleString('en')} of ${plural(days, 'company-day')} of ${lake}. ` +
    `${isDamaged ? 'Repair what is damaged, then export' : 'Export'} again:${unread}`,
  notWhatSqlReads: () => 'Not what SQL reads:',
  wrongTables: (lake: string, source: string, count: number, unread: string) =>
    ` the units of ${lake} hold exactly what ${source} lists, but the tables are wrong on ${plural(count, 'day')}.${unread}`,
  isEqual: () => 'Equal:',
  isEqualSoFar: () => 'Equal as far as compared:',
  holds: (lake: string, source: string, unread: string) =>
    ` ${lake} holds exactly what ${source} lists.${unread}`,
};

const es: typeof en = {
  legacy: () => 'compara con la lista antigua sin páginas, como cuenta independiente',
  sourceMoved: () => 'compara aunque el lago lleve la marca de otra dirección de esta API',
  examples: (most) => `diferencias que se muestran por empresa y día (si falta: ${most})`,

  company: () => 'empresa',
  direction: () => 'lista',
  day: () => 'día',
  days: (count) => counted(count, DAYS),
  number: countText,
  equal: () => 'iguales',
  missing: () => 'faltan',
  extra: () => 'sobran',
  different: () => 'distintos',
  vanished: () => 'ausentes',
  damaged: () => 'dañados',
  notRead: () => 'sin leer',
  more: (count) => `  … ${count} más`,
  moreInJson: (count) => `  … y ${count} más; --json los tiene todos`,
  moreReceipts: (count) => `    … y ${counted(count, ['comprobante más', 'comprobantes más'])}`,
  moreDays: (count) => `  … y ${counted(count, ['día más', 'días más'])}`,
  legend: () =>
    'faltan: la API los lista y el lago no los tiene. sobran: solo los tiene el lago. ausentes: el lago los conserva, ' +
    'marcados como quitados de la lista. dañados: días cuyo objeto no está como se escribió.',
  differences: () => 'Diferencias, por ejemplo:',
  damagedInLake: () => 'Dañados en el lago:',
  unread: () => 'Sin leer:',
  wrongInTables: () => 'Mal en las tablas:',
  wrongDay: (table, day, reason) => `  ${table}, día ${day}: ${reason}`,
  twice: () => 'sobra: está más de una vez en el lago',
  receipt: (id, what) => `    comprobante ${id}  ${what}`,
  field: (id, field, lake, api) =>
    `    comprobante ${id}  ${field}: ${lake ?? 'nada'} en el lago, ${api ?? 'nada'} en la API`,
  notCompared: (names) => `Sin comparar con la lista antigua: ${names}.`,
  unstable: (count) =>
    `${counted(count, ['día cambió', 'días cambiaron'])} en cada lectura, o no se pudo comprobar su final: compare de nuevo.`,

  api: () => 'la API',
  legacyList: () => 'la lista antigua',
  couldNotCompare: (count, days) =>
    ` No se pudieron comparar ${countText(count)} de ${counted(days, DAYS)} (por empresa y lista).`,
  differs: () => 'Distinto',
  differing: (source, count, days, lake, isDamaged, unread) =>
    ` de ${source}: ${countText(count)} de ${counted(days, DAYS)} (por empresa y lista) de ${lake}. ` +
    `${isDamaged ? 'Repare lo dañado y traiga' : 'Traiga'} de nuevo:${unread}`,
  notWhatSqlReads: () => 'No es lo que lee SQL:',
  wrongTables: (lake, source, count, unread) =>
    ` las unidades de ${lake} tienen exactamente lo que lista ${source}, pero las tablas están mal en ${counted(count, DAYS)}.${unread}`,
  isEqual: () => 'Igual:',
  isEqualSoFar: () => 'Igual hasta donde se comparó:',
  holds: (lake, source, unread) => ` ${lake} tiene exactamente lo que lista ${source}.${unread}`,
};

export const VERIFY = { en, es };
export const SAY = inBoth(en, es);
