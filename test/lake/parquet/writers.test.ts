import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { writeWithParquetjsLite } from '../../../lib/lake/parquet/parquetjs-lite.ts';
import { loadWriter, WRITER_NAMES } from '../../../lib/lake/parquet/writers.ts';

test('each writer is found by its name', async () => {
  expect(WRITER_NAMES).toEqual(['hyparquet', 'parquetjs-lite']);
  expect(await loadWriter('hyparquet')).toBe(writeWithHyparquet);
  expect(await loadWriter('parquetjs-lite')).toBe(writeWithParquetjsLite);
});

test('asking for one writer does not load the other', async () => {
  const writers = new URL('../../../lib/lake/parquet/writers.ts', import.meta.url).href;
  const script = `
    const { loadWriter } = await import(${JSON.stringify(writers)});
    const { default: { createRequire } } = await import('node:module');
    await loadWriter('hyparquet');
    const loaded = Object.keys(createRequire(${JSON.stringify(writers)}).cache);
    console.log(loaded.filter((path) => path.includes('parquetjs-lite')).length);
    await loadWriter('parquetjs-lite');
    console.log(Object.keys(createRequire(${JSON.stringify(writers)}).cache).some((path) => path.includes('parquetjs-lite')));
  `;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);

  expect(stdout.trim().split('\n')).toEqual(['0', 'true']);
});
