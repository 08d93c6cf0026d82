import { spawnSync } from 'node:child_process';
import { copyFile, glob, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundlesIn, HANDLERS } from '../lib/system/program.ts';
import { BUNDLE_FILE, bundleFile, handlerFile } from './bundle.ts';
import { thirdPartyLicences } from './third-party.ts';

/**
 * `npm run build`: the package's JavaScript with its types, the files that it reads, and the functions' bundles with
 * the licences of the packages in them.
 */
const FOLDER = 'dist';
const COMPILER = 'node_modules/typescript/bin/tsc';
const READ_FILES = 'lib/query/named/*.sql';

await rm(FOLDER, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
for await (const file of glob(READ_FILES)) {
  await mkdir(dirname(join(FOLDER, file)), { recursive: true });
  await copyFile(file, join(FOLDER, file));
}
const bundles = bundlesIn(join(FOLDER, 'bundles'));
const metafiles = await Promise.all(
  HANDLERS.map((name) => bundleFile(handlerFile(name), join(bundles[name], BUNDLE_FILE))),
);
await writeFile(join(FOLDER, 'bundles', 'THIRD-PARTY-LICENSES.txt'), await thirdPartyLicences(metafiles));
