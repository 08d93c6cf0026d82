import { CHANGING_DAYS, type Day, weekdayOf } from '../../time/days.ts';
import type { Texts } from './texts.ts';

// Written out: browsers differ in what they know of es-UY, above all setiembre.
const MONTHS = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'setiembre',
  'octubre',
  'noviembre',
  'diciembre',
];
const WEEKDAYS = ['domingo', 'lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado'];

function weekday(day: Day): string {
  return WEEKDAYS[weekdayOf(day)] ?? '';
}

function month(day: Day): string {
  return MONTHS[Number(day.slice(5, 7)) - 1] ?? '';
}

/** `19/11/2026`. */
function shortDay(day: Day): string {
  return day.split('-').reverse().join('/');
}

function days(count: number): string {
  return count === 1 ? '1 día' : `${count} días`;
}

function ageText(age: number | undefined): string {
  if (age === undefined) return '';
  if (age < 0) return `, ${days(-age)} antes de su fecha de emisión`;
  return age === 0 ? ', su fecha de emisión' : `, ${days(age)} después de su fecha de emisión`;
}

/** As in Uruguay. */
export const SPANISH: Texts = {
  language: 'es',
  otherLanguage: 'English',

  thousands: '.',
  decimal: ',',
  shortDay,
  weekDay: (day) => `${weekday(day)} ${shortDay(day)}`,
  longDay: (day) => `${weekday(day)} ${Number(day.slice(8))} de ${month(day)} de ${day.slice(0, 4)}`,
  shortMonth: (day) => `${month(day).slice(0, 3)} ${day.slice(0, 4)}`,
  longMonth: (day) => `${month(day)} de ${day.slice(0, 4)}`,

  title: 'Cobertura',
  whichDays: 'Qué fechas de emisión hay en el lago:',
  range: (from, to) => `del ${from} al ${to}`,
  companies: (count, isOne) => `${count} ${isOne ? 'empresa' : 'empresas'}`,
  inLake: 'en',
  asOf: (moment) => `Al ${moment}, hora de Uruguay.`,

  states: {
    missing: 'sin exportar',
    failed: 'con falla',
    unstable: 'con lista inestable',
    aged: 'sin lectura final',
    open: 'todavía en lectura',
    exported: 'con lectura final',
  },
  meanings: {
    missing: 'ninguna corrida lo exportó',
    failed: 'la última lectura falló; si hubo una anterior, se conserva',
    unstable: 'su lista cambió en cada lectura',
    aged: `se leyó por última vez antes de cumplir ${CHANGING_DAYS} días`,
    open: `exportado; todavía puede cambiar: no cumplió ${CHANGING_DAYS} días`,
    exported: `exportado después de cumplir ${CHANGING_DAYS} días`,
  },
  receipts: (count, number) =>
    number === 0 ? 'sin comprobantes' : `${count} ${number === 1 ? 'comprobante' : 'comprobantes'}`,
  failedWith: (receipts) => `con falla, ${receipts} de una lectura anterior`,

  company: 'Empresa: nombre o RUT',
  direction: 'Comprobantes',
  both: 'todos',
  ofCompanies: (all, isOne) => `de ${all} ${isOne ? 'empresa' : 'empresas'}`,
  nothingChosen: 'Ninguna empresa cumple con eso: hay que ampliar la búsqueda.',
  noReceipts: 'sin comprobantes',
  busyDays: 'tantos como en los días de más movimiento del calendario',
  help: 'Cada fila es un mes y cada columna un día. Los botones muestran las empresas que tienen días así; un clic en un día lo abre.',
  ofCompany: (name) => `de ${name}`,
  most: (count) => `hasta ${count} por día`,
  days,

  overview: 'Resumen',
  overviewHelp: ([upper, lower]) =>
    `Cada fila es una empresa y cada columna un día: ${lower === undefined ? upper : `${upper} arriba, ${lower} abajo`}. Media altura: sin lectura final; tres cuartos: todavía en lectura; pálido: sin comprobantes. El número cuenta los días sin exportar, con falla o con lista inestable.`,
  noTrouble: 'ningún día por revisar',
  toOverview: '↑ Resumen',

  daysInWords: 'Los días en palabras',
  readAgain: 'Para volver a leerlo:',
  readOn: (receipts, day, age) =>
    `${receipts}, según la lectura ${day === undefined ? 'de un día que no consta' : `del ${day}`}${ageText(age)}`,
  sentences: {
    missing: 'Ninguna corrida exportó este día.',
    failed: 'Todas las lecturas de este día fallaron; en el lago no hay nada de él.',
    failedWithEarlier: (read) => `La última lectura falló. El lago conserva una anterior: ${read}.`,
    unstable:
      'La lista cambió en cada lectura: se conserva todo lo que se vio, pero no está probado que sea todo.',
    aged: `Un comprobante puede cambiar durante ${CHANGING_DAYS} días; lo que cambió después de esa lectura no está acá.`,
    open: (until) => `Se sigue leyendo, porque todavía puede cambiar, hasta el ${until}.`,
    exported: `Ya habían pasado ${CHANGING_DAYS} días desde la fecha de emisión.`,
  },

  readings: 'Lecturas, de exportaciones',
  older: (count) => `… y ${count} anteriores, en exportaciones.`,

  totals: 'Totales por tipo',
  noTotals:
    'Sin totales por tipo: la última lectura es de antes de que la auditoría los guardara. La próxima exportación los trae.',
  type: 'Tipo',
  receiptsColumn: 'Cantidad',
  noType: 'sin tipo',
  noCurrency: 'La lista de emitidos no trae moneda: una suma puede mezclar varias.',
  creditNotes: 'Los totales de las notas de crédito son positivos: hay que restarlos.',
  haveNone: (count) => `${count} ${count === '1' ? 'no tiene' : 'no tienen'}`,
};
