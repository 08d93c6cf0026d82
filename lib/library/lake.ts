import type { Answer } from '../query/answer.ts';
import type { PartitionRange } from '../query/lake-files.ts';

/** An answer. Every value is text; amounts and ids have all their digits. */
export interface LakeAnswer extends Answer {
  /** Which of the days asked for lag behind what was exported; undefined if none does. */
  lagNote: string | undefined;
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
   * `cfe-lake query` shows, such as QueryError, QuestionRefusedError and LakeMissingError.
   */
  async query(sql: string, range: PartitionRange = {}): Promise<LakeAnswer> {
    // Loaded with the first question: DuckDB takes time, and memory.
    const [{ openLake }, { ask }] = await Promise.all([
      import('../query/open-lake.ts'),
      import('../query/ask.ts'),
    ]);
    const lake = await openLake(this.address, sql, range);
    try {
      return { ...(await ask(lake, sql)), lagNote: lake.lagNote };
    } finally {
      lake.close();
    }
  }
}
