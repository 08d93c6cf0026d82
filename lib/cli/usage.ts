import { dirname } from 'node:path';
import { rutProblem, showableRut } from '../companies/company.ts';
import { WrongInputError } from '../errors.ts';
import { assertReplaceable, isDevice, isFolder } from '../private-files.ts';
import { repeated } from '../text/typed-words.ts';

/** The command line is wrong; the message is one line that says what to type instead. */
export class UsageError extends WrongInputError {
  override name = 'UsageError';
}

/** The text, if it is a RUT. Throws UsageError. */
export function checkedRut(text: string): string {
  const problem = rutProblem(text);
  if (problem !== undefined) throw new UsageError(`${namedRut(text)}: ${problem}.`);
  return text;
}

/**
 * Checks, before work that may take minutes, that a file that an option names can be there: its folder exists, and it
 * is no folder, link or device itself. Throws UsageError or PrivateFileError.
 */
export async function assertFileCanBe(option: string, file: string): Promise<void> {
  if (await isFolder(file)) throw new UsageError(`--${option}: ${file} is a folder: name a file in it.`);
  if (await isDevice(file)) {
    const orElse = option === 'out' ? ', or leave --out out and redirect the output' : '';
    throw new UsageError(`--${option}: ${file} is a device: name an ordinary file${orElse}.`);
  }
  const folder = dirname(file);
  if (!(await isFolder(folder))) {
    throw new UsageError(`--${option}: there is no folder ${folder}. Create it, or name another file.`);
  }
  await assertReplaceable(file);
}

const MAX_SHOWN = 32;

/** A typed word, for a message: nothing of it if it may be a token. One like a name that is known, `meant`, is none. */
export function shown(word: string, meant?: string): string {
  const text = meant === undefined ? repeated(word) : word;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

export function quoted(word: string, meant?: string): string {
  return `"${shown(word, meant)}"`;
}

/** The beginning of a sentence about a RUT that was typed; anything else may be a token in the wrong place. */
export function namedRut(text: string): string {
  return showableRut(text) === undefined ? 'The value of --rut' : `--rut ${text}`;
}

/** A beginning counts as a misspelling from this many letters on: `dir` for `direction`. */
const SHORTEST_BEGINNING = 3;

/** The candidate that was most likely meant; undefined if none is near. Letter case does not matter. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const asked = word.toLowerCase();
  const most = Math.max(1, Math.floor(asked.length / 3));
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    const distance = editDistance(asked, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best !== undefined || asked.length < SHORTEST_BEGINNING) return best;
  return candidates.find((candidate) => candidate.startsWith(asked));
}

/** `Did you mean x?` with a space before it, or nothing. */
export function didYouMean(candidate: string | undefined): string {
  return candidate === undefined ? '' : ` Did you mean ${candidate}?`;
}

/** Letters to add, drop, change or swap with their neighbour (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const changed = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      const dropped = (last[column] ?? 0) + 1;
      const added = (current[column - 1] ?? 0) + 1;
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : changed;
      current.push(Math.min(changed, dropped, added, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
