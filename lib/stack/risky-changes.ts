import {
  CloudFormationClient,
  paginateDescribeStacks,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DeploymentError } from '../run/deployed/stack-outputs.ts';
import { awsConnections } from '../system/aws-connections.ts';
import { WrongInputError } from '../system/errors.ts';
import { SETTINGS_FILE } from './read-settings.ts';
import type { StackSettings } from './settings.ts';

/** Where CDK would deploy to. */
export interface Place {
  account: string;
  region: string;
}

/** What `-c accept=…` allows. `unseen`: that nobody looks at what is deployed. */
const RISKS = ['bucket', 'encryption', 'second-stack', 'unseen'] as const;
type Risk = (typeof RISKS)[number];

/** What is already deployed and a deployment could harm. */
export interface DeployedShape {
  /** The stack of this name; undefined if there is none, or if it never came up. */
  stack:
    | {
        /** Its lake; undefined if its outputs don't name it. */
        bucket: string | undefined;
        /** Whether the stack made that bucket. */
        hasBucket: boolean;
        /** Whether the stack made a key for it. */
        hasKey: boolean;
        /** The user's key that encrypts it. */
        encryptionKeyArn: string | undefined;
      }
    | undefined;
  /** Stacks of this program under other names. */
  otherStacks: string[];
}

/** A comparison with what is deployed takes no longer. */
const MOST_MS = 60_000;
/** The first deployment failed: CDK will replace the stack. */
const NEVER_CAME_UP: ReadonlySet<string> = new Set(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE']);
/** Only stacks of this program have all of these outputs. */
const OUTPUTS = ['LakeBucket', 'StartRunFunction', 'StateMachineArn'];

/**
 * Asks for the stacks of the place. CDK keeps the credentials of `--profile` to itself, so these may be others: throws
 * WrongInputError if none of the stacks is in the place, and DeploymentError.
 */
export async function readDeployedShape(
  client: CloudFormationClient,
  stackName: string,
  { account, region }: Place,
): Promise<DeployedShape> {
  const inTime = { abortSignal: AbortSignal.timeout(MOST_MS) };
  const stacks: Stack[] = [];
  const types = new Set<string>();
  try {
    for await (const page of paginateDescribeStacks({ client }, {}, inTime))
      stacks.push(...(page.Stacks ?? []));
    const isThere = stacks.some((stack) => stack.StackName === stackName && !neverCameUp(stack));
    const pages = isThere ? paginateListStackResources({ client }, { StackName: stackName }, inTime) : [];
    for await (const { StackResourceSummaries: resources = [] } of pages) {
      for (const { ResourceType = '', ResourceStatus } of resources)
        if (ResourceStatus !== 'DELETE_COMPLETE') types.add(ResourceType);
    }
  } catch (error) {
    throw new DeploymentError('Checking what is already deployed', error);
  }
  if (!stacks.some(({ StackId = '' }) => StackId.includes(`:cloudformation:${region}:${account}:`)))
    throw new WrongInputError(`No stack was seen in AWS account ${account}, region ${region}.`, {
      advice:
        'If CDK is not set up there yet, once: npx cdk bootstrap. Otherwise name the account and region by AWS_PROFILE ' +
        'and AWS_REGION, not by --profile and --region',
    });
  return shapeOf(stacks, stackName, types);
}

const neverCameUp = ({ StackStatus }: Stack) => NEVER_CAME_UP.has(StackStatus ?? '');

function shapeOf(stacks: readonly Stack[], stackName: string, types: ReadonlySet<string>): DeployedShape {
  const outputsOf = ({ Outputs = [] }: Stack) =>
    new Map(Outputs.map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]));
  const stack = stacks.find((found) => found.StackName === stackName && !neverCameUp(found));
  const otherStacks = stacks.filter(
    (found) => found.StackName !== stackName && OUTPUTS.every((name) => outputsOf(found).has(name)),
  );
  return {
    stack: stack && {
      bucket: outputsOf(stack).get('LakeBucket'),
      hasBucket: types.has('AWS::S3::Bucket'),
      hasKey: types.has('AWS::KMS::Key'),
      encryptionKeyArn: outputsOf(stack).get('EncryptionKey'),
    },
    otherStacks: otherStacks.map(({ StackName = '' }) => StackName),
  };
}

