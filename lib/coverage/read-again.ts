import type { LakeSource } from '../lake/source/mark.ts';
import { shellWord } from '../text/shell-word.ts';

const PROGRAM = 'npm run -s cfe-lake --';

/**
 * The command that reads days of this lake again; which days, of which company, comes after it. A bucket is filled by
 * its stack. A folder is of the source of its mark: where nobody marked it, the companies' file is to say which.
 */
export function readAgainCommand(lake: string, source: LakeSource | undefined): string {
  if (lake.startsWith('s3://')) return `${PROGRAM} backfill`;
  const words = [PROGRAM, 'export', '--lake', shellWord(lake)];
  if (source === undefined || 'api' in source) words.push('--companies', 'companies.json');
  if (source !== undefined && 'api' in source) words.push('--api', shellWord(source.api));
  return words.join(' ');
}
