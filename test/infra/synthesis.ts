import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App, type AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { afterAll } from 'vitest';
import { CfeLakeStack } from '../../lib/stack/cfe-lake.ts';
import { readSettings } from '../../lib/stack/read-settings.ts';
import { CDK_JSON } from './cdk-json.ts';

/** A template does not show what is in a bundle. */
const STUB = fileURLToPath(new URL('bundle-stub', import.meta.url));
export const BUNDLES = { 'start-run': STUB, 'export-company': STUB, publish: STUB, 'finish-run': STUB };

/** Settings of a VPC. */
export const NETWORK = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
  securityGroupIds: 'sg-0123456789abcdef0',
};

const outputFolders: string[] = [];
afterAll(() => {
  for (const folder of outputFolders) rmSync(folder, { recursive: true, force: true });
});

type Given = Readonly<Record<string, unknown>>;

/** An app without CDK's own check of its templates, which takes seconds; nag.test.ts runs that check. */
export function newApp(props: AppProps = {}): App {
  return new App({ analyticsReporting: false, builtinCloudFormationValidation: false, ...props });
}

/** The stack with the flags of cdk.json and these settings; only the address is given by default. */
export function makeStack(settings: Given = {}, props: AppProps = {}): CfeLakeStack {
  const given = { apiAddress: 'https://api.example.invalid', ...settings };
  const app = newApp({ context: { ...CDK_JSON.context, ...given }, ...props });
  outputFolders.push(app.outdir);
  return new CfeLakeStack(app, 'CfeLake', {
    settings: readSettings(app.node.getAllContext()),
    bundles: BUNDLES,
  });
}

const templates = new Map<string, Template>();

/** The template with these settings, made once per process. Tests must not change it. */
export function synthesise(settings: Given = {}): Template {
  const key = JSON.stringify(settings);
  const template = templates.get(key) ?? Template.fromStack(makeStack(settings));
  templates.set(key, template);
  return template;
}

const Resource = v.looseObject({ Properties: v.optional(v.record(v.string(), v.unknown()), {}) });

/** The properties of all resources of a type, by logical id. */
export function propertiesOf(template: Template, type: string): Record<string, Record<string, unknown>> {
  const resources = v.parse(v.record(v.string(), Resource), template.findResources(type));
  return Object.fromEntries(Object.entries(resources).map(([id, { Properties }]) => [id, Properties]));
}

const Joined = v.object({ 'Fn::Join': v.tuple([v.literal(''), v.array(v.unknown())]) });

/** A value of the template as text, with `<LogicalId>` and `<LogicalId.Attribute>` where it refers to a resource. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (v.is(Joined, value)) return value['Fn::Join'][1].map(asText).join('');
  if (v.is(v.object({ Ref: v.string() }), value)) return `<${value.Ref}>`;
  if (v.is(v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.string()]) }), value)) {
    return `<${value['Fn::GetAtt'].join('.')}>`;
  }
  return JSON.stringify(value);
}
