import * as v from 'valibot';
import { DIRECTIONS } from '../api/directions.ts';
import { newTally } from '../api/list/page-request.ts';
import { describeProblem } from '../companies/company.ts';
import type { CompanyList } from '../companies/secrets-manager.ts';
import type { ReadingTools } from '../export/export-tools.ts';
import { alone } from '../export/range-plan.ts';
import { readDays, unitOf } from '../export/read-days.ts';
import { addDays, uruguayDay } from '../time/days.ts';
import { MessageError, parseMessage, RutSchema } from './messages.ts';

/**
 * start-run's answer to whether a run would succeed: the companies in the secrets, when their tokens expire, and how
 * many receipts one of them had yesterday. Nothing is started, marked or written.
 */
export interface CheckedRun {
  empresas: number;
  /** What a person has to fix in the secrets; those companies are in no run. */
  problemas: string[];
  /** Tokens that give an expiry, earliest first, up to a limit. */
  vencimientos: { rut: string; vence: string }[];
  /** How many tokens give no expiry. */
  sin_vencimiento: number;
  lectura: DayReading;
}

export interface DayReading {
  rut: string;
  /** Yesterday in Uruguay. */
  fecha: string;
  /** Receipts in that day's lists; at least so many if time was up before a list ended. */
  recibidos?: number;
  emitidos?: number;
  /** Whether time was up before the lists ended. */
  incompleta: boolean;
  /** Why the day could not be read. */
  error?: string;
}

export interface CheckRunTools {
  listCompanies(): Promise<CompanyList>;
  /** A reader for a company's lists that knows nothing of the API yet. */
  readerOf(rut: string): Pick<ReadingTools, 'client' | 'habits' | 'clock'>;
  nowMs: number;
  remainingMs(): number;
  /** Aborts an API that does not answer. */
  signal: AbortSignal;
}

const MAX_EXPIRIES = 20;
/** The whole check should take no longer than a minute. */
const READING_MS = 30_000;
const CheckSchema = v.strictObject({ comprobar: v.strictObject({ rut: v.optional(RutSchema) }) });

export function isCheck(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'comprobar' in event;
}

/** Throws MessageError and what listCompanies throws. Faults of the API are part of the answer. */
export async function checkRun(event: unknown, tools: CheckRunTools): Promise<CheckedRun> {
  const { comprobar } = parseMessage(CheckSchema, event, 'start-run was given a wrong check');
  const { ruts, problems, expiries } = await tools.listCompanies();
  const rut = comprobar.rut ?? ruts[0];
  if (rut === undefined || !ruts.includes(rut)) {
    const whom = rut === undefined ? 'no company' : `no company with RUT ${rut}`;
    throw new MessageError('Nothing was read', [
      `${whom} has a usable entry in the secrets`,
      ...problems.map(describeProblem),
    ]);
  }
  const soonest = [...expiries].sort(([, a], [, b]) => a.getTime() - b.getTime());
  return {
    empresas: ruts.length,
    problemas: problems.map(describeProblem),
    vencimientos: soonest
      .slice(0, MAX_EXPIRIES)
      .map(([of, expiry]) => ({ rut: of, vence: expiry.toISOString() })),
    sin_vencimiento: ruts.filter((known) => !expiries.has(known)).length,
    lectura: await readYesterday(rut, tools),
  };
}

async function readYesterday(
  rut: string,
  { readerOf, nowMs, remainingMs, signal }: CheckRunTools,
): Promise<DayReading> {
  const fecha = addDays(uruguayDay(nowMs), -1);
  const reading: DayReading = { rut, fecha, incompleta: false };
  const untilMs = remainingMs() - READING_MS;
  try {
    const tools = { ...readerOf(rut), signal, isTimeUp: () => remainingMs() < untilMs };
    for (const direction of DIRECTIONS) {
      const range = { rut, direction, ...alone({ from: fecha, to: fecha }, [fecha]) };
      // As a nightly run reads it: to its proved end, with the day after if a bound may be exclusive.
      const [result] = await readDays(range, tools, newTally());
      if (result?.kind === 'failed') throw result.error;
      if (result?.kind === 'read') reading[direction] = unitOf(result, fecha).rows.rowCount;
      else {
        reading.incompleta = true;
        if (result?.kind === 'paused') reading[direction] = result.sink.rowsOf(fecha).rowCount;
      }
    }
  } catch (error) {
    // Errors of the API and of the secrets say what to do, and hold no token.
    const reason = error instanceof Error ? error.message : String(error);
    reading.error = signal.aborted
      ? 'The API did not answer in time. Is its address right, and is it up?'
      : reason;
  }
  return reading;
}
