import type { Role } from 'aws-cdk-lib/aws-iam';
import { EMITIDOS, EXPORTACIONES, RECIBIDOS, TABLES } from '../../lake/tables.ts';
import type { LakeBucket } from '../lake-bucket.ts';
import { COVERAGE_PREFIX, SOURCE_PREFIX, STAGING_PREFIX } from '../lake-prefixes.ts';
import { permit } from '../permit.ts';

const BECAUSE = 'All objects below this prefix of the one bucket: which there are, only the receipts say.';

/** start-run looks whose the lake is, and marks it; to see that it is empty, it lists. */
export function allowMarking(role: Role, lake: LakeBucket): void {
  allowObjects(role, lake, ['s3:GetObject', 's3:PutObject'], [`${SOURCE_PREFIX}*`]);
  allowListing(role, lake);
  lake.allowKey(role);
}

/**
 * The worker reads and replaces objects of the tables and what is known of their source, and stages what it could not
 * finish. It deletes only there.
 */
export function allowExporting(role: Role, lake: LakeBucket): void {
  const staging = `${STAGING_PREFIX}*`;
  allowObjects(role, lake, READ_AND_WRITE, [
    ...TABLES.map((table) => `${table.name}/*`),
    `${SOURCE_PREFIX}*`,
    staging,
  ]);
  allowObjects(role, lake, ['s3:DeleteObject'], [staging]);
  allowListing(role, lake);
  lake.allowKey(role);
}

/** finish-run reads the audit and, for totals by type, the receipts; it writes the page of what was exported. */
export function allowCounting(role: Role, lake: LakeBucket): void {
  const tables = [EXPORTACIONES, RECIBIDOS, EMITIDOS].map(({ name }) => `${name}/*`);
  const coverage = `${COVERAGE_PREFIX}*`;
  allowObjects(role, lake, ['s3:GetObject'], [...tables, coverage]);
  allowObjects(role, lake, ['s3:PutObject'], [coverage]);
  allowListing(role, lake);
  lake.allowKey(role);
}

const READ_AND_WRITE = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'];

function allowObjects(
  role: Role,
  lake: LakeBucket,
  actions: readonly string[],
  objects: readonly string[],
): void {
  const resources = objects.map((object) => lake.bucket.arnForObjects(object));
  permit(role, { actions, resources, because: BECAUSE });
}

/** Of the whole bucket: without it, S3 says "forbidden" and not "missing" about an object that isn't there. */
function allowListing(role: Role, lake: LakeBucket): void {
  permit(role, { actions: ['s3:ListBucket'], resources: [lake.bucket.bucketArn] });
}
