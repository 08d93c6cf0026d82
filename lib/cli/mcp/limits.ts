import { type DatabaseLimits, distrustedBytes } from '../../query/database-limits.ts';

/** What DuckDB may take for a question of an assistant. */
export const LIMITS: DatabaseLimits = {
  memoryBytes: distrustedBytes(2 ** 30),
  spillBytes: 2 * 2 ** 30,
};
/** Room for all that is not DuckDB's, or that DuckDB does not count: one function of SQL may make gigabytes. */
export const OTHER_BYTES = 512 * 2 ** 20;
/** Days of one question: each is a unit of each company and direction. */
export const MOST_DAYS = 3_650;
/** The largest message: a question's SQL has a hundredth of it, and a few values. */
export const MOST_MESSAGE_BYTES = 256 * 1024;
export const MOST_MESSAGE_VALUES = 1_000;
/** Questions without an answer, with the one that is being answered. */
export const MOST_OPEN = 16;
/** Lines in a row that are no message: a client has few. */
export const MOST_BROKEN_LINES = 1_000;

/** What the process that answers says of a question first. */
export const BEGUN = 'begun';

/** Begins the name of the folder of the process that answers. */
export const SCRATCH_PREFIX = 'cfe-lake-mcp-';
