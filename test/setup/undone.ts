import { afterAll, afterEach, vi } from 'vitest';

// What a test has put in place of methods and variables goes with it, and a clock with the file that set it.
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(() => {
  vi.useRealTimers();
});
