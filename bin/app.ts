import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { CfeLakeStack } from '../lib/stack/cfe-lake.ts';
import { readSettings, readSettingsFile, SettingsError } from '../lib/stack/read-settings.ts';
import { bundleHandlers } from '../scripts/bundle.ts';

/**
 * The CDK app: one stack, from the settings in cfe-lake.config.json and `-c name=value`. It fails for each finding of
 * cdk-nag that is not acknowledged.
 */
async function main(): Promise<void> {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const settings = readSettings(app.node.getAllContext(), await readSettingsFile(process.cwd()));
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-bundles-'));
  try {
    new CfeLakeStack(app, 'CfeLake', { settings, bundles: await bundleHandlers(folder) });
    app.synth();
  } finally {
    await rm(folder, { recursive: true });
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
