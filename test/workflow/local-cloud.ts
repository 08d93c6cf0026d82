import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import { S3Store } from '../../lib/lake/store/s3.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { daysBetween, isDay } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { DIRECTIONS, type Direction } from '../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR, type SandboxOptions } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { clientSettings } from '../support/aws/aws-server.ts';
import { StandInBucket } from '../support/aws/bucket.ts';
import { type AwsStandIn, startAwsStandIn } from '../support/aws/stand-in.ts';
import { expectedRow, lakeRows } from '../support/lake/lake-truth.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';

export const SECRET = 'cfe-lake/companies';
export const LOGIN_SECRET = 'cfe-lake/login';
export const TOKENS_SECRET = 'cfe-lake/tokens';
const BUCKET = 'lake';

/** The parts of AWS that a run needs and the API, on this machine. */
export interface LocalCloud {
  aws: AwsStandIn;
  sandbox: Sandbox;
  /** The Lambdas' environment variables. */
  environment: Record<string, string>;
  store: S3Store;
  /** Companies in the secret; those of the sandbox at first. */
  setCompanies(companies: readonly { rut: string; token?: string }[]): void;
  /** An empty bucket, an API that behaves, the sandbox's companies, no executions. */
  reset(): void;
  bucket(): StandInBucket;
  close(): Promise<void>;
}

export async function startLocalCloud(options: SandboxOptions): Promise<LocalCloud> {
  const aws = await startAwsStandIn();
  const sandbox = await startSandbox(options);
  const client = new S3Client(clientSettings(aws));
  const setCompanies: LocalCloud['setCompanies'] = (companies) => {
    const SecretString = JSON.stringify({ companies });
    aws.secrets.secrets.set(SECRET, { Name: SECRET, SecretString, VersionId: '1' });
  };
  const cloud: LocalCloud = {
    aws,
    sandbox,
    store: new S3Store(client, { bucket: BUCKET, prefix: '' }),
    environment: {
      AWS_ENDPOINT_URL: aws.url,
      AWS_REGION: 'sa-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      POWERTOOLS_SERVICE_NAME: 'workflow-test',
      POWERTOOLS_METRICS_NAMESPACE: 'cfe-lake',
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      POWERTOOLS_METRICS_DISABLED: 'true',
      API_ADDRESS: sandbox.url,
      COMPANIES_SECRET: SECRET,
      TOKENS_SECRET,
      LOGIN_SECRET,
      LAKE_BUCKET: BUCKET,
      COMPANIES_AT_ONCE: '6',
      BACKFILL_COMPANIES_AT_ONCE: '2',
      REQUESTS_PER_COMPANY: '4',
      MAX_ROWS_PER_LIST: '1000000',
      MAX_DETAILS_PER_UNIT: '10000',
      FIRST_DAY: '2012-01-01',
      STATE_MACHINE_ARN: 'arn:aws:states:sa-east-1:123456789012:stateMachine:cfe-lake',
    },
    setCompanies,
    bucket: () => aws.s3.buckets.get(BUCKET) ?? new StandInBucket(() => systemClock.now()),
    reset: () => {
      aws.s3.buckets.set(BUCKET, new StandInBucket(() => systemClock.now()));
      aws.steps.executions.length = 0;
      aws.events.events.length = 0;
      aws.requests.length = 0;
      aws.disturb = undefined;
      setCompanies(sandbox.companies);
      sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...options.behaviour });
      sandbox.resetStats();
    },
    close: async () => {
      client.destroy();
      await sandbox.close();
      await aws.close();
    },
  };
  cloud.reset();
  return cloud;
}

export interface AskedUnits {
  ruts: readonly Rut[];
  desde: string;
  hasta: string;
  direcciones?: readonly Direction[];
}

/** The units whose object differs from the sandbox's list, row for row; empty if the lake is right. */
export async function differences(
  { sandbox, store }: LocalCloud,
  { ruts, desde, hasta, direcciones = DIRECTIONS }: AskedUnits,
): Promise<string[]> {
  if (!isDay(desde) || !isDay(hasta)) throw new RangeError(`no days: ${desde} to ${hasta}`);
  const different: string[] = [];
  for (const rut of ruts) {
    for (const direction of direcciones) {
      for (const day of daysBetween(desde, hasta)) {
        const truth = [...sandbox.truth(rut, direction, day)].map(expectedRow);
        const rows = (await lakeRows(store, { rut, direction, day })) ?? [];
        const isSame =
          rows.length === truth.length &&
          truth.every((expected, index) =>
            Object.entries(expected).every(([name, value]) => rows[index]?.[name] === value),
          );
        if (!isSame) different.push(`${rut} ${direction} ${day}: ${rows.length} of ${truth.length} rows`);
      }
    }
  }
  return different;
}

/** Asks the bucket's lake with DuckDB, through a copy of it in a folder. */
export async function query(cloud: LocalCloud, sql: string): Promise<unknown[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'lake-copy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [key, { bytes }] of cloud.bucket().objects) {
    const path = join(folder, key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
  const database = await openLakeDatabase(folder);
  try {
    const answer = await database.connection.runAndReadAll(sql);
    return answer.getRowsJson();
  } finally {
    database.close();
  }
}
