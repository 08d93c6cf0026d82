import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import { openStore } from '../lake/store/open-store.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { countRun, type RunCount } from '../run/count-run.ts';
import type { RunInput } from '../run/messages.ts';
import type { StartedRun } from '../run/start-run.ts';
import { type FollowOptions, followRun } from './follow-run.ts';
import { listRuns } from './list-runs.ts';
import type { RunDescription } from './run-description.ts';
import { readStackOutputs, type StackOutputs } from './stack-outputs.ts';
import { type BackfillRequest, startBackfill } from './start-backfill.ts';

export interface DeploymentClients {
  lambda: LambdaClient;
  stepFunctions: SFNClient;
}

/** A deployed stack, from the command line's side. */
export class Deployment {
  readonly outputs: StackOutputs;
  private readonly clients: DeploymentClients;

  constructor(outputs: StackOutputs, clients: DeploymentClients) {
    this.outputs = outputs;
    this.clients = clients;
  }

  startBackfill(request: BackfillRequest): Promise<StartedRun> {
    return startBackfill(this.clients.lambda, this.outputs.startRunFunction, request);
  }

  followRun(executionArn: string, options: FollowOptions): Promise<RunDescription> {
    return followRun(this.clients.stepFunctions, executionArn, options);
  }

  listRuns(maxRuns: number): Promise<RunDescription[]> {
    return listRuns(this.clients.stepFunctions, this.outputs.stateMachineArn, maxRuns);
  }

  openLake(): Promise<LakeStore> {
    return openStore(`s3://${this.outputs.lakeBucket}`);
  }

  /** What became of a run's units, with the first so many failures; of a run under way, so far. */
  async countRun(run: RunInput, maxFailures: number): Promise<RunCount> {
    return await countRun(await this.openLake(), run, maxFailures);
  }
}

/** Finds a stack, with AWS's own settings for account and region. Throws what readStackOutputs does. */
export async function openDeployment(stackName: string): Promise<Deployment> {
  const outputs = await readStackOutputs(new CloudFormationClient(), stackName);
  return new Deployment(outputs, {
    // Never by itself a second time: a run by hand would be started twice.
    lambda: new LambdaClient({ maxAttempts: 1 }),
    stepFunctions: new SFNClient({ maxAttempts: 8 }),
  });
}
