import { CfeLakeError } from '../errors.ts';

/** The credentials of the function's role. Lambda gives them for the life of the process. */
interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Replaces the AWS SDK's search through profiles, single sign-on and instance metadata. */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    } = process.env;
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      throw new CfeLakeError('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set.', {
        advice: 'Lambda sets them; set them when you run a bundle elsewhere.',
      });
    }
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  };
}
