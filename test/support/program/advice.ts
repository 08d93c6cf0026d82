import { vi } from 'vitest';
import { LOADERS } from '../../../lib/cli/command-line.ts';
import { COMMAND_NAMES } from '../../../lib/cli/phrases/summaries.ts';
import { runMain, wordsOf } from './run-main.ts';

/** The commands that a text advises, each as it would be typed after the program's name. */
export function advisedIn(text: string): string[] {
  return [...text.matchAll(/npm run (?:-s )?cfe-lake -- (\w[^`\n]*)/g)].map(([, line = '']) => line.trim());
}

/**
 * What the program's own parser says of a command, which is not run: '' if it takes it. What a shell does with the output
 * is left out, and so is what is left to the reader.
 */
export async function refusalOf(line: string): Promise<string> {
  const commands = await Promise.all(COMMAND_NAMES.map((name) => LOADERS[name]()));
  const spies = commands.map((command) => vi.spyOn(command, 'run').mockResolvedValue(0));
  try {
    const words = wordsOf(line.replaceAll(/ --[\w-]+ […%]\S*/g, ''));
    const end = words.findIndex((word) => /^[>|&%…(]/.test(word));
    const { code, stderr } = await runMain(...(end < 0 ? words : words.slice(0, end)));
    return code === 0 ? '' : stderr;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
