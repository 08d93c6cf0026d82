import type { SandboxBehaviour } from '../behaviour.ts';
import { type ListQuery, ParameterError } from './query.ts';

/** The rows [start, end) of a list that a page holds, and what its envelope says. */
export interface Page {
  start: number;
  end: number;
  /** The page number asked for. */
  asked: number;
  /** Rows a full page has. */
  size: number;
  saidNumber: number;
  /** What `page_size` says for a page of so many rows. */
  saidSize(rows: number): number;
}

export type PagingRules = Pick<
  SandboxBehaviour,
  | 'pageCap'
  | 'overCap'
  | 'defaultPageSize'
  | 'pageSizeIgnored'
  | 'pageSizeEcho'
  | 'pastEnd'
  | 'pageParameterIgnored'
>;

/** Rows per page that a query gets. Throws a ParameterError when the size is over the cap and that's an error. */
export function pageSizeOf(query: ListQuery, rules: PagingRules): number {
  if (rules.pageSizeIgnored > 0) return rules.pageSizeIgnored;
  const asked = query.pageSize ?? Math.min(rules.defaultPageSize, rules.pageCap);
  if (asked > rules.pageCap && rules.overCap === 'error')
    throw new ParameterError(`the page size must be at most ${rules.pageCap}`);
  return Math.min(asked, rules.pageCap);
}

/** The page of a list of `length` rows that a query gets, or undefined for 404. */
export function pageOf(query: ListQuery, length: number, size: number, rules: PagingRules): Page | undefined {
  const isIgnored = rules.pageParameterIgnored !== 'no';
  const last = Math.max(1, Math.ceil(length / size));
  const wanted = isIgnored ? 1 : query.pageNumber;
  if (wanted > last && rules.pastEnd === '404') return undefined;
  const served = wanted > last && rules.pastEnd === 'repeat' ? last : wanted;
  const start = Math.min((served - 1) * size, length);
  return {
    start,
    end: Math.min(start + size, length),
    asked: query.pageNumber,
    size,
    saidNumber: rules.pageParameterIgnored === 'one' ? 1 : query.pageNumber,
    saidSize: (rows) => (rules.pageSizeEcho === 'count' ? rows : (query.pageSize ?? size)),
  };
}
