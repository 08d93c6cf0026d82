import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const OPTIONS: TypeDocOptions & PluginOptions = {
  name: 'cfe-lake/cdk',
  entryPoints: [here('lib/stack/index.ts')],
  tsconfig: here('tsconfig.build.json'),
  plugin: ['typedoc-plugin-markdown'],
  readme: 'none',
  // `npm run types` does that.
  skipErrorChecking: true,
  logLevel: 'Warn',
  // What belongs to CDK's own base class, or to nobody outside.
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  // As they are written, not by the alphabet.
  sort: ['source-order'],
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  interfacePropertiesFormat: 'table',
  tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true, hideSources: true },
  parametersFormat: 'table',
};

/** API.md: the construct as its docstrings describe it. */
export async function apiPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'api-page-'));
  try {
    const outputs = [{ name: 'markdown', path: folder }];
    const app = await Application.bootstrapWithPlugins({ ...OPTIONS, outputs });
    const project = await app.convert();
    if (project === undefined) throw new TypeError('typedoc found nothing');
    await app.generateOutputs(project);
    return await readFile(join(folder, 'README.md'), 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}
