import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { Construct } from 'constructs';
import { namedQueries } from '../query/named-queries.ts';
import { type LakeBucket, QUERY_RESULTS_PREFIX } from './lake-bucket.ts';

const BYTES_PER_GIB = 2 ** 30;

export interface QueryWorkgroupProps {
  lake: LakeBucket;
  workgroupName: string;
  scanCutoffGiB: number;
}

/**
 * The analysts' workgroup. It enforces where results go and how much a query may scan, whatever the client says.
 */
export class QueryWorkgroup extends Construct {
  readonly workgroupName: string;
  readonly workgroup: CfnWorkGroup;

  constructor(scope: Construct, id: string, { lake, workgroupName, scanCutoffGiB }: QueryWorkgroupProps) {
    super(scope, id);
    this.workgroupName = workgroupName;
    this.workgroup = new CfnWorkGroup(this, 'Workgroup', {
      name: workgroupName,
      description: 'SQL over the lake of fiscal receipts',
      // Otherwise saved queries and their history would block the removal of the stack.
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: true,
        bytesScannedCutoffPerQuery: scanCutoffGiB * BYTES_PER_GIB,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        resultConfiguration: {
          outputLocation: lake.bucket.s3UrlForObject(QUERY_RESULTS_PREFIX),
          encryptionConfiguration:
            lake.key === undefined
              ? { encryptionOption: 'SSE_S3' }
              : { encryptionOption: 'SSE_KMS', kmsKey: lake.key.keyArn },
        },
      },
    });
  }
}

export interface NamedQueriesProps {
  workgroup: CfnWorkGroup;
  databaseName: string;
}

/** The program's named queries, listed under the workgroup's "Saved queries". */
export class NamedQueries extends Construct {
  constructor(scope: Construct, id: string, { workgroup, databaseName }: NamedQueriesProps) {
    super(scope, id);
    for (const { name, summary, sql } of namedQueries()) {
      new CfnNamedQuery(this, name, {
        name,
        description: summary,
        queryString: sql,
        database: databaseName,
        // A reference, so that the workgroup is created first.
        workGroup: workgroup.ref,
      });
    }
  }
}
