// Compile-time only, checked by tsc: the filters are those of openapi.yaml, name by name and type by type.
import { expectTypeOf } from 'vitest';
import type { Direction, ENDPOINTS } from '../../lib/api/directions.ts';
import {
  type IssuedFilters,
  type LegacyIssuedFilters,
  type LegacyReceivedFilters,
  type ReceivedFilters,
  toLegacyQuery,
  toQuery,
} from '../../lib/api/filters.ts';
import type { operations } from '../../lib/api/wire.generated.ts';

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
type PagingName<D extends Direction> = (typeof ENDPOINTS)[D]['paging']['pageNumber' | 'pageSize'];

/** A parameter's name without `[]`; `never` for paging parameters. */
type FilterName<Name> =
  Name extends PagingName<Direction> ? never : Name extends `${infer Plain}[]` ? Plain : Name;

/** The query of an operation as this code takes it: no paging, no `[]`, lists read-only. */
type FiltersOf<Operation extends keyof operations> = {
  [Name in keyof Query<Operation> as FilterName<Name>]: Query<Operation>[Name] extends
    | (infer Item)[]
    | undefined
    ? readonly Item[]
    : Query<Operation>[Name];
};

/** An interface and what it extends, as one object type. */
type Flat<Filters> = { [Name in keyof Filters]: Filters[Name] };

expectTypeOf<Flat<ReceivedFilters>>().toEqualTypeOf<FiltersOf<'listReceived'>>();
expectTypeOf<Flat<IssuedFilters>>().toEqualTypeOf<FiltersOf<'listIssued'>>();
expectTypeOf<Flat<LegacyReceivedFilters>>().toEqualTypeOf<FiltersOf<'listReceivedLegacy'>>();
expectTypeOf<Flat<LegacyIssuedFilters>>().toEqualTypeOf<FiltersOf<'listIssuedLegacy'>>();

expectTypeOf<PagingName<'recibidos'>>().toExtend<keyof Query<'listReceived'>>();
expectTypeOf<PagingName<'emitidos'>>().toExtend<keyof Query<'listIssued'>>();

toQuery('recibidos', { Emisor: ['a'], Estado: ['AE'] });
// @ts-expect-error Receptor is a filter of the issued list only
toQuery('recibidos', { Receptor: ['a'] });
// @ts-expect-error the issued list has no Estado
toQuery('emitidos', { Estado: ['AE'] });
// @ts-expect-error names are case-sensitive
toQuery('emitidos', { fechaDesde: '2026-11-19' });
// @ts-expect-error v2 replaced EstadoEmisor by Estado
toQuery('recibidos', { EstadoEmisor: ['AE'] });
toLegacyQuery('recibidos', { EstadoEmisor: ['AE'] });
