/** What `import … from 'cfe-lake/cdk'` gives; docs/library.md shows its use. */
export { CfeLake, type CfeLakeProps } from './cfe-lake.ts';
export type { CfeLakeSettings } from './settings.generated.ts';
