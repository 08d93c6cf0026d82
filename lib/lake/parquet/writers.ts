import type { ParquetWriter } from './writer.ts';

/**
 * The writers by name. Each is loaded only when asked for. A bundle that needs only one should import that file:
 * bundlers follow dynamic imports too.
 */
const WRITERS = {
  hyparquet: async (): Promise<ParquetWriter> => (await import('./hyparquet.ts')).writeWithHyparquet,
  'parquetjs-lite': async (): Promise<ParquetWriter> =>
    (await import('./parquetjs-lite.ts')).writeWithParquetjsLite,
} as const;

export type WriterName = keyof typeof WRITERS;

export const WRITER_NAMES = Object.keys(WRITERS) as readonly WriterName[];

export function loadWriter(name: WriterName): Promise<ParquetWriter> {
  return WRITERS[name]();
}
