import { type ApiSession, paced, type TokenSource } from '../api/access.ts';
import { Breaker } from '../api/breaker.ts';
import { type ApiClient, addCounts, companyClient } from '../api/client.ts';
import { writeAudit } from '../audit/write.ts';
import { exportCompany } from '../export/company.ts';
import { HeldDetails } from '../export/details/held-details.ts';
import type { DetailOptions, ExportTools } from '../export/export-tools.ts';
import { proveService } from '../export/reading/prove-service.ts';
import { type FactsByDirection, factsFrom, newFacts } from '../export/reading/service-facts.ts';
import { Marks } from '../lake/marks.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { anySignal, Mutex, Semaphore, withScopedSignal } from '../system/concurrency.ts';
import { watchDeadline } from '../time/clock.ts';
import { isFailed, listUnits, planUnits, type UnitResult, unitsOf, withCompanyName } from '../units/unit.ts';
import { type CompanyAnswer, type CompanyEvent, countUnits, daysOfRun, widestRange } from './messages.ts';
import { requestsPerSecondOf, type Shares } from './shares.ts';

export interface ExportPartTools {
  session: ApiSession;
  store: LakeStore;
  writer: ParquetWriter;
  tokensOf(rut: string): TokenSource;
  /** What the stack's settings say of details; an event may name other directions. */
  details: DetailOptions;
  /** Requests in flight of one company. */
  maxInFlight: number;
  shares: Shares;
  remainingMs(): number;
}

export interface ExportedPart {
  /** The worker's answer, and its next event. */
  answer: CompanyAnswer;
  results: readonly UnitResult[];
  /** How many units there was no time for. */
  handedBack: number;
  /** The details that were read, if any were asked for. */
  details: DetailCounts | undefined;
}

/** Exports an event's units, as far as time allows, and writes their audit. Names those that had no time, or failed. */
export async function exportPart(event: CompanyEvent, tools: ExportPartTools): Promise<ExportedPart> {
  // What nobody waits for any more must not be sent beside the next invocation of this process.
  return await withScopedSignal((end) => exportUnits(event, tools, end));
}

async function exportUnits(
  event: CompanyEvent,
  tools: ExportPartTools,
  end: AbortSignal,
): Promise<ExportedPart> {
  const { failed = null, uncounted: before, isCut: isBeforeCut = false, ...asked } = event;
  const { rut, pending = null, directions, details: detailDirections = null } = asked;
  const { store, writer } = tools;
  const session = {
    ...paced(tools.session, requestsPerSecondOf(tools.shares, event)),
    // One for each invocation: by the next one, an API that was given up may have recovered.
    breaker: new Breaker({ clock: tools.session.clock }),
  };
  const run = { id: asked.runId, day: asked.runDay };
  const units = pending === null ? planUnits(rut, directions, daysOfRun(event)) : unitsOf(rut, pending);
  const failedBefore = failed === null ? [] : unitsOf(rut, failed);
  const tokens = tools.tokensOf(rut);
  const details = { ...tools.details, directions: detailDirections ?? tools.details.directions };
  let detailsRead = 0;
  const deadline = watchDeadline(tools.remainingMs);
  const { isTimeUp } = deadline;
  const signal = anySignal(deadline.signal, end) ?? end;
  try {
    const client = companyClient(session, rut, tokens, tools.maxInFlight);
    const facts = await provedFacts(event, client, tools, { isTimeUp, signal });
    if (before !== undefined) addCounts(client.counts, before);
    const exportTools = {
      client,
      facts,
      store,
      writer,
      run,
      marks: new Marks(store, run, session.clock),
      details,
      detailMutex: new Mutex(),
      largeUnits: new Semaphore(1),
      heldDetails: new HeldDetails(),
      clock: session.clock,
      signal,
      isTimeUp,
      // Less is lost when time is up again, and one day fits where several did not.
      readsDaysAlone: isBeforeCut,
      onDetailRead: () => {
        detailsRead += 1;
      },
    };
    const isCut = () => deadline.isTimeUp() && detailsRead === 0;
    const { results, remaining, cut, uncounted } = await exportCompany(units, exportTools, {
      areCutUnitsFailed: () => isBeforeCut && isCut(),
    });
    await writeAudit({ store, writer }, run, withCompanyName(results, tokens.companyName));
    const answer = {
      ...asked,
      details: detailDirections,
      part: asked.part + 1,
      pending: listUnits(remaining),
      isCut: (cut.length > 0 && results.length === 0 && isCut()) || undefined,
      failed: listUnits([...failedBefore, ...results.filter(isFailed)]),
      uncounted: uncounted.requests === 0 ? undefined : uncounted,
      states: countUnits(results),
    };
    return { answer, results, handedBack: remaining.length, details: countDetails(results, detailsRead) };
  } finally {
    deadline.close();
  }
}

/** What start-run has proved about the service; without that, or if it is too old, what a witness of the own company shows. */
async function provedFacts(
  event: CompanyEvent,
  client: ApiClient,
  { store, session: { clock } }: ExportPartTools,
  { isTimeUp, signal }: Pick<ExportTools, 'isTimeUp' | 'signal'>,
): Promise<FactsByDirection> {
  const { rut, service, directions } = event;
  const known = service ? factsFrom(service, clock.now()) : undefined;
  if (known !== undefined || isTimeUp()) return known ?? newFacts();
  const { facts, counts } = await proveService({
    store,
    ruts: [rut],
    daysOf: Object.fromEntries(directions.map((direction) => [direction, widestRange(event)])),
    clientOf: () => client,
    clock,
    signal,
  });
  addCounts(client.counts, counts);
  return facts;
}

export interface DetailCounts {
  /** Details that the API gave, also of units that were handed back. */
  read: number;
  /** Receipts without a detail in the API, in units whose details did not fail. Their rows come from the list. */
  notThere: number;
  /** Units whose details failed, or were left out because the day is too large. */
  unitsWithout: number;
}

/** Counts details, if any were asked for. */
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
