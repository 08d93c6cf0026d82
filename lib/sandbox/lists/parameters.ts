import type { Direction } from '../../api/directions.ts';

/** A filter of several values: one of them must match, or none when it is turned by its Excluir parameter. */
export type ChoiceField =
  | 'emisor'
  | 'receptor'
  | 'serie'
  | 'tipo_comprobante'
  | 'estado'
  | 'estado_receptor'
  | 'estado_dgi'
  | 'sucursal';

/** What a query parameter means; the kind of its value follows from it. */
export type Meaning =
  | { sets: 'pageNumber' | 'pageSize' | 'numberFrom' | 'numberTo'; kind: 'int' }
  | { sets: 'fromDay' | 'toDay'; kind: 'date' }
  | { sets: 'signedFrom' | 'signedTo'; kind: 'datetime' }
  | { sets: 'idExterno'; kind: 'text' }
  | { sets: 'choice'; kind: 'text' | 'int'; field: ChoiceField; isRepeatable: true }
  | { sets: 'exclusion'; kind: 'boolean'; field: ChoiceField };

/** A v2 list, a legacy list, or a detail, which has no parameters. */
export type EndpointKind = 'list' | 'legacy' | 'detail';

type Parameters = ReadonlyMap<string, Meaning>;
type Named = readonly [name: string, meaning: Meaning];

const BOUNDS: readonly Named[] = [
  ['FechaDesde', { sets: 'fromDay', kind: 'date' }],
  ['FechaHasta', { sets: 'toDay', kind: 'date' }],
  ['FechaFirmaDesde', { sets: 'signedFrom', kind: 'datetime' }],
  ['FechaFirmaHasta', { sets: 'signedTo', kind: 'datetime' }],
  ['NumeroDesde', { sets: 'numberFrom', kind: 'int' }],
  ['NumeroHasta', { sets: 'numberTo', kind: 'int' }],
];
const ID_EXTERNO: Named = ['id_externo', { sets: 'idExterno', kind: 'text' }];

/** A repeatable filter: v2 repeats the bare name (the contract, §4.5), legacy adds `[]` (§4.6). */
function choice(name: string, field: ChoiceField, kind: 'text' | 'int', suffix: '' | '[]'): Named {
  return [`${name}${suffix}`, { sets: 'choice', kind, field, isRepeatable: true }];
}

function exclusion(name: string, field: ChoiceField): Named {
  return [`Excluir${name}`, { sets: 'exclusion', kind: 'boolean', field }];
}

function common(suffix: '' | '[]'): Named[] {
  return [
    ...BOUNDS,
    choice('Serie', 'serie', 'text', suffix),
    exclusion('Serie', 'serie'),
    choice('TipoComprobante', 'tipo_comprobante', 'int', suffix),
    exclusion('TipoComprobante', 'tipo_comprobante'),
  ];
}

function issued(suffix: '' | '[]'): Named[] {
  return [
    ...common(suffix),
    ID_EXTERNO,
    choice('Receptor', 'receptor', 'text', suffix),
    choice('EstadoReceptor', 'estado_receptor', 'text', suffix),
    exclusion('EstadoReceptor', 'estado_receptor'),
    choice('EstadoDgi', 'estado_dgi', 'text', suffix),
    exclusion('EstadoDgi', 'estado_dgi'),
    choice('Sucursal', 'sucursal', 'int', suffix),
    exclusion('Sucursal', 'sucursal'),
  ];
}

const PARAMETERS: Record<Direction, Record<EndpointKind, Parameters>> = {
  recibidos: {
    list: new Map([
      ['PageNumber', { sets: 'pageNumber', kind: 'int' }],
      ['PageSize', { sets: 'pageSize', kind: 'int' }],
      ...common(''),
      choice('Emisor', 'emisor', 'text', ''),
      choice('Estado', 'estado', 'text', ''),
      exclusion('Estado', 'estado'),
    ]),
    // v2's Estado replaces three filters (§4.6); here a received receipt has but one status to look at.
    legacy: new Map([
      ...common('[]'),
      choice('Emisor', 'emisor', 'text', '[]'),
      choice('EstadoEmisor', 'estado', 'text', '[]'),
      choice('EstadoDgi', 'estado', 'text', '[]'),
      choice('Sucursal', 'sucursal', 'int', '[]'),
    ]),
    detail: new Map(),
  },
  emitidos: {
    list: new Map([
      ['pageNumber', { sets: 'pageNumber', kind: 'int' }],
      ['pageSize', { sets: 'pageSize', kind: 'int' }],
      ...issued(''),
    ]),
    legacy: new Map(issued('[]')),
    detail: new Map(),
  },
};

/** The query parameters that an endpoint knows, by their exact names. */
export function parametersOf(direction: Direction, endpoint: EndpointKind): Parameters {
  return PARAMETERS[direction][endpoint];
}
