import { CHANGING_DAYS, type Day } from '../../time/days.ts';
import { dayFormat } from './english.ts';
import type { Texts } from './texts.ts';

const weekday = dayFormat('es-UY', { weekday: 'long' });
const longMonth = dayFormat('es-UY', { month: 'long', year: 'numeric' });

/** `19/11/2026`. */
function shortDay(day: Day): string {
  return day.split('-').reverse().join('/');
}

/** As in Uruguay. */
export const SPANISH: Texts = {
  language: 'es',
  otherLanguage: 'English',

  thousands: '.',
  decimal: ',',
  shortDay,
  weekDay: (day) => `${weekday(day)} ${shortDay(day)}`,
  shortMonth: (day) => `${longMonth(day).slice(0, 3)} ${day.slice(0, 4)}`,
  longMonth,

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
  unknownFields: 'Campos que el contrato no nombra, guardados en otros:',
  help: 'Cada fila es un mes y cada columna un día. Los botones muestran las empresas que tienen días así; un clic en un día lo abre.',
  ofCompany: (name) => `de ${name}`,
  most: (count) => `hasta ${count} por día`,

  overview: 'Resumen',
  overviewHelp: ([upper, lower]) =>
    `Cada fila es una empresa y cada columna un día: ${lower === undefined ? upper : `${upper} arriba, ${lower} abajo`}. Media altura: sin lectura final; tres cuartos: todavía en lectura; pálido: sin comprobantes. El número cuenta los días sin exportar, con falla o con lista inestable.`,
  noTrouble: 'ningún día por revisar',
  toOverview: '↑ Resumen',

  daysInWords: 'Los días en palabras',
  readAgain: 'Para volver a leerlo:',
  readOn: (day) => `leído el ${day}`,

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
