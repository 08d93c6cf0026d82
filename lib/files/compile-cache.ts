import { enableCompileCache } from 'node:module';
import { privateCacheFolder } from './private-files.ts';

/**
 * Keeps stripped and compiled modules between starts. What lies in that folder is run, so that Node's own choice,
 * one in the shared temporary directory, would be another user's way in; where no private one is to be had, none.
 */
export function keepCompiledModules(): void {
  let folder: string;
  try {
    folder = privateCacheFolder('compiled');
  } catch {
    return;
  }
  enableCompileCache(folder);
}
