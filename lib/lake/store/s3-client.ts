import { S3Client } from '@aws-sdk/client-s3';

/** A client as this program wants it; region, credentials and endpoint come from the environment, as AWS defines. */
export function createS3Client(environment: NodeJS.ProcessEnv = process.env): S3Client {
  return new S3Client({
    followRegionRedirects: true,
    maxAttempts: 5,
    // Buckets of other servers rarely have a host name each.
    forcePathStyle: (environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL) !== undefined,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
  });
}
