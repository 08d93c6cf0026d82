import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { CfeLakeStack } from '../lib/stack/cfe-lake.ts';
import { readSettings, readSettingsFile, SETTINGS_FILE, settingsIn } from '../lib/stack/read-settings.ts';
import { compareWithDeployed } from '../lib/stack/risky-changes.ts';
import { CfeLakeError } from '../lib/system/errors.ts';
import { bundleHandlers } from '../scripts/bundle.ts';

/** Stands for the API's address where none is set, and nothing is deployed. */
const EXAMPLE = { apiAddress: 'https://api.example.invalid' };

/**
 * The CDK app: one stack, from the settings in cfe-lake.config.json and `-c name=value`. It fails for each finding of
 * cdk-nag that is not acknowledged, and for a deployment that would harm what is deployed.
 */
async function main(): Promise<void> {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const context = app.node.getAllContext();
  const file = await readSettingsFile(process.cwd());
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region = '' } = process.env;
  // The stacks that CDK may deploy, or show: none for destroy, bootstrap and list.
  const isForDeployment = app.node.tryGetContext(BUNDLING_STACKS)?.length !== 0;
  const place = account === undefined ? undefined : { account, region };
  const settings = readSettings(context, isForDeployment && place ? file : { ...EXAMPLE, ...file });
  const contextNames = Object.keys(settingsIn(context));
  if (contextNames.length > 0)
    console.error(`For this time only: ${contextNames.join(', ')}. ${SETTINGS_FILE} keeps settings.`);
  console.error(
    isForDeployment
      ? await compareWithDeployed(settings, context.accept, place)
      : 'Not compared with what is deployed: this command deploys nothing.',
  );
  if (isForDeployment && settings.apiAddress === EXAMPLE.apiAddress)
    console.error(`Its API is an example: ${SETTINGS_FILE} names yours, {"apiAddress": "https://…"}.`);
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
  if (!(error instanceof CfeLakeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
