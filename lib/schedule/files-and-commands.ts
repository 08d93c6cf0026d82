import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writePrivateFile } from '../system/private-files.ts';
import { makeFolder } from '../system/private-folders.ts';
import type { Nightly } from './nightly.ts';
import { type Run, runOrThrow, type Scheduler } from './scheduler.ts';

/** What a scheduler reads, and the commands that make it read that, or forget it. */
export interface Plan {
  /** Text by path. */
  files: Readonly<Record<string, string>>;
  on: readonly (readonly string[])[];
  off: readonly (readonly string[])[];
}

/** A scheduler of files and commands: what is scheduled is known by its first file. */
export function ofFilesAndCommands(
  run: Run,
  names: Pick<Scheduler, 'name' | 'note'>,
  planOf: (nightly: Nightly) => Plan,
): Scheduler {
  return {
    ...names,
    text: (nightly) => {
      const { files, on } = planOf(nightly);
      const texts = Object.entries(files).map(([file, text]) => `${file}:\n${text.replaceAll('\r', '')}\n`);
      return [...texts, ...on.map((words) => words.map(quotedWord).join(' '))].join('\n');
    },
    install: async (nightly) => {
      const { files, on } = planOf(nightly);
      for (const [file, text] of Object.entries(files)) {
        makeFolder(dirname(file));
        await writePrivateFile(file, text);
      }
      for (const words of on) runOrThrow(run, words);
    },
    remove: async (nightly) => {
      const { files, off } = planOf(nightly);
      if (!Object.keys(files).some((file) => existsSync(file))) return false;
      for (const words of off) runOrThrow(run, words);
      for (const file of Object.keys(files)) await rm(file, { force: true });
      return true;
    },
  };
}

/** The word in quotes, for sh and for the command prompt of Windows. */
function quotedWord(word: string): string {
  return /^[\w:./-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
}
