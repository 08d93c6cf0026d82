import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * Asks a person at the terminal and gives the answer, empty at the end of the input; undefined where nobody can answer.
 * Rejects when aborted. Not as readline's terminal, which would keep Ctrl-C to itself.
 */
export function askAtTerminal(signal: AbortSignal): ((question: string) => Promise<string>) | undefined {
  if (!process.stdin.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    try {
      const ended = once(lines, 'close', { signal }).then(() => '');
      return await Promise.race([lines.question(question, { signal }), ended]);
    } finally {
      lines.close();
    }
  };
}
