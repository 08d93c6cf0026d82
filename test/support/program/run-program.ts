import { type ChildProcess, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Ended } from './run-main.ts';

export const PROGRAM_FILE = resolve('bin/cfe-lake.ts');

/** An environment without AWS settings, in which credentials are not looked for in the network either. */
const NO_AWS = {
  AWS_CONFIG_FILE: '/nowhere',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** A new user's environment. Only the cache of compiled modules is shared, to save time. */
export function plainEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const XDG_CACHE_HOME = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return { PATH: process.env.PATH, HOME: '/nowhere', XDG_CACHE_HOME, ...NO_AWS, ...more };
}

/** Starts the program as a shell does. */
export function startProgram(
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  return spawn(process.execPath, [PROGRAM_FILE, ...words], { cwd, env: plainEnvironment(env) });
}

/** The output of a process and its exit code: -1 if a signal ended it. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code: code ?? -1, stdout, stderr };
}

export function runProgram(
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  return endOf(startProgram(words, cwd, env));
}
