import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { HandlerName } from '../../program.ts';
import type { Exporter } from '../exporter/exporter.ts';
import type { ExporterFunction } from '../exporter/exporter-function.ts';
import { Naming } from '../naming.ts';

/** Saves the runbook's queries in CloudWatch Logs Insights, listed below a folder with the stack's name. */
export function addSavedQueries(scope: Construct, exporter: Exporter): void {
  const { startRun, exportCompany, publish, finishRun } = exporter;
  const functions: Record<HandlerName, ExporterFunction> = {
    'start-run': startRun,
    'export-company': exportCompany,
    publish,
    'finish-run': finishRun,
  };
  const queries = new Construct(scope, 'SavedQueries');
  for (const { name, handlers, lines } of SAVED_QUERIES) {
    new CfnQueryDefinition(queries, name.replaceAll(' ', '-'), {
      name: `${Naming.of(scope).unique}/${name}`,
      logGroupNames: handlers.map((handler) => functions[handler].lambda.logGroup.logGroupName),
      queryString: lines.join('\n| '),
    });
  }
}

/** A query to the logs of these functions: its lines, without the `|` between them. */
function query<const Name extends string>(
  name: Name,
  handlers: readonly HandlerName[],
  lines: readonly [string, ...string[]],
) {
  return { name, handlers, lines };
}

/** Messages and fields are those of functions/ and lib/lambda/telemetry.ts. */
export const SAVED_QUERIES = [
  query(
    'last runs',
    ['finish-run'],
    [
      "filter message = 'run counted'",
      'fields @timestamp, corrida, desde, hasta, unidades, filas, exportado, sin_cambios, vacio, fallido, faltantes',
      'sort @timestamp desc',
      'limit 50',
    ],
  ),
  query(
    'last success of each schedule',
    ['finish-run'],
    [
      "filter message = 'run counted' and fallido = 0 and faltantes = 0",
      'parse corrida /^\\d{14}-(?<schedule>nocturna-recibidos|nocturna-emitidos|semanal)$/',
      'filter ispresent(schedule)',
      'stats latest(@timestamp) as success, latest(hasta) as newest_day by schedule',
    ],
  ),
  query(
    'failed units',
    ['export-company'],
    [
      "filter message = 'unit failed' or message = 'details failed'",
      'fields @timestamp, message, corrida, rut, direccion, fecha, reason',
      'sort @timestamp desc',
      'limit 500',
    ],
  ),
  query(
    'failures by company',
    ['export-company'],
    [
      "filter message = 'part exported' and fallido > 0",
      'stats sum(fallido) as failures, latest(corrida) as last_run by rut',
      'sort failures desc',
    ],
  ),
  query(
    'vanished receipts',
    ['export-company'],
    [
      "filter message = 'receipts vanished' or message = 'unit unstable'",
      'fields @timestamp, message, corrida, rut, direccion, fecha, desaparecidas',
      'sort @timestamp desc',
      'limit 500',
    ],
  ),
  query(
    'details left out',
    ['export-company'],
    [
      "filter message = 'details left out'",
      'stats latest(reason) as last_reason, count(*) as times by rut, direccion, fecha',
      'sort fecha desc',
      'limit 500',
    ],
  ),
  query(
    'slowest workers',
    ['export-company'],
    [
      "filter message = 'part exported'",
      'fields @timestamp, timeUsedPercent, corrida, rut, parte, handedBack, filas, solicitudes, reintentos, detallesLeidos',
      'sort timeUsedPercent desc',
      'limit 50',
    ],
  ),
  query(
    'requests by company',
    ['export-company'],
    [
      "filter message = 'part exported'",
      'stats sum(solicitudes) as requests, sum(reintentos) as retries, sum(filas) as receipts by rut',
      'sort requests desc',
    ],
  ),
  query(
    'waits by run',
    ['export-company'],
    [
      "filter message = 'waits for its turn'",
      'stats count(*) as waits, sum(seconds) / 60 as minutes, latest(@timestamp) as last by corrida',
      'sort last desc',
    ],
  ),
  query(
    'tokens by expiry',
    ['export-company'],
    [
      'filter ispresent(tokenDaysLeft)',
      'stats latest(tokenDaysLeft) as days_left, latest(@timestamp) as seen by rut',
      'sort days_left asc',
    ],
  ),
  query(
    'tokens that end too early',
    ['start-run'],
    [
      "filter message = 'a token ends too early'",
      'stats latest(@timestamp) as seen by aviso',
      'sort seen desc',
    ],
  ),
  query(
    'companies left out',
    ['start-run'],
    [
      "filter message = 'a company can not be exported'",
      'stats latest(@timestamp) as seen by problema',
      'sort seen desc',
    ],
  ),
  query(
    'days not published',
    ['publish'],
    [
      "filter message = 'day not published' or message = 'unit not published' or message = 'day made anew'",
      'stats latest(reason) as last_reason, latest(@timestamp) as seen by tabla, fecha, rut',
      'sort seen desc',
      'limit 500',
    ],
  ),
  query(
    'errors',
    ['start-run', 'export-company', 'publish', 'finish-run'],
    [
      "filter level = 'ERROR' or @message like /Invoke Error|Task timed out|Runtime exited|errorType|coverage page not written/",
      'fields @timestamp, @log, corrida, rut, @message',
      'sort @timestamp desc',
      'limit 100',
    ],
  ),
] as const;

export type SavedQueryName = (typeof SAVED_QUERIES)[number]['name'];
