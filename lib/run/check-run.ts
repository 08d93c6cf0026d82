import * as v from 'valibot';
import type { ApiClient } from '../api/client.ts';
import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { ListHabits } from '../api/list/habits.ts';
import type { ListPage, RowSink } from '../api/list/page.ts';
import { ApiPageSource } from '../api/list/page-request.ts';
import { readList } from '../api/list/read-list.ts';
import { describeProblem } from '../companies/problem.ts';
import type { CompanyList } from '../companies/secrets-manager.ts';
import { addDays, uruguayDay } from '../time/days.ts';
import { RutSchema } from './messages.ts';
import { MessageError, parseMessage } from './parse-message.ts';

/**
 * What start-run says when it is asked whether a run would succeed: the companies of the secrets, when their tokens
 * expire, and yesterday's receipts of one of them, read and counted. Nothing is started, marked or written.
 */
export interface CheckedRun {
  empresas: number;
  /** What a person has to mend in the secrets; those companies are in no run. */
  problemas: string[];
  /** The tokens that say when they expire, the first to expire first, as many as are of use. */
  vencimientos: { rut: string; vence: string }[];
  /** How many tokens don't say it. */
  sin_vencimiento: number;
  lectura: DayReading;
}

export interface DayReading {
  rut: string;
  /** Yesterday in Uruguay. */
  fecha: string;
  /** Receipts that the lists of that day name; of a list that is longer than there was time for, so many at least. */
  recibidos?: number;
  emitidos?: number;
  /** Whether time was up before the lists ended. */
  incompleta: boolean;
  /** Why the day could not be read. */
  error?: string;
}

export interface CheckRunTools {
  listCompanies(): Promise<CompanyList>;
  /** A client for a company; throws what its token source does at the first request. */
  clientOf(rut: string): ApiClient;
  nowMs: number;
  remainingMs(): number;
}

const MAX_EXPIRIES = 20;
/** The whole check should take a minute. */
const READING_MS = 30_000;
const CheckSchema = v.strictObject({ comprobar: v.strictObject({ rut: v.optional(RutSchema) }) });

export function isCheck(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'comprobar' in event;
}

/** Throws MessageError, and what listCompanies does. What is wrong with the API is part of the answer. */
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
  { clientOf, nowMs, remainingMs }: CheckRunTools,
): Promise<DayReading> {
  const reading: DayReading = { rut, fecha: addDays(uruguayDay(nowMs), -1), incompleta: false };
  const untilMs = remainingMs() - READING_MS;
  try {
    const client = clientOf(rut);
    for (const direction of DIRECTIONS) {
      const { count, isWhole } = await countDay(
        client,
        direction,
        reading.fecha,
        () => remainingMs() < untilMs,
      );
      reading[direction] = count;
      if (!isWhole) reading.incompleta = true;
    }
  } catch (error) {
    // Errors of the API and of the secrets say what to do, and hold no token.
    reading.error = error instanceof Error ? error.message : String(error);
  }
  return reading;
}

async function countDay(
  client: ApiClient,
  direction: Direction,
  day: string,
  isTimeUp: () => boolean,
): Promise<{ count: number; isWhole: boolean }> {
  const habits: ListHabits = {};
  const tally = { requests: 0, retries: 0, pages: 0 };
  const source = new ApiPageSource(client, direction, { FechaDesde: day, FechaHasta: day }, tally);
  const reading = await readList(source, habits, () => new Ids(), { isTimeUp });
  const sinks = reading.kind === 'read' ? reading.sinks : [reading.sink];
  return { count: new Set(sinks.flatMap(({ ids }) => [...ids])).size, isWhole: reading.kind === 'read' };
}

class Ids implements RowSink {
  readonly ids = new Set<ListPage['ids'][number]>();

  add({ ids }: ListPage, from: number): void {
    for (const id of ids.slice(from)) this.ids.add(id);
  }
}
