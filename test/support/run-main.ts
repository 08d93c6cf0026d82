import { Writable } from 'node:stream';
import { main } from '../../lib/cli/main.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process, as the program does. */
export function runMain(...words: string[]): Promise<Ended> {
  return runUntil(new AbortController().signal, ...words);
}

/** The same, interrupted by the signal. */
export async function runUntil(signal: AbortSignal, ...words: string[]): Promise<Ended> {
  const stdout = new TextStream();
  const stderr = new TextStream();
  const code = await main(words, { stdout, stderr, signal }, '0.0.0');
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class TextStream extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
