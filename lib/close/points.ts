import type { Answer } from '../query/answer.ts';
import { NOT_ACCEPTED } from '../query/form-2181.ts';
import { answerOf, type PartId } from '../report/parts.ts';
import { lackOfDays, listingsText, type ReadPeriod } from '../report/read-days.ts';
import type { Report } from '../report/read-report.ts';
import { columnOf } from '../report/values.ts';
import { positionLacks, UNKNOWN, WITHOUT_RATE } from '../report/verdict.ts';
import type { Localized } from '../text/language.ts';
import { counted, type Several } from '../text/spanish.ts';
import { POINTS } from './phrases.ts';

/** What a month may leave open at its close, if somebody accepts it by this name. */
export type PointName = keyof typeof POINTS;
export const POINT_NAMES = Object.keys(POINTS) as readonly PointName[];

export interface OpenPoint {
  name: PointName;
  /** What the report says of it, in Spanish. */
  text: string;
}

const NOTED: Several = [
  'línea de los libros o de los resguardos con una nota',
  'líneas de los libros o de los resguardos con una nota',
];
const IN_NO_LINE: Several = [
  'fila del formulario 2181 sin línea: comprobantes que no se declaran',
  'filas del formulario 2181 sin línea: comprobantes que no se declaran',
];

/** What the form says of a row whose receipts the position tells of by `rates`. */
const LACKS_RATE = 'falta tipo de cambio';

/** What of a report is looked at. */
type ReadMonth = ReadPeriod & Pick<Report, 'rut' | 'days' | 'listings' | 'parts'>;

/**
 * `differing`: the lists that are not equal to the lake, in words; `noted`: the lines of books and resguardos whose nota says
 * more than that a rate lacks; `noRoom`: the lines that do not fit the form's file.
 */
export function openPoints(
  report: ReadMonth,
  form: Answer,
  differing: readonly string[],
  noted: number,
  noRoom: Localized | null,
): OpenPoint[] {
  const days = lackOfDays([report], report);
  const gone = listingsText(report.listings, 'gone');
  const rowsOf = (id: PartId) => answerOf(report.parts, id)?.rows.length ?? 0;
  const wordsOf = (id: PartId, count = rowsOf(id)) =>
    counted(count, report.parts.find(({ part }) => part.id === id)?.part.concern ?? [id, id]);
  const twice = rowsUnderMoreIds(answerOf(report.parts, 'dos-veces'));
  const { unknown, withoutRate } = positionLacks(report.parts);
  const [lineAt, noteAt] = [placeIn(form, 'linea'), placeIn(form, 'nota')];
  // Of amounts that the position takes and the form does not, and of what the position has not: counterparts, and receipts
  // that are rejected in the list alone.
  const inNone = form.rows
    .filter((row) => row[lineAt] === null && row[noteAt] !== NOT_ACCEPTED)
    .map((row) => {
      const notes = (row[noteAt] ?? '').split(', ');
      const reasons = notes.filter((note) => note !== '' && note !== LACKS_RATE);
      return { reasons, isTold: unknown > 0 || (withoutRate > 0 && notes.includes(LACKS_RATE)) };
    })
    .filter(({ reasons, isTold }) => reasons.length > 0 || !isTold);
  const reasons = [...new Set(inNone.flatMap((row) => row.reasons))].sort().join(', ');
  const points: readonly (OpenPoint & { isOpen: boolean })[] = [
    { name: 'days', isOpen: days?.isOpen === true, text: days?.text ?? '' },
    { name: 'gone', isOpen: gone !== undefined, text: gone ?? '' },
    { name: 'gaps', isOpen: rowsOf('numeracion') > 0, text: wordsOf('numeracion') },
    { name: 'twice', isOpen: twice > 0, text: wordsOf('dos-veces', twice) },
    { name: 'rejected', isOpen: rowsOf('rechazados') > 0, text: wordsOf('rechazados') },
    { name: 'details', isOpen: unknown > 0, text: counted(unknown, UNKNOWN) },
    // Of amounts that a book has and the position does not take.
    { name: 'details', isOpen: noted > 0 && unknown === 0, text: counted(noted, NOTED) },
    { name: 'rates', isOpen: withoutRate > 0, text: counted(withoutRate, WITHOUT_RATE) },
    {
      name: 'details',
      isOpen: inNone.length > 0,
      text: `${counted(inNone.length, IN_NO_LINE)}${reasons === '' ? '' : ` (${reasons})`}`,
    },
    { name: 'details', isOpen: noRoom !== null, text: `Formulario 2181: ${noRoom?.('es')}` },
    ...differing.map((text) => ({ name: 'lists', isOpen: true, text }) as const),
  ];
  return points.filter(({ isOpen }) => isOpen).map(({ name, text }) => ({ name, text }));
}

const NUMBER = ['direccion', 'emisor', 'tipo_comprobante', 'serie', 'numero'];

/** How many rows the sums count of receipts under several ids. Of one id on two days the point "days" is open. */
function rowsUnderMoreIds(answer: Answer = { columns: [], rows: [] }): number {
  // Of a series, the query takes a, A and A with a blank for one.
  const number = NUMBER.map((name) =>
    columnOf(answer, name).map((value) => (name === 'serie' ? value?.trim().toUpperCase() : value)),
  );
  const [ids, states] = [columnOf(answer, 'id'), columnOf(answer, 'estado')];
  const inSums = [...answer.rows.keys()].filter((row) => states[row] !== 'BE');
  return [...Map.groupBy(inSums, (row) => JSON.stringify(number.map((column) => column[row]))).values()]
    .filter((rows) => new Set(rows.map((row) => ids[row])).size > 1)
    .reduce((sum, rows) => sum + rows.length, 0);
}

function placeIn({ columns }: Answer, column: string): number {
  return columns.findIndex(({ name }) => name === column);
}
