import { vi } from 'vitest';

// The handlers' own clock: what they wait for, such as an API that fails, is not waited for here.
vi.mock('../../lib/time/clock.ts', async () => {
  const { clockWithoutWaits } = await import('../workflow/clock-without-waits.ts');
  return { systemClock: clockWithoutWaits() };
});

// Handlers read their environment once, when they are loaded: each file loads them anew. Packages stay loaded.
vi.resetModules();
