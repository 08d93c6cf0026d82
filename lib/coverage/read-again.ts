import { type LakeSource, readMark, SourceMarkError } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { shellWord } from '../text/terminal.ts';

/**
 * The command that reads days of this lake again; the caller adds days and companies. A bucket is filled by its stack,
 * a folder from the source in its mark. Without a mark, the command names a companies file.
 */
export function readAgainCommand(program: string, lake: string, source: LakeSource | undefined): string {
  if (lake.startsWith('s3://')) return `${program} backfill`;
  const words = [program, 'export', '--lake', shellWord(lake)];
  if (source === undefined || 'api' in source) words.push('--companies', 'companies.json');
  if (source !== undefined && 'api' in source) words.push('--api', shellWord(source.api));
  return words.join(' ');
}

/** The source in a folder's mark; undefined without a readable mark, and for a bucket. */
export async function sourceOf(store: LakeStore): Promise<LakeSource | undefined> {
  // A bucket's days are read again by its stack, whatever its mark says.
  if (store.address.startsWith('s3://')) return undefined;
  try {
    return (await readMark(store))?.source;
  } catch (error) {
    if (error instanceof SourceMarkError) return undefined;
    throw error;
  }
}
