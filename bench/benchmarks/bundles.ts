import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HANDLERS } from '../../lib/system/program.ts';
import { BUNDLE_FILE, bundleHandlers } from '../../scripts/bundle.ts';
import { atMost, type Benchmark, type Line } from '../benchmark.ts';
import { withFolder } from '../processes.ts';

/** Size of each function's bundle. */
export const bundles: Benchmark = {
  name: 'bundles',
  run: () =>
    withFolder(async (folder) => {
      await bundleHandlers(folder);
      const lines: Line[] = [];
      for (const name of HANDLERS) {
        const file = join(folder, name, BUNDLE_FILE);
        const kilobytes = Math.round((await stat(file)).size / 1000);
        const limitKb = name === 'export-company' ? 700 : 1000;
        lines.push(atMost(1, kilobytes / limitKb, `${name}: size against ${limitKb} KB`, `${kilobytes} KB`));
      }
      return lines;
    }),
};
