import * as v from 'valibot';
import { createS3Client, S3Store } from '../lake/store/s3.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DaySchema, DirectionsSchema, parseMessage } from '../run/messages.ts';

/** The environment variables that the stack gives each Lambda: names and numbers, never a secret. */

const Text = v.pipe(v.string(), v.nonEmpty('is empty'));
const WholeNumber = v.pipe(Text, v.regex(/^[1-9]\d*$/, 'must be a whole number from 1'), v.toNumber());

export const StarterEnvironmentSchema = v.object({
  API_ADDRESS: Text,
  /** Name of the secret of companies; more secrets may be below it. */
  COMPANIES_SECRET: Text,
  LAKE_BUCKET: Text,
  STATE_MACHINE_ARN: Text,
  /** The first issue date that Athena sees. */
  FIRST_DAY: v.pipe(Text, DaySchema),
});

export const WorkerEnvironmentSchema = v.object({
  API_ADDRESS: Text,
  COMPANIES_SECRET: Text,
  LAKE_BUCKET: Text,
  /** Companies exported at the same time, over all runs. */
  COMPANIES_AT_ONCE: WholeNumber,
  REQUESTS_PER_COMPANY: WholeNumber,
  MAX_ROWS_PER_LIST: WholeNumber,
  /** Directions whose receipts are read in full; none when absent. */
  DETAILS: v.optional(
    v.pipe(
      Text,
      v.transform((text) => text.split(',')),
      DirectionsSchema,
    ),
  ),
  MAX_DETAILS_PER_UNIT: WholeNumber,
  DETAILS_MAX_AGE_DAYS: v.optional(WholeNumber),
});

export const FinisherEnvironmentSchema = v.object({ LAKE_BUCKET: Text });

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
