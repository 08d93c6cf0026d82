import { type ParsedCompanies, parseCompanies, SHAPES } from './parse.ts';
import type { CompanyProblem } from './problem.ts';

/**
 * Companies of the JSON text of a file or a secret: parseCompanies, and what only the text shows. Text that is
 * not JSON is a problem that gives the place, never the content: it holds tokens.
 */
export function parseCompaniesText(text: string, source: string): ParsedCompanies {
  const json = text.replace(/^\uFEFF/, '');
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch (error) {
    const reason = `it is not JSON${placeOf(error)}: ${SHAPES}`;
    return { companies: [], entryByRut: new Map(), problems: [{ source, reason }] };
  }
  const parsed = parseCompanies(document, source);
  return { ...parsed, problems: [...parsed.problems, ...repeatedKeys(json, source)] };
}

/** Line and column from JSON.parse's message, which ends in them unless it ends in a quotation. */
function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [, line, column] = / \(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return line === undefined ? '' : ` (line ${line}, column ${column})`;
}

/** JSON.parse silently keeps the last of equal keys, and so would drop a company, or use another token or address. */
function repeatedKeys(json: string, source: string): CompanyProblem[] {
  const counts = new Map<string, number>();
  for (const [, key = ''] of json.matchAll(/"(\d{12}|companies|api)"\s*:/g)) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([key, count]) => ({
      source,
      ...(/^\d/.test(key) && { rut: key }),
      reason: `the key "${key}" stands there ${count} times: keep one of them`,
    }));
}
