import {
  type CloudFormationClient,
  paginateDescribeStacks,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DeploymentError, findStack } from '../../run/deployed/stack-outputs.ts';
import type { Settings } from '../../stack/settings.ts';
import { WrongInputError } from '../../system/errors.ts';

/** The account and region that a command goes to. */
export interface Place {
  region: string;
  /** Undefined if only CDK can find out. */
  account: string | undefined;
}

/**
 * Checks that somebody is signed in and a region is set, by asking for the stack that `cdk bootstrap` makes. That
 * takes a second. Without a region, CDK would silently use us-east-1. Throws DeploymentError, and
 * WrongInputError if the stack is needed and missing.
 */
export async function findPlace(
  client: CloudFormationClient,
  toolkitStackName: string,
  isBootstrapNeeded: boolean,
): Promise<Place> {
  try {
    const stack = await findStack(client, toolkitStackName, 'Checking whether CDK is set up');
    const region = await client.config.region();
    if (stack !== undefined || !isBootstrapNeeded) return { region, account: stack?.StackId?.split(':')[4] };
    throw new WrongInputError(`CDK is not set up yet in this account in ${region}.`, {
      advice:
        'Once for each account and region: npm run bootstrap. ' +
        'If that is the wrong account or region, set AWS_PROFILE and AWS_REGION.',
    });
  } catch (error) {
    // The caller may not ask, but CDK assumes roles that may.
    if (error instanceof DeploymentError && /^AccessDenied/.test(error.awsCode))
      return { region: await client.config.region(), account: undefined };
    throw error;
  }
}

/** What is already deployed and a deployment could harm. */
export interface DeployedShape {
  /** The stack of this name; undefined if there is none, or if it never came up. */
  stack:
    | {
        /** Whether the stack made a key for its lake. */
        hasKey: boolean;
        /** The user's key that encrypts the lake. */
        encryptionKeyArn?: string | undefined;
        /** Its lake; undefined if its outputs don't name it. */
        bucket: string | undefined;
        /** Whether the stack made that bucket. */
        hasBucket: boolean;
      }
    | undefined;
  /** Stacks of this program under other names. */
  others: string[];
}

/** The first deployment failed: CDK will replace the stack. */
const NEVER_CAME_UP: ReadonlySet<string> = new Set(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE']);
/** Only stacks of this program have all of these outputs. */
const OUTPUTS = ['LakeBucket', 'StartRunFunction', 'StateMachineArn'];

/** Finds the stacks of this program in the account and region. Throws DeploymentError. */
export async function readDeployedShape(
  client: CloudFormationClient,
  stackName: string,
): Promise<DeployedShape> {
  try {
    const shape: DeployedShape = { stack: undefined, others: [] };
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
      for (const { StackName = '', StackStatus = '', Outputs = [] } of Stacks) {
        const outputs = new Map(Outputs.map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]));
        if (StackName !== stackName) {
          if (OUTPUTS.every((name) => outputs.has(name))) shape.others.push(StackName);
        } else if (!NEVER_CAME_UP.has(StackStatus)) {
          const types = await typesIn(client, stackName);
          shape.stack = {
            hasKey: types.has('AWS::KMS::Key'),
            hasBucket: types.has('AWS::S3::Bucket'),
            bucket: outputs.get('LakeBucket'),
            encryptionKeyArn: outputs.get('EncryptionKey'),
          };
        }
      }
    }
    return shape;
  } catch (error) {
    throw new DeploymentError('Checking what is already deployed', error);
  }
}

/** Resource types in the stack now. */
async function typesIn(client: CloudFormationClient, StackName: string): Promise<Set<string>> {
  const types = new Set<string>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType = '', ResourceStatus } of StackResourceSummaries) {
      if (ResourceStatus !== 'DELETE_COMPLETE') types.add(ResourceType);
    }
  }
  return types;
}

/** Values of `--accept`. */
export const RISKS = ['bucket', 'encryption', 'second-stack'] as const;
type Risk = (typeof RISKS)[number];

function keyText(arn: string | undefined): string {
  return arn === undefined ? 'no encryptionKeyArn' : `encryptionKeyArn=${arn}`;
}

/** Throws WrongInputError for the first irreversible change that nobody accepted. */
export function refuseRiskyChanges(
  {
    stackName,
    useKms,
    encryptionKeyArn,
    bucketName,
  }: Pick<Settings, 'stackName' | 'useKms' | 'encryptionKeyArn' | 'bucketName'>,
  { stack, others }: DeployedShape,
  accepted: readonly string[],
): void {
  const refuse = (risk: Risk, meaning: string, instead: string) => {
    if (accepted.includes(risk)) return;
    throw new WrongInputError(`Nothing was deployed. ${meaning}`, {
      advice: `${instead}; if you want the change: npm run deploy -- --accept ${risk}`,
    });
  };
  if (stack === undefined && others.length > 0) {
    refuse(
      'second-stack',
      `There is no stack ${stackName} here, but there is ${others.join(', ')}. This would create a second one beside it, ` +
        'with its own bucket, schedules and costs, and every company would be read twice.',
      `If you mean the first: npm run settings -- stackName=${others[0]}`,
    );
  }
  if (stack === undefined) return;
  const { bucket = 'another bucket', hasBucket, hasKey } = stack;
  if (hasBucket && bucketName !== undefined) {
    refuse(
      'bucket',
      `The lake of ${stackName} is ${bucket}, which the stack created. This deployment would switch to ${bucketName}, ` +
        'and leave that bucket alone, or delete it with all receipts if it was deployed with removalPolicy=destroy.',
      'To keep it: npm run settings -- bucketName=',
    );
  }
  if (!hasBucket && bucketName !== bucket) {
    refuse(
      'bucket',
      `The lake of ${stackName} is ${bucket}. This deployment would switch to ${bucketName ?? 'a new, empty bucket'}, ` +
        'and the tables would not show what is in the old one.',
      `To keep it: npm run settings -- bucketName=${bucket}`,
    );
  }
  if (hasBucket && encryptionKeyArn !== stack.encryptionKeyArn) {
    refuse(
      'encryption',
      `The lake of ${stackName} is deployed with ${keyText(stack.encryptionKeyArn)}, and this deployment has ` +
        `${keyText(encryptionKeyArn)}. What is in the lake would keep its encryption, and no function or query could ` +
        'use an earlier key any more.',
      `To leave it: npm run settings -- encryptionKeyArn=${stack.encryptionKeyArn ?? ''}`,
    );
  }
  if (hasKey && !useKms) {
    refuse(
      'encryption',
      `The lake of ${stackName} is encrypted with a key of its own, and useKms is false. No function and no query ` +
        'could use that key any more, so nothing in the lake could be read or compared.',
      'To keep it: npm run settings -- useKms=true',
    );
  }
  if (!hasKey && useKms) {
    refuse(
      'encryption',
      `The lake of ${stackName} has no key of its own, and useKms is true. What is in the lake would stay as it ` +
        'is, new objects would get the key, everybody who reads the lake would need it, and there is no easy way back.',
      'To leave it: npm run settings -- useKms=false',
    );
  }
}
