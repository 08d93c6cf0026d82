import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import type { Settings } from '../stack/settings.ts';
import type { DeployedShape, DeployedStack } from './deployed-shape.ts';

/** What `--accept` may be given. */
export const RISKS = ['bucket', 'encryption', 'second-stack'] as const;
export type Risk = (typeof RISKS)[number];

/** A deployment that would do what nobody can take back, and nobody said that it is meant. */
export class ChangeRefusedError extends CfeLakeError {
  override name = 'ChangeRefusedError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  readonly risk: Risk;
  constructor(risk: Risk, meaning: string, instead: string) {
    super(`Nothing was deployed. ${meaning}`, {
      advice: `${instead}; if it is meant: npm run deploy -- --accept ${risk}`,
    });
    this.risk = risk;
  }
}

/** Throws ChangeRefusedError for the first change that is not accepted. */
export function refuseRiskyChanges(
  { stackName, useKms, bucketName }: Pick<Settings, 'stackName' | 'useKms' | 'bucketName'>,
  { stack, others }: DeployedShape,
  accepted: readonly string[],
): void {
  if (stack === undefined && others.length > 0 && !accepted.includes('second-stack')) {
    throw new ChangeRefusedError(
      'second-stack',
      `There is no stack ${stackName} here, and there is ${others.join(', ')}: this would be a second one beside it, ` +
        'with a bucket, schedules and costs of its own, that reads every company once more.',
      `If the first is meant: npm run settings -- stackName=${others[0]}`,
    );
  }
  if (stack === undefined) return;
  if (!accepted.includes('bucket')) refuseOtherBucket(stackName, bucketName, stack);
  if (stack.hasKey !== useKms && !accepted.includes('encryption')) refuseOtherEncryption(stackName, stack);
}

function refuseOtherBucket(stackName: string, bucketName: string | undefined, stack: DeployedStack): void {
  const { bucket = 'another bucket', hasBucket } = stack;
  if (hasBucket && bucketName !== undefined) {
    throw new ChangeRefusedError(
      'bucket',
      `The lake of ${stackName} is ${bucket}, which the stack made: it would leave that bucket alone, or delete it with ` +
        `all receipts if it was deployed with removalPolicy=destroy, and go on in ${bucketName}.`,
      'To keep it: npm run settings -- bucketName=',
    );
  }
  if (!hasBucket && bucketName !== bucket) {
    throw new ChangeRefusedError(
      'bucket',
      `The lake of ${stackName} is ${bucket}; this deployment would go on in ${bucketName ?? 'a new, empty bucket'}, and ` +
        'the tables would not show what is in the other.',
      `To keep it: npm run settings -- bucketName=${bucket}`,
    );
  }
}

function refuseOtherEncryption(stackName: string, { hasKey }: DeployedStack): void {
  throw hasKey
    ? new ChangeRefusedError(
        'encryption',
        `The lake of ${stackName} is encrypted with a key of its own, and useKms is false: no function and no query ` +
          'could use that key any more, so that nothing in the lake could be read or compared.',
        'To keep it: npm run settings -- useKms=true',
      )
    : new ChangeRefusedError(
        'encryption',
        `The lake of ${stackName} has no key of its own, and useKms is true: what is in the lake stays as it is, what ` +
          'comes gets the key, everybody who reads the lake needs it, and there is no easy way back.',
        'To leave it: npm run settings -- useKms=false',
      );
}
