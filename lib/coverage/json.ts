import { type CompanyCoverage, countReceipts, countStates, type DayCoverage } from './company-coverage.ts';

/** A company's days, for programs. `damaged`: why objects of the audit could not be read, of any company. */
export function companyJson({ rut, name, calendars }: CompanyCoverage, damaged: readonly string[]): string {
  const directions = calendars.map(({ direction, days }) => [
    direction,
    { receipts: countReceipts(days), states: countStates(days), days: days.map(dayJson) },
  ]);
  return JSON.stringify({ rut, name: name ?? null, ...Object.fromEntries(directions), damaged });
}

function dayJson({ day, state, receipts, readings }: DayCoverage): Record<string, unknown> {
  const readAt = readings?.lastGood?.startedAtSeconds;
  return {
    fecha: day,
    state,
    receipts,
    readAt: typeof readAt === 'number' ? new Date(readAt * 1000).toISOString().slice(0, 19) : null,
    readings: readings?.count ?? 0,
    error: state === 'failed' ? (readings?.last.error ?? null) : null,
  };
}
