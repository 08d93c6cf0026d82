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

/** Where analysts ask. Its settings hold whatever a client says: where answers go, and how much a query may read. */
export class QueryWorkgroup extends Construct {
  readonly workgroupName: string;
  readonly workgroup: CfnWorkGroup;

  constructor(scope: Construct, id: string, { lake, workgroupName, scanCutoffGiB }: QueryWorkgroupProps) {
    super(scope, id);
    this.workgroupName = workgroupName;
    this.workgroup = new CfnWorkGroup(this, 'Workgroup', {
      name: workgroupName,
      description: 'SQL over the lake of fiscal receipts',
      // Saved queries and their history are no reason for the removal of the stack to fail.
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

/** The questions that come with the program, under "Saved queries" of the workgroup. */
export class NamedQueries extends Construct {
  constructor(scope: Construct, id: string, { workgroup, databaseName }: NamedQueriesProps) {
    super(scope, id);
    for (const { name, summary, sql } of namedQueries()) {
      new CfnNamedQuery(this, name, {
        name,
        description: summary,
        queryString: sql,
        database: databaseName,
        // Refers to the workgroup, so that it is there first.
        workGroup: workgroup.ref,
      });
    }
  }
}
