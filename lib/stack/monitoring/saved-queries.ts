import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { HandlerName } from '../exporter/bundle-folders.ts';
import type { ExporterFunction } from '../exporter/exporter-function.ts';
import { Naming } from '../naming.ts';
import { SAVED_QUERIES, type SavedQuery } from './saved-query-list.ts';
import type { Watched } from './watched.ts';

/** The runbook's questions, ready to be asked in CloudWatch Logs Insights. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const functions = functionsOf(watched);
    for (const query of SAVED_QUERIES) {
      new CfnQueryDefinition(this, query.name.replaceAll(' ', '-'), {
        name: `${Naming.of(this).unique}/${query.name}`,
        logGroupNames: query.handlers.map((handler) => functions[handler].lambda.logGroup.logGroupName),
        queryString: queryText(query),
      });
    }
  }
}

export function queryText({ lines }: SavedQuery): string {
  return lines.join('\n| ');
}

function functionsOf({
  startRun,
  exportCompany,
  publish,
  finishRun,
}: Watched): Record<HandlerName, ExporterFunction> {
  return { 'start-run': startRun, 'export-company': exportCompany, publish, 'finish-run': finishRun };
}
