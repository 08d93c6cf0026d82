import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { ExportedPart } from '../run/export-part.ts';
import { metrics } from './powertools.ts';

/**
 * Every metric of the exporter. Their one dimension is the service, which is the function's name: a dimension for each
 * company would make (and charge for) a metric each; which company it was stands in the log and in the audit.
 */
export const METRIC_NAMES = [
  'RunsStarted',
  'CompanyProblems',
  'UnitsExported',
  'UnitsUnchanged',
  'UnitsEmpty',
  'UnitsFailed',
  'UnitsHandedBack',
  'UnitsMissing',
  'ReceiptsRead',
  'ApiRequests',
  'ApiRetries',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

export function count(name: MetricName, value: number): void {
  metrics.addMetric(name, MetricUnit.Count, value);
}

/** What one invocation of the worker did. */
export function countPart({ answer, results, handedBack }: ExportedPart): void {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  count('UnitsExported', answer.resumen.exportado);
  count('UnitsUnchanged', answer.resumen.sin_cambios);
  count('UnitsEmpty', answer.resumen.vacio);
  count('UnitsFailed', answer.resumen.fallido);
  count('UnitsHandedBack', handedBack);
  count('ReceiptsRead', sum(results.map(({ filas = 0 }) => filas)));
  count('ApiRequests', sum(results.map(({ solicitudes }) => solicitudes)));
  count('ApiRetries', sum(results.map(({ reintentos }) => reintentos)));
}
