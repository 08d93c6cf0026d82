import type { Direction } from './directions.ts';

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
