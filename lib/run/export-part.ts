import { type ApiSession, paced, type TokenSource } from '../api/access.ts';
import { Breaker } from '../api/breaker.ts';
import { companyClient } from '../api/client.ts';
import { newTally } from '../api/list/page-request.ts';
import { writeAudit } from '../audit/write.ts';
import { exportCompany } from '../export/company.ts';
import type { DetailOptions, ExportTools } from '../export/export-tools.ts';
import { factsFrom, factsMessage, newFacts } from '../export/reading/facts.ts';
import { type ProvedService, proveService } from '../export/reading/prove-service.ts';
import { Marks } from '../lake/marks.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { anySignal, Semaphore, withScopedSignal } from '../system/concurrency.ts';
import { watchDeadline } from '../time/clock.ts';
import { daysBetween } from '../time/days.ts';
import {
  isFailed,
  listUnits,
  planUnits,
  type Unit,
  type UnitResult,
  unitsOf,
  withCompanyName,
} from '../units/unit.ts';
import { type Leases, waitSeconds } from './leases.ts';
import { type CompanyAnswer, type CompanyEvent, countUnits, MOST_DEATHS, noUnits } from './messages.ts';

export interface ExportInTurnTools extends Omit<ExportPartTools, 'isAskedToPause'> {
  leases: Leases;
  /** How many requests the holder of one lease may send in a second; absent: any number. */
  maxRequestsPerSecond?: number;
}

/**
 * Exports units of one company while holding one of the leases that all runs share. If none is free, or a run of
 * higher rank waits for one, the answer says how many seconds to wait before the next invocation, and there is no part.
 * Nor is there one for a company whose workers died too often: all its units have failed. The answer is the worker's
 * next event.
 */
export async function exportInTurn(
  event: CompanyEvent,
  tools: ExportInTurnTools,
): Promise<{ answer: CompanyAnswer; part: ExportedPart | undefined }> {
  const { leases, maxRequestsPerSecond, ...exportTools } = tools;
  const owner = { runId: event.corrida, rut: event.rut };
  const deaths = event.muertes?.seguidas ?? 0;
  // A dead worker's place is its successor's, or that of a run that goes before.
  if (deaths > 0) await leases.endThoseOf(owner);
  if (deaths >= MOST_DEATHS) {
    return { answer: failedAnswer(event), part: undefined };
  }
  const lease = await leases.acquire(owner, tools.remainingMs());
  if (lease === undefined) {
    return { answer: waitingAnswer(event), part: undefined };
  }
  try {
    const session = { ...paced(tools.session, maxRequestsPerSecond), beforeRequest: () => lease.look() };
    const isAskedToPause = () => lease.isWanted();
    // What nobody waits for any more is not sent once the lease is another's.
    const part = await withScopedSignal((end) =>
      exportPart(event, { ...exportTools, session, isAskedToPause, stop: anySignal(lease.lost, end) }),
    );
    const givesWay = part.answer.pendientes !== null && (await lease.shouldGiveWay());
    const answer = givesWay ? { ...part.answer, espera_s: waitSeconds(event.corrida) } : part.answer;
    return { answer, part };
  } finally {
    await lease.release();
  }
}

/** What an invocation without a part answers: its own event. */
function sameAnswer(event: CompanyEvent): CompanyAnswer {
  const { detalles = null, pendientes = null, fallidas = null } = event;
  return { ...event, detalles, pendientes, fallidas, ...nextPart(event), resumen: noUnits() };
}

function waitingAnswer(event: CompanyEvent): CompanyAnswer {
  return { ...sameAnswer(event), espera_s: waitSeconds(event.corrida) };
}

function failedAnswer(event: CompanyEvent): CompanyAnswer {
  const { rut, fallidas = null } = event;
  const units = [...unitsToExport(event), ...(fallidas === null ? [] : unitsOf(rut, fallidas))];
  return { ...sameAnswer(event), pendientes: null, fallidas: listUnits(units) };
}

function unitsToExport({ rut, pendientes = null, direcciones, desde, hasta }: CompanyEvent): Unit[] {
  return pendientes === null
    ? planUnits(rut, direcciones, daysBetween(desde, hasta))
    : unitsOf(rut, pendientes);
}

/** Invocations that died are counted too: the history of an execution has an end. */
function nextPart({ parte, muertes }: CompanyEvent): Pick<CompanyAnswer, 'parte' | 'muertes'> {
  return { parte: parte + (muertes?.seguidas ?? 0) + 1, muertes: { seguidas: 0 } };
}

export interface ExportPartTools {
  session: ApiSession;
  store: LakeStore;
  writer: ParquetWriter;
  tokensOf(rut: string): TokenSource;
  /** From the stack's settings; an event may name other directions. */
  details: DetailOptions;
  /** Requests in flight of one company. */
  maxInFlight: number;
  remainingMs(): number;
  /** Whether to stop early, as if time ran out, because a run of higher rank waits. */
  isAskedToPause?(): boolean;
  /** Aborted when another worker has the company: all work stops at once. */
  stop?: AbortSignal;
}

