import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The generated module with the coverage page's script and style. */
export const ASSETS_FILE = fileURLToPath(
  new URL('../lib/coverage/html/assets.generated.ts', import.meta.url),
);

/** Text of that module, bundled from lib/coverage/page, so that no bundler is needed at run time. */
export async function coverageAssets(): Promise<string> {
  const [script, style] = await Promise.all([bundled('main.ts'), bundled('style.css')]);
  return [
    '/** Made by `npm run generate` from lib/coverage/page. Not to be edited. */',
    `export const PAGE_SCRIPT = ${JSON.stringify(script)};`,
    `export const PAGE_STYLE = ${JSON.stringify(style)};`,
    '',
  ].join('\n');
}

async function bundled(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../lib/coverage/page/${name}`, import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
  });
  return outputFiles[0]?.text.trim() ?? '';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(ASSETS_FILE, await coverageAssets());
