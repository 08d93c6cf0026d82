import { CfeLakeError } from '../system/errors.ts';
import type { Language } from '../text/language.ts';
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

/** The declaration would lack receipts, or a value does not fit its field. */
export class FormIncompleteError extends CfeLakeError {
  override name = 'FormIncompleteError';
}

/**
 * One line a counterpart and line of the form, in ISO-8859-1. Receipts that are in no line are left out if that is
 * forced, and refused otherwise. Throws FormIncompleteError.
 */
export function form2181({ columns, rows }: Answer, isForced: boolean) {
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const [lineAt, countAt, ticketsAt] = [place('linea'), place('comprobantes'), place('de_e_tickets')];
  const inNone = rows.filter((row) => row[lineAt] === null);
  const receipts = inNone.reduce((sum, row) => sum + Number(row[countAt]), 0);
  const leftOut = inNone.length > 0 ? FORM.inNoLine(receipts, inNone.length) : null;
  if (leftOut !== null && !isForced) {
    throw new FormIncompleteError((language: Language) => FORM.incomplete(leftOut(language))(language), {
      advice: FORM.whichOrForce(),
    });
  }
  const lines = rows
    .filter((row) => row[lineAt] !== null)
    .map((row) => {
      const fields = FORM_FIELDS.map((field) =>
        fieldText(field, 'always' in field.holds ? field.holds.always : row[place(field.holds.column)]),
      );
      return `${fields.join('')}${LINE_END}`;
    });
  const withTickets = rows.filter((row) => /[1-9]/.test(row[ticketsAt] ?? '')).length;
  return {
    bytes: Buffer.from(lines.join(''), 'latin1'),
    lineCount: lines.length,
    /** Which receipts it lacks. */
    leftOut,
    remarks: [
      ...(leftOut === null ? [] : [(language: Language) => FORM.forced(leftOut(language))(language)]),
      ...(withTickets > 0 ? [FORM.withTickets(withTickets)] : []),
      FORM.neverLoaded(),
    ],
  };
}

/** The field with its end. A sign stands before the zeros; a month is YYYYMM. Throws FormIncompleteError. */
function fieldText({ name, width, filledWith, holds }: FormField, value: string | null | undefined): string {
  const isMonth = 'column' in holds && holds.column === 'mes';
  const text = isMonth ? (value ?? '').slice(0, 7).replace('-', '') : (value ?? '');
  const [, sign = '', digits = ''] = /^(-?)(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (digits === '' || text.length > width) {
    throw new FormIncompleteError(
      `The field “${name}” of the file holds ${width} characters, and no ${text}.`,
      {
        advice: 'Declare that counterpart by hand, in the tax authority’s own program.',
      },
    );
  }
  return `${sign}${digits.padStart(width - sign.length, filledWith)}${FIELD_END}`;
}
