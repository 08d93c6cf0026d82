import type { Answer } from '../query/answer.ts';
import type { PartitionRange } from '../query/lake-files.ts';

/** An answer, every value as text, amounts and ids to their last digit. */
export interface LakeAnswer extends Answer {
  /** Which of the days asked for lag behind what was exported; undefined when none does. */
  lagNote: string | undefined;
}

/**
 * A lake to be read: a folder, or `s3://bucket/prefix` with the credentials and region of the environment. Its tables
 * have the names that they have in Athena; docs/athena.md has every column. Nothing is ever changed.
 */
export class LakeReader {
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  /**
   * Asks one question in SQL, which DuckDB answers, of the days from `from` to `to` (`YYYY-MM-DD`, both included) where
   * given. Of a bucket the days that it needs are copied first, into a cache of this user's, and kept. Throws what
   * `cfe-lake query` tells: QueryError, QuestionRefusedError, LakeMissingError and their like.
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
