import type { Localized } from '../text/language.ts';
import { printableLine } from '../text/terminal.ts';
import { SAY } from './phrases/program.ts';

const MOST_NAMED = 5;
const MOST_CHARACTERS = 200;

function cut(name: string): string {
  return name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS)}…` : name;
}

/** Names in a lake that this program did not write, and so did not read. */
export function foreignNamesNote(foreignNames: ReadonlySet<string>): Localized {
  const named = [...foreignNames]
    .sort()
    .slice(0, MOST_NAMED)
    .map((name) => cut(printableLine(name)));
  return SAY.notRead(named.join(', '), foreignNames.size, foreignNames.size - named.length);
}
