import type { TokenSource } from '../api/access.ts';
import type { ListTally } from '../api/list/page-request.ts';
import type { ApiSession } from '../api/session.ts';
import { writeAudit } from '../audit/write.ts';
import { CompanyExporter } from '../export/company-exporter.ts';
import type { DetailOptions } from '../export/export-tools.ts';
import { ServiceHabits } from '../export/service-habits.ts';
import { isFailed, planUnits, type Unit, type UnitResult, withCompanyName } from '../export/units.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { daysBetween } from '../time/days.ts';
import { watchDeadline } from './deadline.ts';
import { countDetails, type DetailCounts } from './detail-counts.ts';
import { isFirstPassOver } from './first-pass.ts';
import { type CompanyAnswer, type CompanyEvent, countUnits } from './messages.ts';
import { listUnits, unitsOf } from './unit-list.ts';

export interface ExportPartTools {
  session: ApiSession;
  store: LakeStore;
  writer: ParquetWriter;
  tokensOf(rut: string): TokenSource;
  /** Of the stack's settings; an event may name other directions. */
  details: DetailOptions;
  /** Requests in flight of one company. */
  maxInFlight: number;
  /** How long the invocation may still take. */
  remainingMs(): number;
  /** Whether to stop early, as when time runs out: another run goes before. */
  isAskedToPause?(): boolean;
}

export interface ExportedPart {
  /** The worker's answer, and its next event. */
  answer: CompanyAnswer;
  results: readonly UnitResult[];
  /** Units that there was no time for. */
  handedBack: number;
  /** Undefined where none were asked for. */
  details: DetailCounts | undefined;
}

/**
 * Exports the units that an event names, as far as time allows, and writes the audit of them. The answer names the
 * units that there was no time for, and those that failed.
 */
export async function exportPart(event: CompanyEvent, tools: ExportPartTools): Promise<ExportedPart> {
  const {
    corrida,
    dia,
    desde,
    hasta,
    direcciones,
    detalles = null,
    rut,
    parte,
    pendientes,
    empresas,
  } = event;
  const { session, store, writer } = tools;
  const run = { id: corrida, day: dia };
  const isLaterPart = pendientes !== null && pendientes !== undefined;
  const units = isLaterPart
    ? unitsOf(rut, pendientes)
    : planUnits(rut, direcciones, daysBetween(desde, hasta));
  const tokens = tools.tokensOf(rut);
  const details = { ...tools.details, directions: detalles ?? tools.details.directions };
  const service = new ServiceHabits(store, session.habits, dia);
  await service.learn();
  let detailsRead = 0;
  const deadline = watchDeadline(tools.remainingMs);
  const isTimeUp = () => deadline.isTimeUp() || tools.isAskedToPause?.() === true;
  try {
    const exporter = new CompanyExporter({
      session,
      store,
      writer,
      run,
      days: daysBetween(desde, hasta),
      details,
      maxInFlight: tools.maxInFlight,
      companiesAtOnce: 1,
      signal: deadline.signal,
      invocation: {
        isTimeUp,
        learnHabits: () => service.learn(),
        mayHaveStaged: isLaterPart,
        onDetailRead: () => {
          detailsRead += 1;
        },
      },
    });
    // Until the next invocation another company may have shown that lists as wide as an empty one are answered.
    const { results, remaining, leftover } = await exporter.export({ rut, tokens }, units, {
      areEmptyListsLeft: !isLaterPart,
      leftover: leftoverBefore(event),
    });
    await writeAudit({ store, writer }, run, withCompanyName(results, tokens.companyName));
    await service.keep();
    const isLast = empresas !== undefined && (await isFirstPassOver(store, run, empresas));
    const answer = {
      corrida,
      dia,
      desde,
      hasta,
      direcciones,
      detalles,
      rut,
      parte: parte + 1,
      pendientes: listUnits(remaining),
      fallidas: listUnits([...failedBefore(event), ...results.filter(isFailed)]),
      sin_unidad: leftover.requests === 0 ? undefined : withoutUnit(leftover),
      resumen: countUnits(results),
      ...(isLast && { publicacion: true as const }),
    };
    return { answer, results, handedBack: remaining.length, details: countDetails(results, detailsRead) };
  } finally {
    deadline.close();
  }
}

function failedBefore({ rut, fallidas }: CompanyEvent): Unit[] {
  return fallidas === null || fallidas === undefined ? [] : unitsOf(rut, fallidas);
}

function leftoverBefore({ sin_unidad: left }: CompanyEvent): ListTally | undefined {
  return left && { requests: left.solicitudes, retries: left.reintentos, pages: left.paginas };
}

function withoutUnit({ requests, retries, pages }: ListTally): CompanyEvent['sin_unidad'] {
  return { solicitudes: requests, reintentos: retries, paginas: pages };
}
