import type { LockRequest } from '../../../lib/lake/store/folder-lock.ts';
import { FakeClock } from '../fake-clock.ts';

/** Asks for the lock of a folder, on a clock that stands still. It is never waited for, unless that is asked. */
export function lockRequest(asked: Partial<LockRequest> = {}): LockRequest {
  return {
    command: 'a test',
    waitMs: 0,
    signal: new AbortController().signal,
    onWait: () => undefined,
    clock: new FakeClock(),
    ...asked,
  };
}
