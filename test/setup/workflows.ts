import { vi } from 'vitest';

// The handlers' clock does not wait here, for example between attempts at a failing API.
vi.mock('../../lib/time/clock.ts', async (importOriginal) => {
  const { clockWithoutWaits } = await import('../workflow/clock-without-waits.ts');
  return { ...(await importOriginal<object>()), systemClock: clockWithoutWaits() };
});

// Handlers read their environment once, on loading, so each file loads them anew. Packages stay loaded.
vi.resetModules();
