import { type Direction, ENDPOINTS } from '../api/directions.ts';
import type { ProbeRequest } from './probe-client.ts';

/** The issue dates asked for. */
export interface ProbeRange {
  from: string;
  to: string;
}

/** A page of a list; without a size, the API takes its own. Sizes past the maximum are sent as they are. */
export function listRequest(
  direction: Direction,
  { from, to }: ProbeRange,
  { pageNumber = 1, pageSize }: { pageNumber?: number; pageSize?: number },
): ProbeRequest {
  const { listPath, paging } = ENDPOINTS[direction];
  const size = pageSize === undefined ? [] : [[paging.pageSize, String(pageSize)] as const];
  return {
    path: listPath,
    query: [['FechaDesde', from], ['FechaHasta', to], [paging.pageNumber, String(pageNumber)], ...size],
  };
}
