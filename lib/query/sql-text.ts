/** Where the blanks and comments that begin at `start` end. One pass: no pattern here can try a text twice. */
export function blankEnd(sql: string, start = 0): number {
  const blank = /\s+|--[^\n\r]*|\/\*/y;
  for (let end = start; ; ) {
    blank.lastIndex = end;
    const [found] = blank.exec(sql) ?? [];
    if (found === undefined) return end;
    end = found === '/*' ? commentEnd(sql, blank.lastIndex) : blank.lastIndex;
  }
}

/** Comments nest, as in Postgres. */
function commentEnd(sql: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  for (let depth = 1; depth > 0; ) {
    const [found] = mark.exec(sql) ?? [];
    if (found === undefined) return sql.length;
    depth += found === '/*' ? 1 : -1;
  }
  return mark.lastIndex;
}

const EXPLAIN = [/EXPLAIN\b/iy, /(?:ANALYZE\b)?/iy, /(?:\(\s*(?:ANALYZE|FORMAT)\b[^()]*\))?/iy];

/** The statement after EXPLAIN; the whole SQL if it does not begin with EXPLAIN. */
export function explainedPart(sql: string): string {
  let end = 0;
  for (const part of EXPLAIN) {
    part.lastIndex = blankEnd(sql, end);
    if (!part.test(sql)) return sql;
    end = part.lastIndex;
  }
  return sql.slice(end);
}

/** The SQL without a semicolon at its end, which comments may follow. */
export function withoutEnd(sql: string): string {
  const end = sql.lastIndexOf(';');
  return end >= 0 && blankEnd(sql, end + 1) === sql.length ? sql.slice(0, end) : sql;
}

/**
 * The names that the SQL may call as functions, in lower case: words before a parenthesis, or before a comment that may
 * hide one. Words in texts and comments are among them; DuckDB takes any character beyond ASCII for a blank, or none.
 */
export function calledNames(sql: string): Set<string> {
  const calls = sql.slice(blankEnd(sql)).matchAll(/\b([a-z]\w*)"?[^\x21-\x7e]*(?:\(|--|\/\*)/gi);
  return new Set([...calls].map(([, name = '']) => name.toLowerCase()));
}
