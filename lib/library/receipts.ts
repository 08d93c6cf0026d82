import type { Column, EMITIDOS, EMITIDOS_DETALLE, RECIBIDOS, RECIBIDOS_DETALLE } from '../lake/tables.ts';
import type { ExactNumber, JsonObject } from '../text/exact-json.ts';

/**
 * The types of receipts, made from the lake's columns: each column with a path is a field of the API's object. They are
 * the contract's. What the API sends is passed on as it came, also fields that the contract does not name.
 */

/** A number that a double can't hold is an ExactNumber. Both have their digits in `${value}` and JSON.stringify. */
export type ExactValue = number | ExactNumber;

/** What the API's object has for a column of each type; for JSON, of each shape. */
interface Values {
  int32: number;
  int64: ExactValue | string;
  'decimal(17,2)': ExactValue;
  timestamp: string;
  string: string;
  object: JsonObject;
  array: readonly unknown[];
}

/** Path and value of a field. The path is shortened as it is followed into the object. */
type At<Field extends Column> = Field extends { path: infer Path extends string }
  ? [Path, Values[(Field extends { shape: infer Shape } ? Shape : Field['type']) & keyof Values]]
  : never;

type First<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;

type Within<Field, Name extends string> = Field extends [`${Name}.${infer Rest}`, infer Value]
  ? [Rest, Value]
  : never;

type ApiObject<Field extends [string, unknown]> = {
  readonly [Name in First<Field[0]>]?:
    | (Name extends Field[0] ? Extract<Field, [Name, unknown]>[1] : ApiObject<Within<Field, Name>>)
    | null;
};

type ReceiptOf<Table extends { columns: readonly Column[] }> = {
  /** Its digits are `${id}`, whichever it is. */
  readonly id: Values['int64'];
  readonly [field: string]: unknown;
} & Omit<ApiObject<At<Table['columns'][number]>>, 'id'>;

/** Receipts of the lists. That of issued ones has no currency. */
export interface ReceivedSummary extends ReceiptOf<typeof RECIBIDOS> {}
export interface IssuedSummary extends ReceiptOf<typeof EMITIDOS> {}
/** Whole receipts. The contract does not name the fields of their objects and lines. */
export interface ReceivedDetail extends ReceiptOf<typeof RECIBIDOS_DETALLE> {}
export interface IssuedDetail extends ReceiptOf<typeof EMITIDOS_DETALLE> {}

export interface Summaries {
  recibidos: ReceivedSummary;
  emitidos: IssuedSummary;
}

export interface Details {
  recibidos: ReceivedDetail;
  emitidos: IssuedDetail;
}
