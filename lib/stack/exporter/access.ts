import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { permit } from '../explain.ts';
import type { LakeBucket } from '../lake-bucket.ts';
import type { Settings } from '../settings.ts';

const BECAUSE = 'All objects below this prefix of one bucket; their names depend on the receipts.';

/** Allows actions on all objects of folders, and, for all of these, to use the key and to list the whole bucket. */
export function allowObjects(
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

/**
 * Allows reading the secret of that name and all secrets below it (`<name>/…`), and no others. A person creates them,
 * so that no token passes through CloudFormation. A missing secret has no ARN that this names, so AWS may answer
 * "forbidden" in place of "missing" (lib/companies/secrets-manager.ts).
 */
export function allowReadingSecrets(role: Role, { secretName, secretKeyArn }: Settings): void {
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
    actions: ['secretsmanager:BatchGetSecretValue'],
    resources: ['*'],
    because: 'This action takes no resources, and returns no value without GetSecretValue on the secret.',
  });
  if (secretKeyArn !== undefined) permit(role, { actions: ['kms:Decrypt'], resources: [secretKeyArn] });
}

/** Allows finding those secrets by prefix, and reading them. */
export function allowFindingSecrets(role: Role, settings: Settings): void {
  allowReadingSecrets(role, settings);
  permit(role, {
    actions: ['secretsmanager:ListSecrets'],
    resources: ['*'],
    because: 'This action takes no resources, and returns names, not values.',
  });
}
