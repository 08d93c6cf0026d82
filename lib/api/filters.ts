import type { Direction } from './directions.ts';

/**
 * Filters that all four lists share, under the API's own names (the contract, §4.1, §4.3). A date is
 * `YYYY-MM-DD`; a date-time is `YYYY-MM-DDTHH:MM:SS`, local, without zone or fraction (§2). Of the legacy
 * lists only the dates were observed; the others are assumed to be as in v2.
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

/** The kind of a filter's values. Plural kinds are repeatable filters. */
export type FilterKind = 'date' | 'dateTime' | 'text' | 'texts' | 'integer' | 'integers' | 'boolean';

/** The kinds that fit a filter's TypeScript type, so that the tables below can't contradict the interfaces. */
type KindOf<Value> = Value extends readonly string[]
  ? 'texts'
  : Value extends readonly number[]
    ? 'integers'
    : Value extends boolean
      ? 'boolean'
      : Value extends number
        ? 'integer'
        : 'date' | 'dateTime' | 'text';

type Kinds<Filters> = { readonly [Name in keyof Filters]-?: KindOf<NonNullable<Filters[Name]>> };

const DATES = {
  FechaDesde: 'date',
  FechaHasta: 'date',
  FechaFirmaDesde: 'dateTime',
  FechaFirmaHasta: 'dateTime',
} as const;

const NUMBERING = {
  Serie: 'texts',
  ExcluirSerie: 'boolean',
  NumeroDesde: 'integer',
  NumeroHasta: 'integer',
  TipoComprobante: 'integers',
  ExcluirTipoComprobante: 'boolean',
} as const;

const ISSUED: Kinds<FiltersByDirection['emitidos']> = {
  ...DATES,
  id_externo: 'text',
  Receptor: 'texts',
  ...NUMBERING,
  EstadoReceptor: 'texts',
  ExcluirEstadoReceptor: 'boolean',
  EstadoDgi: 'texts',
  ExcluirEstadoDgi: 'boolean',
  Sucursal: 'integers',
  ExcluirSucursal: 'boolean',
};

/** The filters of each v2 list, in the contract's order (§4.1, §4.3). */
export const FILTER_KINDS: { readonly [D in Direction]: Kinds<FiltersByDirection[D]> } = {
  recibidos: { ...DATES, Emisor: 'texts', ...NUMBERING, Estado: 'texts', ExcluirEstado: 'boolean' },
  emitidos: ISSUED,
};

/** The filters of each legacy list, names without `[]` (§4.6). */
export const LEGACY_FILTER_KINDS: { readonly [D in Direction]: Kinds<LegacyFiltersByDirection[D]> } = {
  recibidos: {
    ...DATES,
    Emisor: 'texts',
    ...NUMBERING,
    EstadoEmisor: 'texts',
    EstadoDgi: 'texts',
    Sucursal: 'integers',
  },
  emitidos: ISSUED,
};
