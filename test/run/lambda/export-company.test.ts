import { expect, it, vi } from 'vitest';
import { readEnvironment } from '../../../lib/run/lambda/environment.ts';
import { openWorker, WorkerEnvironmentSchema } from '../../../lib/run/lambda/export-company.ts';
import { WORKER_ENVIRONMENT } from '../../support/worker-environment.ts';

it('uses every variable that the stack gives the worker: else a setting would do nothing', () => {
  const given = readEnvironment(WorkerEnvironmentSchema, WORKER_ENVIRONMENT);
  const used = new Set<string | symbol>();
  const watched = new Proxy(given, {
    get: (target, name) => {
      used.add(name);
      return Reflect.get(target, name);
    },
  });
  openWorker(watched).tools.tokensOf('219999830019');
  expect([...used].sort()).toEqual(Object.keys(WorkerEnvironmentSchema.entries).sort());
});

it('asks AWS nothing where nobody checks certificates', () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  // Of the sandbox: the API's own certificate is not at stake.
  const given = { ...WORKER_ENVIRONMENT, API_ADDRESS: 'http://127.0.0.1:8787' };
  expect(() => openWorker(readEnvironment(WorkerEnvironmentSchema, given))).toThrow(
    /NODE_TLS_REJECT_UNAUTHORIZED=0/,
  );
});
