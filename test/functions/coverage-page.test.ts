import { expect, it, vi } from 'vitest';
import { writeCoveragePage } from '../../lib/run/lambda/finish-run.ts';
import { logger } from '../../lib/run/lambda/telemetry.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

it('gives up in time on a coverage page whose lake does not answer', async () => {
  const store = new MemoryStore(() => 0);
  store.list = async function* () {
    await new Promise<never>(() => undefined);
  };
  const warn = vi.spyOn(logger, 'warn').mockReturnValue();
  await writeCoveragePage(store, { bucket: 'lake', remainingMs: () => 20_000 });
  expect(warn).toHaveBeenCalledWith('coverage page not written', {
    reason: 'the invocation ran out of time',
  });
});
