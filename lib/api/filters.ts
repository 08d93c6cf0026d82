import { inspect } from 'node:util';
import { CfeLakeError } from '../system/errors.ts';
import { isDay } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import type { PageWindow } from './list/page.ts';

interface DirectionEndpoints {
  /** The paged list; a detail is at `<listPath>/<id>` (the contract, §4.1 to §4.4). Relative to the base address. */
  listPath: string;
  /** The deprecated, unpaged list (the contract, §4.6). Relative to the base address. */
  legacyListPath: string;
  /** Names of the paging parameters: case-sensitive, and not the same in both directions (§4.1, §4.3). */
  paging: { pageNumber: string; pageSize: string };
}

export const ENDPOINTS = {
  recibidos: {
    listPath: '/v2/consulta/comprobantes/recibidos',
    legacyListPath: '/consulta/comprobantes/recibidos',
    paging: { pageNumber: 'PageNumber', pageSize: 'PageSize' },
  },
  emitidos: {
    listPath: '/v2/consulta/comprobantes/emitidos',
    legacyListPath: '/consulta/comprobantes/emitidos',
    paging: { pageNumber: 'pageNumber', pageSize: 'pageSize' },
  },
} as const satisfies Record<Direction, DirectionEndpoints>;

/** What a filter's value is, by its kind. Plural kinds are repeatable filters. */
interface ValueOfKind {
  /** `YYYY-MM-DD`. */
  date: string;
  /** `YYYY-MM-DDTHH:MM:SS`, local, without zone or fraction (the contract, §2). */
  dateTime: string;
  text: string;
  texts: readonly string[];
  integer: number;
  integers: readonly number[];
  boolean: boolean;
}

export type FilterKind = keyof ValueOfKind;

type FiltersOf<Kinds extends Record<string, FilterKind>> = {
  -readonly [Name in keyof Kinds]?: ValueOfKind[Kinds[Name]];
};

/** Bounds of the issue date and of the signature, both included. */
const DATES = {
  FechaDesde: 'date',
  FechaHasta: 'date',
  FechaFirmaDesde: 'dateTime',
  FechaFirmaHasta: 'dateTime',
} as const;

const NUMBERING = {
  Serie: 'texts',
  /** Turns `Serie` from inclusion into exclusion, as every `Excluir…` does for its filter (§4.5). */
  ExcluirSerie: 'boolean',
  NumeroDesde: 'integer',
  NumeroHasta: 'integer',
  TipoComprobante: 'integers',
  ExcluirTipoComprobante: 'boolean',
} as const;

const RECEIVED = {
  ...DATES,
  /** Name or document of the issuer. */
  Emisor: 'texts',
  ...NUMBERING,
  Estado: 'texts',
  ExcluirEstado: 'boolean',
} as const;

const ISSUED = {
  ...DATES,
  /** Matched exactly. */
  id_externo: 'text',
  /** Name or document of the recipient. */
  Receptor: 'texts',
  ...NUMBERING,
  EstadoReceptor: 'texts',
  ExcluirEstadoReceptor: 'boolean',
  EstadoDgi: 'texts',
  ExcluirEstadoDgi: 'boolean',
  /** Code of the branch. */
  Sucursal: 'integers',
  ExcluirSucursal: 'boolean',
} as const;

/** The contract names `EstadoEmisor[]`, `EstadoDgi[]` and `Sucursal[]` (§4.6); the others are taken to be v2's. */
const LEGACY_RECEIVED = {
  ...DATES,
  /** Name or document of the issuer. */
  Emisor: 'texts',
  ...NUMBERING,
  EstadoEmisor: 'texts',
  EstadoDgi: 'texts',
  Sucursal: 'integers',
} as const;

/** The filters of each v2 list, under the API's own names and in the contract's order (§4.1, §4.3). */
export const FILTER_KINDS = { recibidos: RECEIVED, emitidos: ISSUED } as const;

/**
 * The filters of each legacy list (§4.6), without the `[]` that repeatable ones get in the query. Those of the issued
 * list are taken to be v2's (§9). Only the dates were observed.
 */
export const LEGACY_FILTER_KINDS = { recibidos: LEGACY_RECEIVED, emitidos: ISSUED } as const;

