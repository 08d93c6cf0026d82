import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Exporter } from '../exporter/exporter.ts';
import { Naming } from '../naming.ts';

/** Queries of CloudWatch Logs Insights. Messages and fields are those of functions/ and lib/run/lambda. */

export const LAST_RUNS = `filter message = 'run counted'
| fields @timestamp, corrida, desde, hasta, unidades, filas, exportado, sin_cambios, vacio, fallido, faltantes
| sort @timestamp desc
| limit 50`;

/** Whatever went wrong, in any function, newest first. */
export const TROUBLE_QUERY = {
  name: 'warnings and errors',
  text: `filter level in ['WARN', 'ERROR'] or @message like /Invoke Error|Task timed out|Runtime exited|errorType/
| fields @timestamp, service, message, coalesce(reason, problema, aviso, campo) as why, corrida, rut, direccion, fecha, tabla, @message
| sort @timestamp desc
| limit 500`,
};

/** Saves the runbook's query, below a folder with the stack's name. */
export function addSavedQuery(scope: Construct, exporter: Exporter): void {
  new CfnQueryDefinition(scope, 'SavedQuery', {
    name: `${Naming.of(scope).unique}/${TROUBLE_QUERY.name}`,
    logGroupNames: exporter.functions().map(({ lambda }) => lambda.logGroup.logGroupName),
    queryString: TROUBLE_QUERY.text,
  });
}
