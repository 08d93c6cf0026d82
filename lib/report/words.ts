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

/** `19/11/2026` of `2026-11-19`. */
export function dayText(day: string): string {
  return day.split('-').reverse().join('/');
}

/** `jueves` of `2026-11-19`. */
export function weekdayText(day: string): string {
  return WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? '';
}

/** `octubre de 2026` of any day of it. */
export function monthText(day: string): string {
  return `${MONTHS[Number(day.slice(5, 7)) - 1]} de ${day.slice(0, 4)}`;
}

/** `-1.234,50` of `-1234.50`; no digit is lost on the way. */
export function amountText(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '.');
  return fraction === undefined ? grouped : `${grouped},${fraction}`;
}

/** `1 día`, `1.234 días`. */
export function counted(count: number, one: string, many: string): string {
  return `${amountText(String(count))} ${count === 1 ? one : many}`;
}

/** `19/11/2026 10:20` of a timestamp's text. */
export function momentText(timestamp: string): string {
  return `${dayText(timestamp.slice(0, 10))} ${timestamp.slice(11, 16)}`.trim();
}
