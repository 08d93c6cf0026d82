import { CfnNamedQuery, type CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { Construct } from 'constructs';
import { namedQueries } from '../query/named-queries.ts';

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
