import { inspect } from 'node:util';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import type { Answer } from '../query/answer.ts';
import { type Day, isDay, type Period } from '../time/days.ts';

/** An answer. Every value is text; amounts and ids have all their digits. */
export interface LakeAnswer extends Answer {
  /** Which of the days asked for lag behind what was exported; undefined if none does. */
  lagNote: string | undefined;
}

/** First and last partition to read, `YYYY-MM-DD`, both included. A missing bound is open. */
export interface PartitionRange {
  from?: string;
  to?: string;
}

/** A bound of the asked days is not a calendar day. */
class InvalidDayError extends CfeLakeError {
  override name = 'InvalidDayError';
  override readonly exitCode = EXIT_WRONG_INPUT;
}

/**
 * Reads a lake: a folder, or `s3://bucket/prefix` with the credentials and region of the environment. Its tables have
 * the same names as in Athena; docs/athena.md describes every column. It never changes anything.
 */
export class LakeReader {
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  /**
   * Answers a question in SQL with DuckDB, over the days from `from` to `to` (`YYYY-MM-DD`, both included) if given.
   * The days that it needs of a bucket are first copied into this user's cache, where they stay. Throws the errors that
   * `cfe-lake query` shows, such as QueryError, QuestionRefusedError and LakeMissingError, and an InvalidDayError for a
   * bound that is no day.
   */
  async query(sql: string, range: PartitionRange = {}): Promise<LakeAnswer> {
    const days = checkedPeriod(range);
    // Loaded with the first question: DuckDB takes time, and memory.
    const [{ openLake }, { ask }] = await Promise.all([
      import('../query/open-lake.ts'),
      import('../query/ask.ts'),
    ]);
    const lake = await openLake(this.address, sql, days);
    try {
      return { ...(await ask(lake, sql)), lagNote: lake.lagNote };
    } finally {
      lake.close();
    }
  }
}

/** Days compare as text, so that `2026-11-5` would leave days out in silence. Throws InvalidDayError. */
function checkedPeriod({ from, to }: PartitionRange): Period {
  return {
    ...(from !== undefined && { from: checkedDay('from', from) }),
    ...(to !== undefined && { to: checkedDay('to', to) }),
  };
}

function checkedDay(bound: string, text: string): Day {
  if (!isDay(text))
    throw new InvalidDayError(`${bound} must be a calendar day, YYYY-MM-DD, not ${inspect(text)}.`);
  return text;
}
