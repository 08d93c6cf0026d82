import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import {
  LEASES_FOLDER,
  OPEN_RUNS_FOLDER,
  SOURCE_FOLDER,
  STAGING_FOLDER,
  UNITS_FOLDER,
  unitsFolder,
} from '../../lake/layout.ts';
import { CAMBIOS, EMITIDOS, EXPORTACIONES, RECEIPT_TABLES, RECIBIDOS } from '../../lake/tables.ts';
import { permit } from '../explain.ts';
import { COVERAGE_FOLDER, type LakeBucket } from '../lake-bucket.ts';
import type { Settings } from '../settings.ts';

const BECAUSE = 'All objects below this prefix of one bucket; their names depend on the receipts.';

/** Day objects and units of lists, of which one is a witness that the service is compared with. */
const WITNESSES = [RECIBIDOS, EMITIDOS].flatMap(({ name }) => [name, unitsFolder(name)]);

/**
 * start-run reads and writes the mark of the lake's source and plans of runs, and reads witnesses. It lists to see whether the lake is
 * empty, and of which days it has objects.
 */
export function allowStarting(role: Role, lake: LakeBucket): void {
  allow(
    role,
    lake,
    [
      ['s3:GetObject', 's3:PutObject'],
      [SOURCE_FOLDER, OPEN_RUNS_FOLDER],
    ],
    [['s3:GetObject'], WITNESSES],
  );
}

/**
 * The worker reads and replaces units, renews its run's plan, and stages what it could not finish. It reads the mark
 * of the lake's source, and witnesses. It writes its audit as parts of the run, closes another run's changes, and takes
 * and ends leases. It deletes only staged data and parts, and never writes to a table of receipts.
 */
export function allowExporting(role: Role, lake: LakeBucket): void {
  const deletable = [STAGING_FOLDER, OPEN_RUNS_FOLDER];
  allow(
    role,
    lake,
    [READ_AND_WRITE, [UNITS_FOLDER, CAMBIOS.name, ...deletable]],
    [['s3:GetObject'], [EXPORTACIONES.name, SOURCE_FOLDER, RECIBIDOS.name, EMITIDOS.name]],
    [['s3:DeleteObject'], deletable],
    [['s3:GetObject', 's3:PutObject'], [LEASES_FOLDER]],
  );
}

/**
 * publish makes the receipts' tables from the units, and closes the audit of runs that are over. It deletes only their
 * plans and parts.
 */
export function allowPublishing(role: Role, lake: LakeBucket): void {
  allow(
    role,
    lake,
    [READ_AND_WRITE, [...RECEIPT_TABLES.map(({ name }) => name), EXPORTACIONES.name]],
    [['s3:GetObject'], [UNITS_FOLDER, OPEN_RUNS_FOLDER]],
    [['s3:DeleteObject'], [OPEN_RUNS_FOLDER]],
  );
}

/**
 * finish-run closes runs: it adds, reads and removes parts, replaces the runs' objects, and checks which write a unit's
 * object comes from. It writes the coverage page.
 */
export function allowCounting(role: Role, lake: LakeBucket): void {
  const units = [RECIBIDOS, EMITIDOS].map(({ name }) => unitsFolder(name));
  allow(
    role,
    lake,
    [READ_AND_WRITE, [EXPORTACIONES.name, CAMBIOS.name]],
    [['s3:GetObject'], [...units, OPEN_RUNS_FOLDER]],
    [['s3:DeleteObject'], [OPEN_RUNS_FOLDER]],
    [['s3:PutObject'], [COVERAGE_FOLDER, OPEN_RUNS_FOLDER]],
  );
}

const READ_AND_WRITE = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'];

/** Allows actions on all objects of folders, and, for all of these, to use the key and to list the whole bucket. */
function allow(
  role: Role,
  lake: LakeBucket,
  ...grants: readonly (readonly [actions: readonly string[], folders: readonly string[]])[]
): void {
  for (const [actions, folders] of grants) {
    const resources = folders.map((folder) => lake.bucket.arnForObjects(`${folder}/*`));
    permit(role, { actions, resources, because: BECAUSE });
  }
  // Without it, S3 answers "forbidden" instead of "missing" for an absent object.
  permit(role, { actions: ['s3:ListBucket'], resources: [lake.bucket.bucketArn] });
  lake.allowKey(role);
}

type SecretSettings = Pick<Settings, 'secretName' | 'secretKeyArn'>;

/**
 * Allows reading the secret of that name and all secrets below it (`<name>/…`), and no others. A person creates them,
 * so that no token passes through CloudFormation.
 */
export function allowReadingSecrets(role: Role, { secretName, secretKeyArn }: SecretSettings): void {
  const secretArn = (resourceName: string) =>
    Stack.of(role).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      resourceName,
    });
  permit(role, {
    actions: ['secretsmanager:GetSecretValue'],
    // Secrets Manager appends a dash and six characters to every name.
    resources: [secretArn(`${secretName}-??????`), secretArn(`${secretName}/*`)],
    because: 'Several secrets may hold the companies, when one is too small: all with these names.',
  });
  permit(role, {
    actions: ['secretsmanager:GetSecretValue'],
    resources: ['*'],
    conditions: { StringLike: { 'secretsmanager:SecretId': [secretName, `${secretName}/*`] } },
    because:
      'Only by these names. A missing secret has no ARN: without this, AWS would answer "forbidden", not "missing".',
  });
  permit(role, {
    actions: ['secretsmanager:BatchGetSecretValue'],
    resources: ['*'],
    because: 'This action takes no resources, and returns no value without GetSecretValue on the secret.',
  });
  if (secretKeyArn !== undefined) permit(role, { actions: ['kms:Decrypt'], resources: [secretKeyArn] });
}

/** Allows finding those secrets by prefix, and reading them. */
export function allowFindingSecrets(role: Role, settings: SecretSettings): void {
  allowReadingSecrets(role, settings);
  permit(role, {
    actions: ['secretsmanager:ListSecrets'],
    resources: ['*'],
    because: 'This action takes no resources, and returns names, not values.',
  });
}
