import { CfeLakeError } from '../system/errors.ts';
import { joined, type Language, type Localized } from '../text/language.ts';
import type { Answer } from './answer.ts';
import { FORM } from './phrases.ts';

/** The text file of formulario-2181, from the answer to the query of that name. */

interface FormField {
  /** Its name in docs/formulario-2181.md, which says where each width comes from; a test compares the two. */
  name: string;
  width: number;
  filledWith: ' ' | '0';
  /** The query's column that it holds, or what it always holds. */
  holds: { column: string } | { always: string };
}

export const FORM_FIELDS: readonly FormField[] = [
  { name: 'RUT que informa', width: 12, filledWith: '0', holds: { column: 'rut' } },
  { name: 'Formulario', width: 5, filledWith: ' ', holds: { always: '2181' } },
  { name: 'Mes declarado', width: 6, filledWith: '0', holds: { column: 'mes' } },
  { name: 'RUT de la contraparte', width: 12, filledWith: '0', holds: { column: 'contraparte' } },
  { name: 'Mes de los comprobantes', width: 6, filledWith: '0', holds: { column: 'mes' } },
  { name: 'Línea', width: 3, filledWith: '0', holds: { column: 'linea' } },
  { name: 'Importe', width: 15, filledWith: '0', holds: { column: 'importe' } },
];
const FIELD_END = ';';
const LINE_END = '\r\n';

/** The note of a row that counts what the form has not by its rule: its receipts were issued and are not accepted. */
export const NOT_ACCEPTED = 'sin aceptar';

/** The declaration would lack receipts, or a value does not fit its field. */
export class FormIncompleteError extends CfeLakeError {
  override name = 'FormIncompleteError';
}

/**
 * One line a counterpart and line of the form, in ISO-8859-1. Receipts that are in no line, and lines that do not fit, are
 * left out if that is forced, and refused otherwise; those that are not accepted are counted. Throws FormIncompleteError.
 */
export function form2181({ columns, rows }: Answer, isForced: boolean) {
  const places = new Map(columns.map(({ name }, place) => [name, place]));
  const valueIn = (row: Answer['rows'][number], name: string) => row[places.get(name) ?? -1] ?? null;
  const receiptsIn = (counted: Answer['rows']) =>
    counted.reduce((sum, row) => sum + Number(valueIn(row, 'comprobantes')), 0);
  const isNotAccepted = (row: Answer['rows'][number]) => valueIn(row, 'nota') === NOT_ACCEPTED;
  const inNone = rows.filter((row) => valueIn(row, 'linea') === null && !isNotAccepted(row));
  const inNoLine = inNone.length > 0 ? FORM.inNoLine(receiptsIn(inNone), inNone.length) : null;
  const notAccepted = receiptsIn(rows.filter(isNotAccepted));
  if (inNoLine !== null && !isForced) {
    throw new FormIncompleteError((language: Language) => FORM.incomplete(inNoLine(language))(language), {
      advice: FORM.whichOrForce(),
    });
  }
  const lines = rows
    .filter((row) => valueIn(row, 'linea') !== null)
    .map((row) => {
      const fields = FORM_FIELDS.map((field) => {
        const { holds } = field;
        const value = 'always' in holds ? holds.always : (valueIn(row, holds.column) ?? '');
        return { field, value, text: fieldText(field, value) };
      });
      return { row, fields, misfit: fields.find(({ text }) => text === null) };
    });
  const inFile = lines.filter(({ misfit }) => misfit === undefined);
  const misfits = lines.flatMap(({ row, misfit }) =>
    misfit === undefined ? [] : [{ ...misfit, document: valueIn(row, 'contraparte') ?? '' }],
  );
  const [first] = misfits;
  if (first !== undefined && !isForced) {
    const { name, width } = first.field;
    throw new FormIncompleteError(FORM.noField(name, width, first.value, first.document), {
      advice: FORM.byHand(),
    });
  }
  const documents = [...new Set(misfits.map(({ document }) => document))];
  const noRoom = misfits.length > 0 ? FORM.noRoom(misfits.length, documents) : null;
  const lacks = [inNoLine, noRoom].filter((lack) => lack !== null);
  const leftOut = lacks.length > 0 ? joined(lacks, '; ') : null;
  const withTickets = inFile.filter(({ row }) => /[1-9]/.test(valueIn(row, 'de_e_tickets') ?? '')).length;
  return {
    bytes: Buffer.from(
      inFile.map(({ fields }) => `${fields.map(({ text }) => text).join('')}${LINE_END}`).join(''),
      'latin1',
    ),
    lineCount: inFile.length,
    /** Which receipts and lines it lacks. */
    leftOut,
    /** Which lines do not fit. */
    noRoom,
    /** How many issued receipts it has not, as the tax authority did not accept them. */
    notAccepted,
    remarks: [
      ...(leftOut === null ? [] : [(language: Language) => FORM.forced(leftOut(language))(language)]),
      ...(notAccepted > 0 ? [notAcceptedText(notAccepted)] : []),
      ...(withTickets > 0 ? [FORM.withTickets(withTickets)] : []),
      FORM.neverLoaded(),
    ],
  };
}

/** A sentence that says that the form has not these receipts. */
export function notAcceptedText(receipts: number): Localized {
  return (language) => FORM.says(FORM.notAccepted(receipts)(language))(language);
}

/** The field with its end; null where it does not hold the value. A sign stands before the zeros; a month is YYYYMM. */
function fieldText({ width, filledWith, holds }: FormField, value: string): string | null {
  const column = 'column' in holds ? holds.column : undefined;
  const text = column === 'mes' ? value.slice(0, 7).replace('-', '') : value;
  const form = column === 'importe' ? /^(-?)(\d+(?:\.\d+)?)$/ : /^()(\d+)$/;
  const [, sign = '', digits = ''] = form.exec(text) ?? [];
  if (digits === '' || text.length > width) return null;
  return `${sign}${digits.padStart(width - sign.length, filledWith)}${FIELD_END}`;
}
