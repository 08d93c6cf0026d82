/**
 * The exports of `import … from 'cfe-lake/cdk'`; docs/library.md shows their use.
 * @module
 */
export { CfeLake, type CfeLakeProps } from './cfe-lake.ts';
export type { CfeLakeSettings } from './settings.ts';
