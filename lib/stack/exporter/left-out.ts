import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const LAMBDA_CREDENTIALS = fileURLToPath(new URL('lambda-credentials.ts', import.meta.url));

/** Takes Lambda's environment variables in place of the AWS SDK's search for credentials, a good part of a bundle. */
export const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, () => ({ path: LAMBDA_CREDENTIALS }));
  },
};
