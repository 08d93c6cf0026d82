import { closeRuns } from '../audit/close.ts';
import type { AuditTools } from '../audit/write.ts';
import { CfeLakeError } from '../errors.ts';
import { assertCurrentLayout } from '../lake/layout.ts';
import { countRun, type RunCount } from './count-run.ts';
import type { RunInput, StateCounts } from './messages.ts';

/** The answer of finish-run. */
export interface FinishedRun {
  corrida: string;
  empresas: number;
  unidades: number;
  filas: number;
  resumen: StateCounts;
}

const FAILURES_NAMED = 3;

/**
 * Some units, or their details, are not exported. Says how many, names the first ones, and tells how to list them
 * all.
 */
export class RunFailedError extends CfeLakeError {
  override name = 'RunFailedError';
  readonly count: RunCount;
  constructor({ corrida, dia }: Pick<RunInput, 'corrida' | 'dia'>, count: RunCount) {
    const { unidades, resumen, soloDetalles, faltantes, failures, damaged } = count;
    const parts = [
      resumen.fallido > 0 ? `${resumen.fallido} failed${inDetailsOnly(soloDetalles)}` : '',
      faltantes > 0 ? `${faltantes} are missing (their worker did not finish)` : '',
      damaged.length > 0 ? 'what became of some is not known (their audit is damaged)' : '',
    ].filter((part) => part !== '');
    const damage = damaged.filter((reason) => !failures.some(({ error }) => error === reason));
    const named = failures
      .slice(0, FAILURES_NAMED)
      .map(
        ({ rut, direccion, fecha, error }) =>
          error ?? `${direccion} of ${rut}, day ${fecha}: not in the audit`,
      );
    super(
      `Of ${unidades} units of run ${corrida}, ${parts.join(' and ')}. ${[...new Set(named), ...damage].join(' ')}`,
      {
        // A unit that was tried again has a row for each attempt; the last one counts.
        advice:
          'List the failed ones: SELECT rut, direccion, fecha, max_by(coalesce(error, detalle_motivo), inicio) FROM ' +
          `exportaciones WHERE fecha_corrida = DATE '${dia}' AND corrida = '${corrida}' GROUP BY 1, 2, 3 HAVING ` +
          "'fallido' IN (max_by(estado, inicio), max_by(detalle, inicio)). All other units are exported.",
      },
    );
    this.count = count;
  }
}

function inDetailsOnly(units: number): string {
  return units === 0 ? '' : ` (${units} of them only in their details; their lists are stored)`;
}

/**
 * Closes the run, and earlier ones that died before they were closed, and counts its units. `onCount` is called
 * before the verdict. Throws RunFailedError if any unit failed or is missing or the audit is damaged, and
 * OutdatedLakeError.
 */
export async function finishRun(
  run: RunInput,
  tools: AuditTools,
  onCount?: (count: RunCount) => void | Promise<void>,
): Promise<FinishedRun> {
  // In the old layout no unit would be found, and changes that did happen would be dropped.
  await assertCurrentLayout(tools.store);
  await closeRuns(tools);
  const count = await countRun(tools.store, run, FAILURES_NAMED);
  await onCount?.(count);
  if (count.resumen.fallido > 0 || count.faltantes > 0 || count.damaged.length > 0)
    throw new RunFailedError(run, count);
  const { empresas, unidades, filas, resumen } = count;
  return { corrida: run.corrida, empresas, unidades, filas, resumen };
}
