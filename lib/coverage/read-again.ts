import { type LakeSource, readMark, SourceMarkError } from '../lake/source.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { shellWord } from '../text/terminal.ts';

/**
 * The command that reads days of this lake again; the caller adds which days and companies. A bucket is filled by its
 * stack. A folder is filled from the source that it is marked with, one without a mark by the companies' file.
 */
export function readAgainCommand(program: string, lake: string, source: LakeSource | undefined): string {
  if (lake.startsWith('s3://')) return `${program} backfill`;
  const words = [program, 'export', '--lake', shellWord(lake)];
  if (source === undefined || 'api' in source) words.push('--companies', 'companies.json');
  if (source !== undefined && 'api' in source) words.push('--api', shellWord(source.api));
  return words.join(' ');
}

/** The source that a folder is marked with; undefined without a readable mark, because the page is not about that. */
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
