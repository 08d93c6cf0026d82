import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { removeHeldFor } from '../../query/lake-files.ts';
import { messageOf } from '../../system/errors.ts';
import type { AskedTool, ToolAnswer } from './answerer.ts';
import { BEGUN, LIMITS, OTHER_BYTES, SCRATCH_PREFIX } from './limits.ts';

const LOOKED_AT_EVERY_MS = 50;

const end = () => process.kill(process.pid, 'SIGKILL');

/** Compiled code is beside the compiled worker. */
const WORKER = new URL(`./answer-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
// This thread stays free to look at the one that answers: a large value keeps it busy for a minute.
const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: OTHER_BYTES / 2 ** 20 } });
worker.on('message', (answer: ToolAnswer) => process.send?.(answer));
worker.on('error', (error) => {
  process.stderr.write(`${messageOf(error)}\n`);
  end();
});
process.on('message', (asked: AskedTool) => {
  process.send?.(BEGUN);
  worker.postMessage(asked);
});

// DuckDB works in threads of its own, which nothing but the end of the process stops for sure.
setInterval(() => {
  if (process.memoryUsage.rss() > LIMITS.memoryBytes + OTHER_BYTES) end();
}, LOOKED_AT_EVERY_MS);
process.on('disconnect', () => {
  try {
    // A server that was killed leaves them behind.
    if (basename(tmpdir()).startsWith(SCRATCH_PREFIX)) {
      rmSync(tmpdir(), { recursive: true, force: true });
      removeHeldFor(tmpdir());
    }
  } finally {
    end();
  }
});
// Ctrl-C reaches all processes of a terminal: who asked decides.
process.on('SIGINT', () => undefined);