export interface ExportedPart {
  /** The worker's answer, and its next event. */
  answer: CompanyAnswer;
  results: readonly UnitResult[];
  /** How many units there was no time for. */
  handedBack: number;
  /** Undefined if none were asked for. */
  details: DetailCounts | undefined;
}

/**
 * Exports the units that an event names, as far as time allows, and writes their audit. The answer names the units
 * that there was no time for, and those that failed.
 */
export async function exportPart(event: CompanyEvent, tools: ExportPartTools): Promise<ExportedPart> {
  const { fallidas = null, sin_unidad: before, ...asked } = event;
  const { rut, detalles = null } = asked;
  const { store, writer } = tools;
  // One for each invocation: by the next one, an API that was given up may have recovered.
  const session = { ...tools.session, breaker: new Breaker({ clock: tools.session.clock }) };
  const run = { id: asked.corrida, day: asked.dia };
  const units = unitsToExport(event);
  const failedBefore = fallidas === null ? [] : unitsOf(rut, fallidas);
  const tokens = tools.tokensOf(rut);
  const details = { ...tools.details, directions: detalles ?? tools.details.directions };
  let detailsRead = 0;
  const deadline = watchDeadline(tools.remainingMs);
  const signal = anySignal(deadline.signal, tools.stop) ?? deadline.signal;
  const isTimeUp = () => deadline.isTimeUp() || tools.isAskedToPause?.() === true;
  try {
    const { facts, tally } = await provedFacts(event, session, tools, { isTimeUp, signal });
    const exportTools = {
      client: companyClient(session, rut, tokens, tools.maxInFlight),
      facts,
      store,
      writer,
      run,
      marks: new Marks(store, run, session.clock),
      details,
      largeUnits: new Semaphore(1),
      companiesAtOnce: 1,
      clock: session.clock,
      signal,
      isTimeUp,
      onDetailRead: () => {
        detailsRead += 1;
      },
    };
    const { results, remaining, uncounted } = await exportCompany(units, exportTools, {
      uncounted: {
        requests: tally.requests + (before?.solicitudes ?? 0),
        retries: tally.retries + (before?.reintentos ?? 0),
        pages: tally.pages + (before?.paginas ?? 0),
      },
    });
    await writeAudit({ store, writer }, run, withCompanyName(results, tokens.companyName));
    const { requests: solicitudes, retries: reintentos, pages: paginas } = uncounted;
    const answer = {
      ...asked,
      detalles,
      // With what its lists have disproved: the next invocation must not believe it again.
      servicio: asked.servicio && factsMessage(facts, asked.servicio.desde_ms),
      ...nextPart(event),
      pendientes: listUnits(remaining),
      fallidas: listUnits([...failedBefore, ...results.filter(isFailed)]),
      sin_unidad: solicitudes === 0 ? undefined : { solicitudes, reintentos, paginas },
      resumen: countUnits(results),
    };
    return { answer, results, handedBack: remaining.length, details: countDetails(results, detailsRead) };
  } finally {
    deadline.close();
  }
}

/** What start-run has proved about the service; without that, or if it is too old, what a witness of the own company shows. */
async function provedFacts(
  { rut, servicio, direcciones, desde, hasta }: CompanyEvent,
  session: ApiSession,
  { store, tokensOf, maxInFlight }: ExportPartTools,
  { isTimeUp, signal }: Pick<ExportTools, 'isTimeUp' | 'signal'>,
): Promise<Pick<ProvedService, 'facts' | 'tally'>> {
  const { clock } = session;
  const known = servicio ? factsFrom(servicio, clock.now()) : undefined;
  if (known !== undefined || isTimeUp()) return { facts: known ?? newFacts(), tally: newTally() };
  return await proveService({
    store,
    ruts: [rut],
    daysOf: Object.fromEntries(direcciones.map((direction) => [direction, { from: desde, to: hasta }])),
    clientOf: () => companyClient(session, rut, tokensOf(rut), maxInFlight),
    clock,
    signal,
    isReadFirst: true,
  });
}

export interface DetailCounts {
  /** Read from the API, also for units that were handed back. */
  read: number;
  /** Receipts without a detail in the API, in units whose details did not fail. Their rows come from the list. */
  notThere: number;
  /** Units whose details failed, or were left out because the day is too large. */
  unitsWithout: number;
}

/** Undefined if no details were asked for. */
export function countDetails(results: readonly UnitResult[], read: number): DetailCounts | undefined {
  const asked = results.filter(({ detailState }) => detailState !== undefined);
  if (asked.length === 0 && read === 0) return undefined;
  const complete = asked.filter(({ detailState }) => detailState === 'completo');
  return {
    read,
    notThere: complete.reduce((sum, { detailsUnread: lacking = 0 }) => sum + lacking, 0),
    unitsWithout: asked.length - complete.length,
  };
}
