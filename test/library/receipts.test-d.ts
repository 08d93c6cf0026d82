// Compile-time only, checked by tsc: receipts have the types of the lake's columns.
import { expectTypeOf } from 'vitest';
import type {
  IssuedDetail,
  IssuedSummary,
  ReceivedDetail,
  ReceivedSummary,
} from '../../lib/library/receipts.ts';
import type { ExactNumber } from '../../lib/text/exact-json.ts';

type Optional<Value> = Value | null | undefined;
type Exact = number | ExactNumber;

expectTypeOf<ReceivedSummary['id']>().toEqualTypeOf<Exact | string>();
expectTypeOf<ReceivedSummary['tipo_comprobante']>().toEqualTypeOf<Optional<number>>();
expectTypeOf<ReceivedSummary['fecha_emision']>().toEqualTypeOf<Optional<string>>();
expectTypeOf<ReceivedSummary['emisor']>().toEqualTypeOf<
  Optional<{ readonly ruc?: string | null; readonly razon_social?: string | null }>
>();
expectTypeOf<ReceivedSummary['totales']>().toEqualTypeOf<
  Optional<{ readonly total?: Exact | null; readonly total_pagar?: Exact | null }>
>();
expectTypeOf<IssuedSummary['estado_dgi']>().toEqualTypeOf<Optional<{ readonly codigo?: string | null }>>();
expectTypeOf<IssuedSummary['totales']>().toEqualTypeOf<ReceivedSummary['totales']>();

// The list of issued receipts has no currency: it would be a field that no contract names.
expectTypeOf<IssuedSummary['moneda']>().toEqualTypeOf<unknown>();
// A column that is computed is no field of the API's object.
expectTypeOf<ReceivedSummary['visto_por_ultima_vez']>().toEqualTypeOf<unknown>();

expectTypeOf<ReceivedDetail['moneda']>().toEqualTypeOf<Optional<string>>();
expectTypeOf<IssuedDetail['items']>().toEqualTypeOf<Optional<readonly unknown[]>>();
expectTypeOf<IssuedDetail['totales']>().toEqualTypeOf<Optional<Readonly<Record<string, unknown>>>>();
