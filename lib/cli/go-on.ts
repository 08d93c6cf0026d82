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
  const range = ['--from', days[0] ?? '', '--to', days.at(-1) ?? ''];
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !LEFT_OUT.has(name)));
  return ['missing', ...range, ...optionWords(kept), '--export'].join(' ');
}

/** The options again, as a shell takes them. */
export function optionWords(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values
      .filter((each) => each !== undefined)
      .flatMap((each) => [`--${name}`, ...(each === true ? [] : [shellWord(String(each))])]);
  });
}
