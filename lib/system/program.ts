import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateCacheFolder } from './private-folders.ts';

/** Whether this is a checkout, where Node runs TypeScript. The package is compiled into `dist`. */
const IS_CHECKOUT = import.meta.url.endsWith('.ts');
const FOLDER = new URL(IS_CHECKOUT ? '../../' : '../../../', import.meta.url);

/** npm names what it runs: by npx, or by a script of a package that has this one installed. */
const IS_RUN_BY_NPM = process.env.npm_lifecycle_event !== undefined;
const PACKAGED_PROGRAM = IS_RUN_BY_NPM ? 'npx cfe-lake' : 'cfe-lake';

/** The command that runs the program, as it was typed, for help and hints. */
export const PROGRAM = IS_CHECKOUT ? 'npm run -s cfe-lake --' : PACKAGED_PROGRAM;

/** Node and the program with their whole paths, for what starts it without a shell's PATH. */
export function programWords(): string[] {
  const file = IS_CHECKOUT ? 'bin/cfe-lake.ts' : 'dist/bin/cfe-lake.js';
  return [process.execPath, '--max-semi-space-size=8', fileURLToPath(new URL(file, FOLDER))];
}

/** The command that deploys the stack, in a checkout and in an app with the construct. */
export const DEPLOY = 'npx cdk deploy';

/** How to change a setting of the stack, such as `alarmEmail=you@example.com`. */
export function changeSetting(name: string, value: string): string {
  return IS_CHECKOUT
    ? `"${name}": "${value}" in cfe-lake.config.json, then ${DEPLOY}`
    : `new CfeLake(…, { ${name}: '${value}' }), then ${DEPLOY}`;
}

/** The handlers: one file each in functions/. */
export const HANDLERS = ['start-run', 'export-company', 'publish', 'finish-run', 'renew-tokens'] as const;
export type HandlerName = (typeof HANDLERS)[number];

/** The folder of each handler's bundle, ready to be uploaded. */
export type Bundles = Readonly<Record<HandlerName, string>>;

/** Each handler's bundle folder below a folder. */
export function bundlesIn(folder: string): Bundles {
  return {
    'start-run': join(folder, 'start-run'),
    'export-company': join(folder, 'export-company'),
    publish: join(folder, 'publish'),
    'finish-run': join(folder, 'finish-run'),
    'renew-tokens': join(folder, 'renew-tokens'),
  };
}

/** The bundles that come with the package. A checkout makes its own when it needs them. */
export function builtBundles(): Bundles {
  if (IS_CHECKOUT) throw new Error('A checkout has no bundles: give them (bundleHandlers).');
  return bundlesIn(fileURLToPath(new URL('dist/bundles', FOLDER)));
}

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
