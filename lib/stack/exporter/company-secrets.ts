import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { permit } from '../permit.ts';
import type { Settings } from '../settings.ts';

type SecretSettings = Pick<Settings, 'secretName' | 'secretKeyArn'>;

/**
 * Lets a function read the secret of that name and all secrets below it (`<name>/…`), and no others. A person makes
 * them, so that no token ever passes through CloudFormation.
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
    because:
      'Several secrets may hold the companies, when one is too small; all that are named so are meant.',
  });
  permit(role, {
    actions: ['secretsmanager:GetSecretValue'],
    resources: ['*'],
    conditions: { StringLike: { 'secretsmanager:SecretId': [secretName, `${secretName}/*`] } },
    because:
      'By these names only. A name that no secret has leads to no ARN: without this, "missing" would be answered as "forbidden".',
  });
  permit(role, {
    actions: ['secretsmanager:BatchGetSecretValue'],
    resources: ['*'],
    because: 'It knows no resources, and gives no value without GetSecretValue on its secret.',
  });
  if (secretKeyArn !== undefined) permit(role, { actions: ['kms:Decrypt'], resources: [secretKeyArn] });
}

/** Lets it find those secrets by the beginning of their names, besides reading them. */
export function allowFindingSecrets(role: Role, settings: SecretSettings): void {
  allowReadingSecrets(role, settings);
  permit(role, {
    actions: ['secretsmanager:ListSecrets'],
    resources: ['*'],
    because: 'It knows no resources, and gives names, not values.',
  });
}
