import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { BUNDLE_FILE, bundleFile, bundleHandlers } from '../../scripts/bundle.ts';
import { IntegrationStack } from './integration-stack.ts';

const folder = await mkdtemp(join(tmpdir(), 'integration-'));
const sandboxBundle = join(folder, 'sandbox');
await bundleFile(
  fileURLToPath(new URL('sandbox-function.ts', import.meta.url)),
  join(sandboxBundle, BUNDLE_FILE),
);

const app = new App();
new IntegrationStack(app, 'Integration', { sandboxBundle, bundles: await bundleHandlers(folder) });
app.synth();
await rm(folder, { recursive: true });
