import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withStoreToWrite } from '../../../lib/lake/store/open-store.ts';
import { replaceText } from '../../../lib/lake/store/store.ts';
import { type Clock, systemClock } from '../../../lib/time/clock.ts';
import { lockRequest } from './lock-request.ts';

/**
 * A process that writes the lake of its first argument, and waits for it as many milliseconds as its third says, or however
 * long that takes. Prints `held` once it has the lock. Each line of stdin is then written as the object `text`; `end` gives
 * the lock back. Prints `written` or the error's name.
 */
const [lake = '', command = '', waitMs = 'Infinity'] = process.argv.slice(2);
/** Waits without waiting. */
const clock: Clock = {
  ...systemClock,
  sleep: async () => void (await nextTurn()),
};

await withStoreToWrite(lake, lockRequest({ command, waitMs: Number(waitMs), clock }), async (store) => {
  process.stdout.write('held\n');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'end') return;
    await replaceText(store, 'text', line, await store.find('text'));
    process.stdout.write('written\n');
  }
}).then(
  () => process.stdout.write('ended\n'),
  (error: unknown) => process.stdout.write(`${error instanceof Error ? error.name : 'unknown'}\n`),
);
process.exit();
