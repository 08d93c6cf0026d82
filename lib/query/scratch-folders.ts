import { lstatSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isOfAnother } from '../system/private-files.ts';
import { DAY_MS } from '../time/days.ts';

/** A folder in use is never this old, as it is touched every minute: its process was killed. */
const ABANDONED_AFTER_MS = DAY_MS;
const TOUCHED_EVERY_MS = 60_000;

/** This process's folders, and what keeps each of them young. */
const inUse = new Map<string, NodeJS.Timeout>();
// A second Ctrl-C waits for nothing.
process.once('exit', () => [...inUse.keys()].forEach(removeScratch));

/** A new folder for this user alone, until `removeScratch`. Removes those that killed processes left beside it. */
export function newScratchFolder(parent: string, prefix: string): string {
  for (const name of namesIn(parent)) if (name.startsWith(prefix)) removeAbandoned(join(parent, name));
  const folder = mkdtempSync(join(parent, prefix));
  inUse.set(folder, setInterval(() => touch(folder), TOUCHED_EVERY_MS).unref());
  return folder;
}

export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  clearInterval(inUse.get(folder));
  inUse.delete(folder);
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    // A folder that is not there is reported when one is made in it.
    return [];
  }
}

function removeAbandoned(folder: string): void {
  try {
    const found = lstatSync(folder);
    if (!found.isDirectory() || isOfAnother(found)) return;
    if (found.mtimeMs < Date.now() - ABANDONED_AFTER_MS) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Left to the next question.
  }
}

function touch(folder: string): void {
  try {
    const now = new Date();
    utimesSync(folder, now, now);
  } catch {
    // Tried again in a minute.
  }
}
