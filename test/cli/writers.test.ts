import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('asking for one writer does not load the other', async () => {
  const command = new URL('../../lib/cli/commands/export.ts', import.meta.url).href;
  const script = `
    const { WRITERS } = await import(${JSON.stringify(command)});
    const { default: { createRequire } } = await import('node:module');
    const loaded = () => Object.keys(createRequire(${JSON.stringify(command)}).cache);
    await WRITERS.hyparquet();
    console.log(loaded().filter((path) => path.includes('parquetjs-lite')).length);
    await WRITERS['parquetjs-lite']();
    console.log(loaded().some((path) => path.includes('parquetjs-lite')));
  `;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);

  expect(stdout.trim().split('\n')).toEqual(['0', 'true']);
});
