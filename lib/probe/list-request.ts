import { type Direction, ENDPOINTS } from '../api/directions.ts';
import type { ProbeRequest } from './probe-client.ts';

/** The issue dates asked for. */
export interface ProbeRange {
  from: string;
  to: string;
}

export interface ListRequestOptions {
  pageNumber?: number;
  /** Sizes past the maximum are sent as they are; without one, the API takes its own. */
  pageSize?: number;
  filters?: readonly (readonly [name: string, value: string])[];
}

/** A page of a list. */
export function listRequest(
  direction: Direction,
  { from, to }: ProbeRange,
  { pageNumber = 1, pageSize, filters = [] }: ListRequestOptions,
): ProbeRequest {
  const { listPath, paging } = ENDPOINTS[direction];
  const size = pageSize === undefined ? [] : [[paging.pageSize, String(pageSize)] as const];
  return {
    path: listPath,
    query: [
      ['FechaDesde', from],
      ['FechaHasta', to],
      ...filters,
      [paging.pageNumber, String(pageNumber)],
      ...size,
    ],
  };
}