type Compared = Pick<StackSettings, 'stackName' | 'useKms' | 'encryptionKeyArn' | 'bucketName'>;

/** The setting by which a lake is encrypted. */
function encryptionOf({ hasKey, arn }: { hasKey: boolean; arn: string | undefined }): string {
  if (hasKey) return '"useKms": true';
  return arn === undefined ? 'neither useKms nor encryptionKeyArn' : `"encryptionKeyArn": "${arn}"`;
}

/** Throws WrongInputError for the first irreversible change that nobody accepted. */
export function refuseRiskyChanges(
  { stackName, useKms, encryptionKeyArn, bucketName }: Compared,
  { stack, otherStacks }: DeployedShape,
  accepted: readonly Risk[],
): void {
  const refuse = (risk: Risk, meaning: string, kept: string) => {
    if (accepted.includes(risk)) return;
    throw new WrongInputError(`Nothing was deployed. ${meaning}`, {
      advice: `To keep what is there, ${SETTINGS_FILE} needs ${kept}; if you want the change: npx cdk deploy -c accept=${risk}`,
    });
  };
  if (stack === undefined) {
    if (otherStacks.length === 0) return;
    refuse(
      'second-stack',
      `There is no stack ${stackName} here, but there is ${otherStacks.join(', ')}. This would create a second one beside it, ` +
        'with its own bucket, schedules and costs, and every company would be read twice.',
      `"stackName": "${otherStacks[0]}"`,
    );
    return;
  }
  const { bucket = 'another bucket', hasBucket, hasKey } = stack;
  if (hasBucket && bucketName !== undefined) {
    refuse(
      'bucket',
      `The lake of ${stackName} is ${bucket}, which the stack created. This deployment would switch to ${bucketName}, ` +
        'and leave that bucket alone, or delete it with all receipts if it was deployed with removalPolicy=destroy.',
      'no bucketName',
    );
    return;
  }
  if (!hasBucket && bucketName !== bucket) {
    refuse(
      'bucket',
      `The lake of ${stackName} is ${bucket}. This deployment would switch to ${bucketName ?? 'a new, empty bucket'}, ` +
        'and the tables would not show what is in the old one.',
      `"bucketName": "${bucket}"`,
    );
  }
  const deployed = encryptionOf({ hasKey, arn: stack.encryptionKeyArn });
  const wanted = encryptionOf({ hasKey: useKms, arn: encryptionKeyArn });
  if (hasBucket && deployed !== wanted) {
    refuse(
      'encryption',
      `The lake of ${stackName} is deployed with ${deployed}, and this deployment has ${wanted}. What is in the lake would ` +
        'keep its encryption, and no function or query could use an earlier key any more.',
      deployed,
    );
  }
}

/** The values of `-c accept=one,other`. Throws WrongInputError for others. */
function acceptedOf(accept: unknown): Risk[] {
  const words = accept === undefined ? [] : String(accept).split(',');
  const accepted = RISKS.filter((risk) => words.includes(risk));
  if (accepted.length === words.length) return accepted;
  throw new WrongInputError(`-c accept=… takes ${RISKS.join(', ')}, with commas between.`);
}

/**
 * Compares a deployment with what is deployed; `place` is undefined where CDK found no credentials. Returns what to tell
 * whoever deploys. Throws WrongInputError for a change that nobody accepted, and DeploymentError.
 */
export async function compareWithDeployed(
  settings: Compared,
  accept: unknown,
  place: Place | undefined,
): Promise<string> {
  const accepted = acceptedOf(accept);
  if (place === undefined || accepted.includes('unseen'))
    return `Not compared with what is deployed: ${place === undefined ? 'there are no credentials of AWS' : 'accept=unseen'}.`;
  // AWS's SDK for JavaScript does not read the second one, which CDK and AWS CLI do.
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  const client = new CloudFormationClient({
    maxAttempts: 3,
    requestHandler: awsConnections(),
    ...(region && { region }),
  });
  refuseRiskyChanges(settings, await readDeployedShape(client, settings.stackName, place), accepted);
  return `Compared with what is deployed in AWS account ${place.account}, region ${place.region}.`;
}
