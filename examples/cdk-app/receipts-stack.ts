import { Stack, Tags } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { CfeLake } from 'cfe-lake/cdk';
import type { Construct } from 'constructs';

export interface ReceiptsStackProps {
  apiAddress: string;
  alarmEmail: string;
}

/** A stack of your own, with a lake of receipts and two roles that use it. */
export class ReceiptsStack extends Stack {
  readonly lake: CfeLake;

  constructor(scope: Construct, id: string, { apiAddress, alarmEmail }: ReceiptsStackProps) {
    super(scope, id);
    this.lake = new CfeLake(this, 'Lake', { apiAddress, alarmEmail, details: 'emitidos', nightlyDays: 5 });
    Tags.of(this.lake).add('team', 'finance');

    const assumedBy = new AccountRootPrincipal();
    this.lake.grantQuery(new Role(this, 'Analysts', { assumedBy }));
    this.lake.grantBackfill(new Role(this, 'Operators', { assumedBy }));

    // So that `cfe-lake check --stack Receipts`, `backfill` and `runs` find it.
    this.lake.addOutputs();
  }
}
