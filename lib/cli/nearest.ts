/** A beginning counts as a misspelling from this many letters on: `dir` for `direction`. */
const SHORTEST_BEGINNING = 3;

/** The candidate that was most likely meant; undefined when none is near. Letter case does not matter. */
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
