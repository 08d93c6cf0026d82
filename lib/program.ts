import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { privateCacheFolder } from './private-files.ts';

/** Whether this is a checkout, where Node runs TypeScript. The package is compiled into `dist`. */
const IS_CHECKOUT = import.meta.url.endsWith('.ts');
const FOLDER = new URL(IS_CHECKOUT ? '../' : '../../', import.meta.url);

/** The command that runs the program, for help, hints and completion. */
export const PROGRAM = IS_CHECKOUT ? 'npm run -s cfe-lake --' : 'cfe-lake';

/** The file that Node runs. */
export const PROGRAM_FILE = fileURLToPath(
  new URL(IS_CHECKOUT ? '../bin/cfe-lake.ts' : '../bin/cfe-lake.js', import.meta.url),
);

/** The command that deploys the stack: this project's, or that of an app with the construct. */
export const DEPLOY = IS_CHECKOUT ? 'npm run deploy' : 'cdk deploy';

/** How to change a setting of the stack, such as `alarmEmail=you@example.com`. */
export function changeSetting(name: string, value: string): string {
  return IS_CHECKOUT
    ? `npm run settings -- ${name}=${value}, then ${DEPLOY}`
    : `new CfeLake(…, { ${name}: '${value}' }), then ${DEPLOY}`;
}

/** The folder of the functions' bundles; undefined in a checkout, which bundles them when needed. */
export const BUNDLES_FOLDER = IS_CHECKOUT ? undefined : fileURLToPath(new URL('dist/bundles', FOLDER));

/** The version, which only package.json holds. */
export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(new URL('package.json', FOLDER), 'utf8'));
  return version;
}

/**
 * Keeps compiled modules between starts. The files in that folder are run, so it must be private: Node's own default is
 * in the shared temporary directory, which another user could write to. Without a private folder, nothing is kept.
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
