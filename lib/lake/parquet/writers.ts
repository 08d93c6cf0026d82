import type { ParquetWriter } from './writer.ts';

/**
 * The writers by name, each loaded when it is asked for: neither costs the other's start-up. A bundle that
 * needs one only should import that one's file, since bundlers follow dynamic imports too.
 */
export const WRITERS = {
  hyparquet: async (): Promise<ParquetWriter> => (await import('./hyparquet.ts')).writeWithHyparquet,
  'parquetjs-lite': async (): Promise<ParquetWriter> =>
    (await import('./parquetjs-lite.ts')).writeWithParquetjsLite,
} as const;

export type WriterName = keyof typeof WRITERS;

export const WRITER_NAMES = Object.keys(WRITERS) as readonly WriterName[];

export function loadWriter(name: WriterName): Promise<ParquetWriter> {
  return WRITERS[name]();
}
