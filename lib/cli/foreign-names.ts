import type { Localized } from '../text/language.ts';
import { printableLine } from '../text/terminal.ts';
import { SAY } from './phrases/program.ts';

const MOST_NAMED = 5;

/** Names in a lake that this program did not write, and so did not read. */
export function foreignNamesNote(foreignNames: ReadonlySet<string>): Localized {
  const named = [...foreignNames].sort().slice(0, MOST_NAMED).map(printableLine);
  return SAY.notRead(named.join(', '), foreignNames.size, foreignNames.size - named.length);
}
