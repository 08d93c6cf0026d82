import { PassThrough, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type { Terminal } from '../../../lib/cli/command.ts';
import { main } from '../../../lib/cli/main.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command in this process, as the program does. */
export function runMain(...words: string[]): Promise<Ended> {
  return runUntil(new AbortController().signal, ...words);
}

/** The same of a line: words apart by spaces, as a shell splits them, or between double quotes. */
export function runLine(line: string): Promise<Ended> {
  return runMain(...wordsOf(line));
}

export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** The same, interrupted by the signal. */
export async function runUntil(signal: AbortSignal, ...words: string[]): Promise<Ended> {
  const stdout = new TextStream();
  const stderr = new TextStream();
  const code = await main(words, { stdout, stderr, signal }, '0.0.0');
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** The same with a process's streams: a terminal of this many columns or pipes, and stdin. */
export async function runStreamed(
  words: readonly string[],
  {
    isTTY = false,
    columns = 200,
    input = [],
    ask,
  }: {
    isTTY?: boolean;
    columns?: number;
    input?: readonly string[];
    ask?: Terminal['ask'];
  } = {},
): Promise<Ended & { bytes: Buffer }> {
  const stdout = Object.assign(new PassThrough(), { isTTY, columns });
  const stderr = Object.assign(new PassThrough(), { isTTY, columns });
  async function* stdin() {
    yield* input;
  }
  const code = await main(
    words,
    { stdout, stderr, stdin, ask, signal: new AbortController().signal },
    '0.0.0',
  );
  stdout.end();
  stderr.end();
  const bytes = await buffer(stdout);
  return { code, bytes, stdout: bytes.toString(), stderr: await text(stderr) };
}

class TextStream extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
