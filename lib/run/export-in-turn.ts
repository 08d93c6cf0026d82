import { type ExportedPart, type ExportPartTools, exportPart } from './export-part.ts';
import { type Leases, waitSeconds } from './leases.ts';
import { type CompanyAnswer, type CompanyEvent, noUnits } from './messages.ts';

export interface ExportInTurnTools extends Omit<ExportPartTools, 'isAskedToPause'> {
  leases: Leases;
}

export interface Turn {
  /** The worker's answer, and its next event. */
  answer: CompanyAnswer;
  /** Undefined when the company has to wait for its turn: nothing was done. */
  part: ExportedPart | undefined;
}

/**
 * Exports units of one company while it holds one of the leases that all runs share. Without one, and when a run that
 * goes before waits for one, the answer says how long to wait before it is the next event.
 */
export async function exportInTurn(event: CompanyEvent, tools: ExportInTurnTools): Promise<Turn> {
  const { leases, ...exportTools } = tools;
  const lease = await leases.acquire(event.corrida, tools.remainingMs());
  if (lease === undefined) return { answer: waitingAnswer(event), part: undefined };
  try {
    const part = await exportPart(event, { ...exportTools, isAskedToPause: () => lease.isWanted() });
    const givesWay = part.answer.pendientes !== null && (await lease.shouldGiveWay());
    const answer = givesWay ? { ...part.answer, espera_s: waitSeconds(event.corrida) } : part.answer;
    return { answer, part };
  } finally {
    await lease.release();
  }
}

/** All is still to be done. */
function waitingAnswer(event: CompanyEvent): CompanyAnswer {
  const { detalles = null, pendientes = null, fallidas = null, parte } = event;
  return {
    ...event,
    detalles,
    pendientes,
    fallidas,
    parte: parte + 1,
    resumen: noUnits(),
    espera_s: waitSeconds(event.corrida),
  };
}
