/** The exports of `import … from 'cfe-lake/cdk'`; docs/library.md shows their use. */
export { CfeLake } from './cfe-lake.ts';
export type { CfeLakeProps } from './props.ts';
export type { CfeLakeSettings } from './settings.ts';
