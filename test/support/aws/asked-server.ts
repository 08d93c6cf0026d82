import { vi } from 'vitest';

/** Until the test ends, commands of this process ask this server in the place of AWS, and keep copies in this folder. */
export function askServer(url: string, caches: string): void {
  vi.stubEnv('XDG_CACHE_HOME', caches);
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
}
