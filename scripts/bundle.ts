import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { type Bundles, bundlesIn, HANDLERS, type HandlerName } from '../lib/system/program.ts';

export const BUNDLE_FILE = 'index.mjs';

const FUNCTIONS_FOLDER = fileURLToPath(new URL('../functions', import.meta.url));

/** Some packages are CommonJS and call `require` for Node's own modules, which an ES module doesn't have. */
const REQUIRE_BANNER =
  "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);";

/** Bundles each handler into its own folder below the one given. Throws esbuild's errors. */
export async function bundleHandlers(folder: string): Promise<Bundles> {
  const bundles = bundlesIn(folder);
  await Promise.all(HANDLERS.map((name) => bundleFile(handlerFile(name), join(bundles[name], BUNDLE_FILE))));
  return bundles;
}

export function handlerFile(name: HandlerName): string {
  return join(FUNCTIONS_FOLDER, `${name}.ts`);
}

/** Bundles a module and all its imports, including the AWS SDK, into one ES module. Needs no Docker. */
export async function bundleFile(entryFile: string, outputFile: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [entryFile],
    outfile: outputFile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // ES modules first, so that unused code is left out.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    banner: { js: REQUIRE_BANNER },
    plugins: [leaveOut],
    logLevel: 'warning',
    metafile: true,
  });
  return metafile;
}

/** Replaces the AWS SDK's search for credentials, a good part of a bundle, with Lambda's environment variables. */
const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, ({ resolveDir }) => ({
      path: 'credentials',
      namespace: 'of-lambda',
      pluginData: resolveDir,
    }));
    build.onLoad({ filter: /./, namespace: 'of-lambda' }, ({ pluginData }) => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
      resolveDir: pluginData,
    }));
  },
};
