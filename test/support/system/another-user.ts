import { lchownSync } from 'node:fs';
import { vi } from 'vitest';

const [NOBODY, SOMEBODY] = [65_534, 54_321];

/** Root's things are trusted by all: as root, this one is given to a user. */
export function giveAway(path: string): void {
  if (process.getuid?.() === 0) lchownSync(path, NOBODY, NOBODY);
}

/** From here on this process takes itself for a user who owns nothing of what is there, until mocks are restored. */
export function becomeAnother(): void {
  vi.spyOn(process, 'getuid').mockReturnValue(SOMEBODY);
}
