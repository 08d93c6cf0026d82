import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSecret, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct, IConstruct } from 'constructs';
import { explain, permit } from '../explain.ts';
import type { LakeBucket } from '../lake-bucket.ts';
import { Naming } from '../naming.ts';
import { TOKENS_SUFFIX } from '../settings.ts';

/** The secrets of companies and login, if there is one, which a person creates, and the key that encrypts them. */
export interface Secrets {
  secretName: string;
  login: string | undefined;
  secretKey: IKey | undefined;
}

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

/** Secrets Manager appends a dash and six characters to every name. */
const ANY_SUFFIX = '-??????';

function secretArn(role: IConstruct, resourceName: string): string {
  return Stack.of(role).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    resourceName,
  });
}

/** The secret of this name, whose last six characters are not known: a person creates it. */
export function secretOfName(scope: IConstruct, name: string): string {
  return secretArn(scope, `${name}${ANY_SUFFIX}`);
}

/** The secrets of the companies: that of the name, and all below it. */
export function companySecrets(scope: IConstruct, { secretName }: Pick<Secrets, 'secretName'>): string[] {
  return [secretOfName(scope, secretName), secretArn(scope, `${secretName}/*`)];
}

/**
 * Allows reading the login's secret, whether it exists or not, and making a new version of it the current one; and
 * reading and writing that of its tokens.
 */
export function allowRenewing(
  role: Role,
  { login, tokens }: TokensOfLogin,
  { secretKey }: Pick<Secrets, 'secretKey'>,
): void {
  permit(role, {
    actions: ['GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'].map(
      (action) => `secretsmanager:${action}`,
    ),
    resources: [secretOfName(role, login)],
    because:
      'The one secret of this name: a person creates it, so that its last six characters are not known.',
  });
  permit(role, {
    actions: ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
    resources: [tokens.secretArn],
  });
  secretKey?.grant(role, 'kms:Decrypt', 'kms:GenerateDataKey');
}

/** The name of the login's secret, and the secret of the tokens that it gave. */
export interface TokensOfLogin {
  login: string;
  tokens: ISecret;
}

/** The secret that `renew-tokens` writes: created without a value, and of no use without the login. */
export function tokensSecret(scope: Construct, { secretKey }: Pick<Secrets, 'secretKey'>): ISecret {
  const secret = new CfnSecret(scope, 'Tokens', {
    name: Naming.of(scope).withSuffix(TOKENS_SUFFIX),
    description: 'Tokens that the login gave; written by renew-tokens alone',
    kmsKeyId: secretKey?.keyArn,
  });
  explain(secret, 'renew-tokens replaces its value before half of its life is over.', ['AwsSolutions-SMG4']);
  return Secret.fromSecretCompleteArn(scope, 'TokensByArn', secret.ref);
}

/** Allows reading the tokens that the login gave. */
export function allowReadingTokens(role: Role, tokens: ISecret | undefined): void {
  if (tokens === undefined) return;
  permit(role, { actions: ['secretsmanager:GetSecretValue'], resources: [tokens.secretArn] });
}

/**
 * Allows reading the secret of that name and all secrets below it (`<name>/…`), and no others. A person creates them,
 * so that no token passes through CloudFormation. A missing secret has no ARN that this names, so AWS may answer
 * "forbidden" in place of "missing" (lib/companies/secrets-manager.ts).
 */
export function allowReadingSecrets(role: Role, { secretName, secretKey }: Secrets): void {
  permit(role, {
    actions: ['secretsmanager:GetSecretValue'],
    resources: companySecrets(role, { secretName }),
    because: 'Several secrets may hold the companies, when one is too small: all with these names.',
  });
  permit(role, {
    actions: ['secretsmanager:BatchGetSecretValue'],
    resources: ['*'],
    because: 'This action takes no resources, and returns no value without GetSecretValue on the secret.',
  });
  secretKey?.grant(role, 'kms:Decrypt');
}

/** Allows finding those secrets by prefix, and reading them. */
export function allowFindingSecrets(role: Role, secrets: Secrets): void {
  allowReadingSecrets(role, secrets);
  permit(role, {
    actions: ['secretsmanager:ListSecrets'],
    resources: ['*'],
    because: 'This action takes no resources, and returns names, not values.',
  });
}

/** What Lambda needs of a function's role to connect the function to these subnets. */
export function allowConnecting(role: Role, subnetIds: string[], groups: ISecurityGroup[]): void {
  const ec2 = (resource: string, resourceName: string) =>
    Stack.of(role).formatArn({ service: 'ec2', resource, resourceName });
  permit(role, {
    actions: ['ec2:CreateNetworkInterface'],
    resources: [
      ec2('network-interface', '*'),
      ...subnetIds.map((id) => ec2('subnet', id)),
      ...groups.map(({ securityGroupId }) => ec2('security-group', securityGroupId)),
    ],
    because: 'In these subnets and security groups alone; a new interface has no id yet.',
  });
  permit(role, {
    actions: ['ec2:DeleteNetworkInterface', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
    resources: [ec2('*', '*')],
    because:
      'Lambda makes the interfaces and refuses a role that may not delete any: AWS names this resource.',
  });
  permit(role, {
    actions: ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'],
    resources: ['*'],
    because: 'These actions take no resources.',
  });
}
