import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { HandlerName } from '../../system/program.ts';
import type { Exporter } from '../exporter/exporter.ts';
import type { ExporterFunction } from '../exporter/exporter-function.ts';
import { Naming } from '../naming.ts';

/** Saves the runbook's queries in CloudWatch Logs Insights, listed below a folder with the stack's name. */
export function addSavedQueries(scope: Construct, exporter: Exporter): void {
  const { startRun, exportCompany, publish, finishRun, renewTokens } = exporter;
  const functions: Record<HandlerName, ExporterFunction> = {
    'start-run': startRun,
    'export-company': exportCompany,
    publish,
    'finish-run': finishRun,
    'renew-tokens': renewTokens,
  };
  const queries = new Construct(scope, 'SavedQueries');
  for (const { name, handlers, text } of SAVED_QUERIES) {
    new CfnQueryDefinition(queries, name.replaceAll(' ', '-'), {
      name: `${Naming.of(scope).unique}/${name}`,
      logGroupNames: handlers.map((handler) => functions[handler].lambda.logGroup.logGroupName),
      queryString: text,
    });
  }
}

/** Messages and fields are those of functions/ and lib/lambda. */
export const SAVED_QUERIES = [
  {
    name: 'last runs',
    handlers: ['finish-run'],
    text: `filter message = 'run counted'
| fields @timestamp, corrida, desde, hasta, unidades, filas, exportado, sin_cambios, vacio, fallido, faltantes
| sort @timestamp desc
| limit 50`,
  },
  {
    name: 'last good nights',
    handlers: ['finish-run'],
    text: `filter message = 'run counted' and fallido = 0 and faltantes = 0 and corrida like /-nocturna/
| fields @timestamp, corrida, desde, hasta, unidades
| sort @timestamp desc
| limit 10`,
  },
  {
    name: 'nights not started',
    handlers: ['start-run'],
    text: `filter message = 'night not started'
| fields @timestamp, corrida, enCurso, seguidas
| sort @timestamp desc
| limit 50`,
  },
  {
    name: 'failed units',
    handlers: ['export-company'],
    text: `filter message = 'unit failed' or message = 'details failed'
| fields @timestamp, message, corrida, rut, direccion, fecha, reason
| sort @timestamp desc
| limit 500`,
  },
  {
    name: 'runs without a proof',
    handlers: ['start-run'],
    text: `filter message = 'the service could not be proved'
| fields @timestamp, direccion, reason
| sort @timestamp desc
| limit 50`,
  },
  {
    name: 'failures by company',
    handlers: ['export-company'],
    text: `filter message = 'part exported' and fallido > 0
| stats sum(fallido) as failures, latest(corrida) as last_run by rut
| sort failures desc`,
  },
  {
    name: 'vanished receipts',
    handlers: ['export-company'],
    text: `filter message = 'receipts vanished' or message = 'unit unstable'
| fields @timestamp, message, corrida, rut, direccion, fecha, desaparecidas
| sort @timestamp desc
| limit 500`,
  },
  {
    name: 'details left out',
    handlers: ['export-company'],
    text: `filter message = 'details left out'
| stats latest(reason) as last_reason, count(*) as times by rut, direccion, fecha
| sort fecha desc
| limit 500`,
  },
  {
    name: 'unknown fields',
    handlers: ['finish-run'],
    text: `filter message = 'unknown field'
| stats earliest(@timestamp) as first, latest(@timestamp) as last, latest(filas) as receipts by direccion, campo
| sort first desc`,
  },
  {
    name: 'slowest workers',
    handlers: ['export-company'],
    text: `filter message = 'part exported'
| fields @timestamp, timeUsedPercent, corrida, rut, parte, handedBack, filas, solicitudes, reintentos, detallesLeidos
| sort timeUsedPercent desc
| limit 50`,
  },
  {
    name: 'requests by company',
    handlers: ['export-company'],
    text: `filter message = 'part exported'
| stats sum(solicitudes) as requests, sum(reintentos) as retries, sum(filas) as receipts by rut
| sort requests desc`,
  },
  {
    name: 'tokens by expiry',
    handlers: ['export-company'],
    text: `filter ispresent(tokenDaysLeft)
| stats latest(tokenDaysLeft) as days_left, latest(@timestamp) as seen by rut
| sort days_left asc`,
  },
  {
    name: 'tokens that end too early',
    handlers: ['start-run'],
    text: `filter message = 'a token ends too early'
| stats latest(@timestamp) as seen by aviso
| sort seen desc`,
  },
  {
    name: 'failed logins',
    handlers: ['renew-tokens'],
    text: `filter message = 'login failed'
| fields @timestamp, reason
| sort @timestamp desc
| limit 50`,
  },
  {
    name: 'companies left out',
    handlers: ['start-run'],
    text: `filter message = 'a company cannot be exported'
| stats latest(@timestamp) as seen by problema
| sort seen desc`,
  },
  {
    name: 'days not published',
    handlers: ['publish'],
    text: `filter message = 'day not published' or message = 'audit not readable' or message = 'day rebuilt'
| stats latest(reason) as last_reason, latest(@timestamp) as seen by tabla, fecha, rut
| sort seen desc
| limit 500`,
  },
  {
    name: 'errors',
    handlers: ['start-run', 'export-company', 'publish', 'finish-run', 'renew-tokens'],
    text: `filter level = 'ERROR' or @message like /Invoke Error|Task timed out|Runtime exited|errorType|coverage page not written|run event not sent/
| fields @timestamp, @log, corrida, rut, @message
| sort @timestamp desc
| limit 100`,
  },
] as const satisfies readonly { name: string; handlers: readonly HandlerName[]; text: string }[];

export type SavedQueryName = (typeof SAVED_QUERIES)[number]['name'];
