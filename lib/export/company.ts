import type { Direction } from '../api/directions.ts';
import type { ListTally } from '../api/list/page-request.ts';
import { Turn } from '../concurrency/turn.ts';
import { ExportHistory } from './history.ts';
import { findIdleList, type IdleList } from './idle-list.ts';
import { LargeUnits } from './large-units.ts';
import { exportUnit } from './unit.ts';
import type { Unit } from './unit-plan.ts';
import type { UnitResult } from './unit-result.ts';
import type { UnitTools } from './unit-tools.ts';

export interface CompanyProgress {
  onUnitEnd?: (result: UnitResult) => void;
}

export interface CompanyExport {
  results: UnitResult[];
  /** Units that were not finished, the ones that were begun first: time was up, or the signal came. */
  remaining: Unit[];
}

/** Units under way for every request that may be in flight: while some are stored, the others keep it busy. */
const UNITS_PER_PLACE = 1.25;

/**
 * Exports the units of one company, somewhat more at a time than requests may be in flight, so that the governor
 * always has one to send. A unit that fails does not touch the others.
 */
export async function exportCompany(
  units: readonly Unit[],
  tools: UnitTools,
  { onUnitEnd }: CompanyProgress = {},
): Promise<CompanyExport> {
  const remaining = [...units];
  const unfinished: Unit[] = [];
  const results: UnitResult[] = [];
  const idleLists = new Map<Direction, Promise<IdleList>>();
  const idleList = (direction: Direction): Promise<IdleList> => {
    const known = idleLists.get(direction);
    if (known !== undefined) return known;
    const days = units.filter(({ direccion }) => direccion === direction).map(({ fecha }) => fecha);
    const found = findIdleList(tools.client, direction, days, tools.habits[direction], tools.signal);
    idleLists.set(direction, found);
    return found;
  };
  const history = tools.history ?? new ExportHistory(tools.store, tools.run);
  const largeUnits = tools.largeUnits ?? new LargeUnits();
  const detailTurn = tools.detailTurn ?? new Turn();
  const work = async (): Promise<void> => {
    while (tools.isTimeUp?.() !== true && tools.signal?.aborted !== true) {
      const unit = remaining.shift();
      if (unit === undefined) return;
      const { isIdle, tally } = await idleList(unit.direccion);
      const result = await exportUnit(unit, {
        ...tools,
        history,
        largeUnits,
        detailTurn,
        isListEmpty: isIdle,
      });
      if (result === undefined) {
        unfinished.push(unit);
        return;
      }
      results.push(withTally(result, tally));
      onUnitEnd?.(result);
    }
  };
  const atOnce = Math.floor(tools.client.governor.maxInFlight * UNITS_PER_PLACE);
  await Promise.all(Array.from({ length: atOnce }, work));
  return { results, remaining: [...unfinished, ...remaining] };
}

/** Counts the requests that stood for several units with the first of them that ends. */
function withTally(result: UnitResult, shared: ListTally): UnitResult {
  const { requests, retries, pages } = shared;
  Object.assign(shared, { requests: 0, retries: 0, pages: 0 });
  result.solicitudes += requests;
  result.reintentos += retries;
  result.paginas += pages;
  return result;
}
