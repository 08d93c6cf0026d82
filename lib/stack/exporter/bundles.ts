import { join } from 'node:path';
import { BUNDLES_FOLDER } from '../../program.ts';

/** The handlers: one file each in functions/. */
export const HANDLERS = ['start-run', 'export-company', 'publish', 'finish-run'] as const;
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
  };
}

/** The bundles that come with the package. */
export function builtBundles(): Bundles {
  if (BUNDLES_FOLDER === undefined) throw new Error('A checkout has no bundles: give them (bundleHandlers).');
  return bundlesIn(BUNDLES_FOLDER);
}
