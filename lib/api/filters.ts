import { type Direction, ENDPOINTS } from './directions.ts';
import { FILTER_KINDS, type FilterKind, LEGACY_FILTER_KINDS } from './filter-kinds.ts';
import { InvalidFilterError, writtenPaging, writtenValues } from './filter-values.ts';
import { MAX_PAGE_SIZE } from './list/page.ts';

export { InvalidFilterError };

/**
 * Filters that all four lists share, under the API's own names (the contract, §4.1, §4.3). A date is
 * `YYYY-MM-DD`; a date-time is `YYYY-MM-DDTHH:MM:SS`, local, without zone or fraction (§2). Of the legacy
 * lists only the dates were observed; the rest is taken to be as in v2.
 */
interface CommonFilters {
  /** Issue date, from. */
  FechaDesde?: string;
  /** Issue date, to. */
  FechaHasta?: string;
  /** Signature date-time, from. */
  FechaFirmaDesde?: string;
  /** Signature date-time, to. */
  FechaFirmaHasta?: string;
  Serie?: readonly string[];
  /** Turns `Serie` from inclusion into exclusion, as every `Excluir…` does for its filter (§4.5). */
  ExcluirSerie?: boolean;
  NumeroDesde?: number;
  NumeroHasta?: number;
  TipoComprobante?: readonly number[];
  ExcluirTipoComprobante?: boolean;
}

/** Filters of the received list (§4.1). */
export interface ReceivedFilters extends CommonFilters {
  /** Name or document of the issuer. */
  Emisor?: readonly string[];
  Estado?: readonly string[];
  ExcluirEstado?: boolean;
}

/** Filters of the issued list (§4.3). */
export interface IssuedFilters extends CommonFilters {
  /** Matched exactly. */
  id_externo?: string;
  /** Name or document of the recipient. */
  Receptor?: readonly string[];
  EstadoReceptor?: readonly string[];
  ExcluirEstadoReceptor?: boolean;
  EstadoDgi?: readonly string[];
  ExcluirEstadoDgi?: boolean;
  /** Code of the branch. */
  Sucursal?: readonly number[];
  ExcluirSucursal?: boolean;
}

/**
 * Filters of the legacy received list; repeatable ones without the `[]` that they get in the query. The
 * contract names `EstadoEmisor[]`, `EstadoDgi[]` and `Sucursal[]` (§4.6).
 */
export interface LegacyReceivedFilters extends CommonFilters {
  /** Name or document of the issuer. */
  Emisor?: readonly string[];
  EstadoEmisor?: readonly string[];
  EstadoDgi?: readonly string[];
  Sucursal?: readonly number[];
}

/** Filters of the legacy issued list, taken to be v2's; repeatable ones get `[]` in the query (§4.6, §9). */
export type LegacyIssuedFilters = IssuedFilters;

export interface FiltersByDirection {
  recibidos: ReceivedFilters;
  emitidos: IssuedFilters;
}

export interface LegacyFiltersByDirection {
  recibidos: LegacyReceivedFilters;
  emitidos: LegacyIssuedFilters;
}

export interface Paging {
  /** From 1. */
  pageNumber: number;
  /** 1 to 100 (§8). */
  pageSize: number;
}

function append(
  query: URLSearchParams,
  kinds: Readonly<Record<string, FilterKind>>,
  filters: object,
  repeatableSuffix: '' | '[]',
): void {
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw new InvalidFilterError(name, 'is not a filter of this list');
    const isRepeatable = kind === 'texts' || kind === 'integers';
    const parameter = isRepeatable ? `${name}${repeatableSuffix}` : name;
    for (const written of writtenValues(name, kind, value)) query.append(parameter, written);
  }
}

/**
 * The query of a v2 list: repeatable filters repeat their name, without `[]` (§4.5); an empty list is absent.
 * Throws an InvalidFilterError that names the filter or paging parameter.
 */
export function toQuery<D extends Direction>(
  direction: D,
  filters: FiltersByDirection[D],
  paging?: Paging,
): URLSearchParams {
  const query = new URLSearchParams();
  append(query, FILTER_KINDS[direction], filters, '');
  return paging === undefined ? query : withPaging(direction, query, paging);
}

/** The query with the page asked for. Throws an InvalidFilterError that names the paging parameter. */
export function withPaging(
  direction: Direction,
  filters: URLSearchParams,
  { pageNumber, pageSize }: Paging,
): URLSearchParams {
  const query = new URLSearchParams(filters);
  const names = ENDPOINTS[direction].paging;
  query.append(names.pageNumber, writtenPaging(names.pageNumber, pageNumber));
  query.append(names.pageSize, writtenPaging(names.pageSize, pageSize, MAX_PAGE_SIZE));
  return query;
}

/**
 * The query of a legacy list, which has no paging: repeatable filters carry `[]` (§4.6, §9); an empty list is
 * absent. Throws an InvalidFilterError that names the filter.
 */
export function toLegacyQuery<D extends Direction>(
  direction: D,
  filters: LegacyFiltersByDirection[D],
): URLSearchParams {
  const query = new URLSearchParams();
  append(query, LEGACY_FILTER_KINDS[direction], filters, '[]');
  return query;
}