export type FiltersByDirection = { [D in Direction]: FiltersOf<(typeof FILTER_KINDS)[D]> };
export type LegacyFiltersByDirection = { [D in Direction]: FiltersOf<(typeof LEGACY_FILTER_KINDS)[D]> };

/** Filters of the received list (§4.1). */
export type ReceivedFilters = FiltersByDirection['recibidos'];
/** Filters of the issued list (§4.3). */
export type IssuedFilters = FiltersByDirection['emitidos'];
export type LegacyReceivedFilters = LegacyFiltersByDirection['recibidos'];
export type LegacyIssuedFilters = LegacyFiltersByDirection['emitidos'];

/** A filter's value that the API could not read, or would misread. */
export class InvalidFilterError extends CfeLakeError {
  override name = 'InvalidFilterError';
  /** The API's name of the filter. */
  readonly filter: string;

  constructor(filter: string, problem: string) {
    super(`${filter} ${problem}`);
    this.filter = filter;
  }
}

function wrongValue(filter: string, expected: string, value: unknown): InvalidFilterError {
  const shown = inspect(value, { depth: 0, maxStringLength: 40 });
  return new InvalidFilterError(filter, `must be ${expected}, not ${shown}`);
}

/** Also refuses values that Date would roll over, such as 30 February or 24:00:00. */
function isLocalDateTime(text: string): boolean {
  return new Date(`${text}Z`).toJSON()?.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length) === text;
}

const TIME = 'a local date-time YYYY-MM-DDTHH:MM:SS, without zone or fraction';

/** Whether a value is right, and what it must be. For a repeatable filter: of each value. */
const RULES: Readonly<Record<FilterKind, readonly [(value: unknown) => boolean, expected: string]>> = {
  date: [(value) => typeof value === 'string' && isDay(value), 'a calendar date YYYY-MM-DD'],
  dateTime: [(value) => typeof value === 'string' && isLocalDateTime(value), TIME],
  text: [isText, 'text that is not empty'],
  texts: [isText, 'text that is not empty'],
  integer: [Number.isSafeInteger, 'an integer'],
  integers: [Number.isSafeInteger, 'an integer'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
};

function isText(value: unknown): boolean {
  // A lone surrogate would be sent as another character.
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}

/** Throws an InvalidFilterError that names the filter. An empty list is absent. */
function queryOf(
  kinds: Readonly<Record<string, FilterKind>>,
  filters: object,
  repeatableSuffix: '' | '[]',
): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw new InvalidFilterError(name, 'is not a filter of this list');
    const isRepeatable = kind === 'texts' || kind === 'integers';
    if (isRepeatable && !Array.isArray(value)) throw wrongValue(name, 'a list of values', value);
    const [isValid, expected] = RULES[kind];
    for (const item of isRepeatable ? value : [value]) {
      if (!isValid(item)) throw wrongValue(name, expected, item);
      query.append(isRepeatable ? `${name}${repeatableSuffix}` : name, String(item));
    }
  }
  return query;
}

/** The query of a v2 list: repeatable filters repeat their name, without `[]` (§4.5). Throws an InvalidFilterError. */
export function toQuery<D extends Direction>(direction: D, filters: FiltersByDirection[D]): URLSearchParams {
  return queryOf(FILTER_KINDS[direction], filters, '');
}

/** The query with the page asked for: numbers from 1, sizes from 1 to 100 (§8). */
export function withPaging(
  direction: Direction,
  filters: URLSearchParams,
  { pageNumber, pageSize }: Pick<PageWindow, 'pageNumber' | 'pageSize'>,
): URLSearchParams {
  const query = new URLSearchParams(filters);
  const names = ENDPOINTS[direction].paging;
  query.append(names.pageNumber, String(pageNumber));
  query.append(names.pageSize, String(pageSize));
  return query;
}

/**
 * The query of a legacy list, which has no paging: repeatable filters carry `[]` (§4.6, §9). Throws an
 * InvalidFilterError.
 */
export function toLegacyQuery<D extends Direction>(
  direction: D,
  filters: LegacyFiltersByDirection[D],
): URLSearchParams {
  return queryOf(LEGACY_FILTER_KINDS[direction], filters, '[]');
}
