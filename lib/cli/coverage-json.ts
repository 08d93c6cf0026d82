import {
  type CompanyCoverage,
  countReceipts,
  countStates,
  type DayCoverage,
} from '../coverage/company-coverage.ts';
import type { AskedCoverage } from '../coverage/read-coverage.ts';
import { CHANGING_DAYS } from '../time/days.ts';

/** The start of the machine's form; the companies follow one by one, so that one is held at a time. */
export function jsonHead({ from, to, today }: AskedCoverage, lake: string): string {
  const head = JSON.stringify({ from, to, today, lake, changingDays: CHANGING_DAYS });
  return `${head.slice(0, -1)},"companies":[`;
}

export const JSON_TAIL = ']}';

/** `damaged` says of what of the audit nothing is known, of any company. */
export function companyJson({ rut, name, calendars }: CompanyCoverage, damaged: readonly string[]): string {
  const directions = calendars.map(({ direction, days }) => [
    direction,
    { receipts: countReceipts(days), states: countStates(days), days: days.map(dayJson) },
  ]);
  return JSON.stringify({ rut, name: name ?? null, ...Object.fromEntries(directions), damaged });
}

function dayJson({ day, state, receipts, readings }: DayCoverage): Record<string, unknown> {
  const readAt = readings?.lastGood?.inicio;
  return {
    fecha: day,
    state,
    receipts,
    readAt: typeof readAt === 'number' ? new Date(readAt * 1000).toISOString().slice(0, 19) : null,
    readings: readings?.count ?? 0,
    error: state === 'failed' ? (readings?.last.error ?? null) : null,
  };
}
