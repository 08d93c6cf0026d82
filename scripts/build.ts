import { spawnSync } from 'node:child_process';
import { copyFile, glob, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleHandlers } from '../lib/stack/exporter/bundle.ts';

/** npm run build: the package's JavaScript with its types, the files that it reads, and the functions' bundles. */
const FOLDER = 'dist';
const COMPILER = 'node_modules/typescript/bin/tsc';
const READ_FILES = ['lib/query/named/*.sql', 'lib/report/report.css'];

await rm(FOLDER, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
for await (const file of glob(READ_FILES)) {
  await mkdir(dirname(join(FOLDER, file)), { recursive: true });
  await copyFile(file, join(FOLDER, file));
}
await bundleHandlers(join(FOLDER, 'bundles'));
