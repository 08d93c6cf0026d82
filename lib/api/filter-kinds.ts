import type { Direction } from './directions.ts';
import type { FiltersByDirection, LegacyFiltersByDirection } from './filters.ts';

/** What values a filter takes; a plural kind is a repeatable filter. */
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
