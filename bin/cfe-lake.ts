#!/usr/bin/env -S node --max-semi-space-size=8
import { readFile } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';

// Stripped and compiled modules are kept between calls; so what follows is imported after this.
enableCompileCache();
const { main } = await import('../lib/cli/main.ts');

const { version }: { version: string } = JSON.parse(
  await readFile(new URL('../package.json', import.meta.url), 'utf8'),
);

const interruption = new AbortController();
process.once('SIGINT', () => {
  interruption.abort(new Error('interrupted'));
  // A second Ctrl-C ends at once: every object is replaced in one step, so none is half there.
  process.once('SIGINT', () => process.exit(130));
});
// A closed pipe (`… | head`) is the reader's wish to stop.
process.stdout.on('error', () => process.exit(0));

process.exitCode = await main(
  process.argv.slice(2),
  { stdout: process.stdout, stderr: process.stderr, signal: interruption.signal },
  version,
);
