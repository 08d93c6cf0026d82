import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** A module that the functions don't need, or need less of, and what stands in its place. */
interface Replacement {
  /** As it is written in an import. */
  imported: RegExp;
  /** From which packages' files; all by default. */
  importer?: RegExp;
  /** Absent: an empty module. */
  by?: string;
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Together a good part of a worker's bundle, and of the time that it takes to start. */
const REPLACEMENTS: readonly Replacement[] = [
  // The parser for processors without SIMD: Lambda has none such.
  { imported: /\/llhttp\/llhttp-wasm\.js$/, importer: /\/undici\// },
  // Forms as the body of a request: the API is only read.
  { imported: /\/web\/(fetch\/(body\.js|formdata)|webidl)$/, importer: /\/undici\/lib\/(core|dispatcher)\// },
  { imported: /^@aws-sdk\/credential-provider-node$/, by: here('lambda-credentials.ts') },
];

/** Puts the replacements in place while esbuild bundles. */
export const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    for (const { imported, importer, by } of REPLACEMENTS) {
      build.onResolve({ filter: imported }, (args) => {
        if (importer !== undefined && !importer.test(args.importer)) return undefined;
        return by === undefined ? { path: args.path, namespace: 'empty' } : { path: by };
      });
    }
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({
      contents: 'module.exports = {};',
      loader: 'js',
    }));
  },
};
