export interface AnswerColumn {
  name: string;
  /** DuckDB's name of it: `DECIMAL(17,2)`, `DATE`. */
  type: string;
  isNumber: boolean;
  isBoolean: boolean;
}

/** An answer, every value as the text that DuckDB gives it; numbers exact. */
export interface Answer {
  columns: readonly AnswerColumn[];
  rows: readonly (readonly (string | null)[])[];
}

/** A column of texts, of an answer that no question to DuckDB gave. */
export function textColumn(name: string): AnswerColumn {
  return { name, type: 'VARCHAR', isNumber: false, isBoolean: false };
}
