import { shellWord } from '../text/shell-word.ts';

/** Options that say of an export what its continuation says in another way, or once. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'date',
  'from',
  'to',
  'writer',
  'json',
  'export',
  'adopt-lake',
  'source-moved',
]);

/** The command, as a shell takes it, that exports what an interrupted export of these days did not. */
export function continuationOf(options: Readonly<Record<string, unknown>>, days: readonly string[]): string {
  const words = ['missing', '--from', days[0] ?? '', '--to', days.at(-1) ?? ''];
  for (const [name, value] of Object.entries(options)) {
    if (LEFT_OUT.has(name) || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      words.push(`--${name}`, ...(each === true ? [] : [shellWord(String(each))]));
    }
  }
  return [...words, '--export'].join(' ');
}
