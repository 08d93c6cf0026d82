import * as v from 'valibot';
import { DIRECTIONS } from '../../api/directions.ts';
import type { CheckedRun } from '../../run/check-run.ts';
import { NIGHT_HOURS } from '../../run/schedule-names.ts';
import { HOUR_MS, uruguayDateTime } from '../../time/days.ts';
import { type CheckLine, failure, ok, warning } from './check-line.ts';

export const CheckedRunSchema: v.GenericSchema<unknown, CheckedRun> = v.object({
  empresas: v.number(),
  problemas: v.array(v.string()),
  vencimientos: v.array(v.object({ rut: v.string(), vence: v.string() })),
  sin_vencimiento: v.number(),
  lectura: v.object({
    rut: v.string(),
    fecha: v.string(),
    recibidos: v.optional(v.number()),
    emitidos: v.optional(v.number()),
    incompleta: v.boolean(),
    error: v.optional(v.string()),
  }),
});

/** What start-run found: companies, their problems, their tokens, and one company's receipts of yesterday. */
export function linesOfRun(found: CheckedRun, nowMs: number, nextNightsMs: readonly number[]): CheckLine[] {
  const { empresas, problemas } = found;
  const companies = empresas === 1 ? '1 company' : `${empresas.toLocaleString('en')} companies`;
  return [
    ok('secret', `${companies} with a usable entry`),
    ...problemas.map((problem) =>
      failure(
        'secret',
        problem,
        'Mend the entry; its company is in no run. See the runbook, "A company is left out".',
      ),
    ),
    tokenLine(found, nowMs, Math.max(nowMs, ...nextNightsMs) + NIGHT_HOURS * HOUR_MS),
    apiLine(found.lectura),
  ];
}

function tokenLine({ vencimientos, sin_vencimiento }: CheckedRun, nowMs: number, untilMs: number): CheckLine {
  const ending = vencimientos.filter(({ vence }) => Date.parse(vence) <= untilMs);
  const describe = ({ rut, vence }: CheckedRun['vencimientos'][number]) =>
    `RUT ${rut} ${Date.parse(vence) <= nowMs ? 'expired' : 'expires'} ${uruguayDateTime(Date.parse(vence))}`;
  const named = ending.slice(0, 5).map(describe).join(', ');
  const all = ending.length > 5 ? `${named} and ${ending.length - 5} more` : named;
  if (ending.some(({ vence }) => Date.parse(vence) <= nowMs))
    return failure('tokens', all, 'Put new tokens into the secret; see docs/tokens.md.');
  if (ending.length > 0)
    return warning(
      'tokens',
      `${all}: not after the next night`,
      'Have something renew them, or put new ones: docs/tokens.md.',
    );
  const [first] = vencimientos;
  const silent =
    sin_vencimiento === 0 ? '' : `${sin_vencimiento.toLocaleString('en')} don't say when they expire`;
  const soonest = first === undefined ? '' : `the first: ${describe(first)} (Uruguay)`;
  return ok('tokens', [soonest, silent].filter((part) => part !== '').join('; '));
}

function apiLine({ rut, fecha, incompleta, error, ...counts }: CheckedRun['lectura']): CheckLine {
  if (error !== undefined) return failure('api', error, 'Mend that first: every unit would fail so.');
  const atLeast = incompleta ? 'at least ' : '';
  const read = DIRECTIONS.map(
    (direction) => `${(counts[direction] ?? 0).toLocaleString('en')} ${direction}`,
  ).join(', ');
  const found = `reached from AWS; RUT ${rut} has ${atLeast}${read} of ${fecha}`;
  const isEmpty = DIRECTIONS.every((direction) => (counts[direction] ?? 0) === 0);
  if (!isEmpty) return ok('api', found);
  return warning('api', found, 'Is that so? Name a company that had receipts yesterday: --rut.');
}
