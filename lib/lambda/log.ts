import type { UnitResult } from '../export/units.ts';
import type { Publication } from '../publish/publish-lagging.ts';
import type { ExportedPart } from '../run/export-part.ts';
import { logger } from './powertools.ts';

/** The most units logged for one invocation and kind. The audit has them all. */
const MAX_UNITS_LOGGED = 20;

export interface PartSurroundings {
  /** Share of the invocation's time that was used, 0 to 1. */
  usedShare: number;
  tokenDaysLeft: number | undefined;
}

/** Logs what one invocation of the worker did. Run, company and part are keys of the logger already. */
export function logPart(
  { answer, results, handedBack, details }: ExportedPart,
  { usedShare, tokenDaysLeft }: PartSurroundings,
): void {
  const warn = (message: string, units: readonly UnitResult[], more: (unit: UnitResult) => object) => {
    for (const unit of units.slice(0, MAX_UNITS_LOGGED)) {
      const { direccion, fecha } = unit;
      logger.warn(message, { direccion, fecha, ...more(unit) });
    }
  };
  const failed = results.filter(({ estado }) => estado === 'fallido');
  const vanished = results.filter(({ desaparecidas = 0 }) => desaparecidas > 0);
  const detailsFailed = results.filter(({ detalle }) => detalle === 'fallido');
  const leftOut = results.filter(({ detalle }) => detalle === 'omitido');
  const unstable = results.filter(({ estable }) => estable === false);
  warn('unit failed', failed, ({ error }) => ({ reason: error }));
  warn('receipts vanished', vanished, ({ desaparecidas }) => ({ desaparecidas }));
  warn('details failed', detailsFailed, ({ detalle_motivo: reason }) => ({ reason }));
  warn('details left out', leftOut, ({ detalle_motivo: reason }) => ({ reason }));
  warn('unit unstable', unstable, ({ filas }) => ({ filas }));

  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  logger.info('part exported', {
    ...answer.resumen,
    handedBack,
    filas: sum(results.map(({ filas = 0 }) => filas)),
    solicitudes: sum(results.map(({ solicitudes }) => solicitudes)),
    reintentos: sum(results.map(({ reintentos }) => reintentos)),
    ...(details !== undefined && { detallesLeidos: details.read, detallesSinLeer: details.notThere }),
    timeUsedPercent: Math.round(usedShare * 100),
    ...(tokenDaysLeft !== undefined && { tokenDaysLeft: Math.floor(tokenDaysLeft) }),
  });
}

/** Logs that a company waits for its turn. */
export function logWait(seconds: number): void {
  logger.info('waits for its turn', { seconds });
}

/** The most problems logged for one invocation. */
const MAX_PROBLEMS_LOGGED = 50;

/** Logs what one invocation of publish did. */
export function logPublication({ written, unchanged, failedDays, remaining, problems }: Publication): void {
  for (const { table, day, rut, isMadeAnew, reason } of problems.slice(0, MAX_PROBLEMS_LOGGED)) {
    const ofDay = isMadeAnew ? 'day made anew' : 'day not published';
    const message = rut === undefined ? ofDay : 'unit not published';
    logger.warn(message, { tabla: table.name, fecha: day, rut, reason });
  }
  logger.info('days published', { written, unchanged, failedDays, remaining, problems: problems.length });
}
