import { afterAll, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';

/** A sandbox for all tests of a file. */
export async function sharedSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  afterAll(() => sandbox.close());
  return sandbox;
}

/** A sandbox for the running test. */
export async function newSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}
