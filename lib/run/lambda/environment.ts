import * as v from 'valibot';
import { createS3Client, S3Store } from '../../lake/store/s3.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { parseMessage } from '../messages.ts';
import type { Shares } from '../shares.ts';

/** Kinds of the variables that the stack gives a Lambda: names and numbers, never a secret. */
export const TextSchema = v.pipe(v.string(), v.nonEmpty('is empty'));
export const WholeNumberSchema = v.pipe(
  TextSchema,
  v.regex(/^[1-9]\d*$/, 'must be a whole number from 1'),
  v.toNumber(),
);

/** The variables of a Lambda that needs its lake only. */
export const LakeEnvironmentSchema = v.object({ LAKE_BUCKET: TextSchema });

/** The variables of a Lambda that asks the API. */
export const SharesEnvironment = {
  /** The shares of a night, and of a run by hand. */
  COMPANIES_AT_ONCE: WholeNumberSchema,
  BACKFILL_COMPANIES_AT_ONCE: WholeNumberSchema,
  /** What all that ask the API may send together; any number when absent. */
  API_REQUESTS_PER_SECOND: v.optional(WholeNumberSchema),
};

export function sharesFrom(
  environment: v.InferOutput<v.ObjectSchema<typeof SharesEnvironment, undefined>>,
): Shares {
  return {
    night: environment.COMPANIES_AT_ONCE,
    backfill: environment.BACKFILL_COMPANIES_AT_ONCE,
    requestsPerSecond: environment.API_REQUESTS_PER_SECOND,
  };
}

/** Reads the variables of this process. Throws a MessageError that names the wrong ones. */
export function readEnvironment<Output>(
  schema: v.GenericSchema<unknown, Output>,
  environment: NodeJS.ProcessEnv = process.env,
): Output {
  return parseMessage(schema, environment, "This Lambda's environment is wrong; deploy the stack again");
}

/** Opens the stack's lake, which has the whole bucket. */
export function openLake(bucket: string): LakeStore {
  return new S3Store(createS3Client(), { bucket, prefix: '' });
}

/**
 * Makes a value in the first invocation and keeps it for all others of the process. If making it fails, the next
 * invocation tries again.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
