import fileSystem from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createInterface } from 'node:readline';
import { Agent } from 'undici';
import type { SimulatedRun } from './simulated-run.ts';

/**
 * An export in a process of its own: reads a Killable from stdin, exports, and prints how many steps of the file
 * system it took. At the step that it is told it kills itself, before the step or half-way through a write.
 */
export interface Killable extends SimulatedRun {
  lake: string;
  /** From 1; absent: somebody else kills it. */
  killAtStep?: number;
}

let killAtStep = Number.POSITIVE_INFINITY;
let steps = 0;

function killWhenDue(): void {
  steps += 1;
  if (steps < killAtStep) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment; nothing must happen in it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function stepwise<Arguments extends unknown[], Result>(call: (...values: Arguments) => Promise<Result>) {
  return (...values: Arguments): Promise<Result> => {
    killWhenDue();
    return call(...values);
  };
}

const { mkdir, rename, unlink, link, open } = fileSystem;
Object.assign(fileSystem, {
  mkdir: stepwise(mkdir),
  rename: stepwise(rename),
  unlink: stepwise(unlink),
  link: stepwise(link),
  open: async (...values: Parameters<typeof open>) => {
    if (values[1] !== 'wx') return await open(...values);
    killWhenDue();
    const handle = await open(...values);
    const { writeFile, sync } = handle;
    handle.writeFile = async (data, options) => {
      if (!(data instanceof Uint8Array)) throw new TypeError('the store writes bytes');
      const half = Math.floor(data.length / 2);
      killWhenDue();
      await writeFile.call(handle, data.subarray(0, half), options);
      killWhenDue();
      await writeFile.call(handle, data.subarray(half), options);
    };
    handle.sync = stepwise(sync.bind(handle));
    return handle;
  },
});
syncBuiltinESMExports();

// Only now, so that they get the calls above.
const [{ exportSimulated }, { FolderStore }] = await Promise.all([
  import('./simulated-run.ts'),
  import('../../lib/lake/store/folder.ts'),
]);
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const job: Killable = JSON.parse(line);
  killAtStep = job.killAtStep ?? killAtStep;
  const dispatcher = new Agent();
  await exportSimulated(job, new FolderStore(job.lake), dispatcher);
  await dispatcher.destroy();
  process.stdout.write(`${steps}\n`);
  break;
}
