import type { Direction } from '../../api/directions.ts';
import { CfeLakeError } from '../../errors.ts';
import { dayNumber, parseLocal } from '../generator/calendar.ts';

/** A filter with several values: one of them must match, or none if its Excluir parameter is set. */
export type ChoiceField =
  | 'emisor'
  | 'receptor'
  | 'serie'
  | 'tipo_comprobante'
  | 'estado'
  | 'estado_receptor'
  | 'estado_dgi'
  | 'sucursal';

/** The meaning of a query parameter. A choice may be repeated. */
type Meaning =
  | { sets: 'pageNumber' | 'pageSize' | 'numberFrom' | 'numberTo' }
  | { sets: 'fromDay' | 'toDay' | 'signedFrom' | 'signedTo' | 'idExterno' }
  | { sets: 'choice'; kind: 'text' | 'int'; field: ChoiceField }
  | { sets: 'exclusion'; field: ChoiceField };

/** A v2 list, a legacy list, or a detail, which has no parameters. */
export type EndpointKind = 'list' | 'legacy' | 'detail';

type Parameters = ReadonlyMap<string, Meaning>;
type Named = readonly [name: string, meaning: Meaning];

const BOUNDS: readonly Named[] = [
  ['FechaDesde', { sets: 'fromDay' }],
  ['FechaHasta', { sets: 'toDay' }],
  ['FechaFirmaDesde', { sets: 'signedFrom' }],
  ['FechaFirmaHasta', { sets: 'signedTo' }],
  ['NumeroDesde', { sets: 'numberFrom' }],
  ['NumeroHasta', { sets: 'numberTo' }],
];
const ID_EXTERNO: Named = ['id_externo', { sets: 'idExterno' }];

/** A repeatable filter: v2 repeats the bare name (the contract, §4.5), legacy adds `[]` (§4.6). */
function choice(name: string, field: ChoiceField, kind: 'text' | 'int', suffix: '' | '[]'): Named {
  return [`${name}${suffix}`, { sets: 'choice', kind, field }];
}

/** A repeatable filter that can be turned round. */
function filter(name: string, field: ChoiceField, kind: 'text' | 'int', suffix: '' | '[]'): Named[] {
  return [choice(name, field, kind, suffix), [`Excluir${name}`, { sets: 'exclusion', field }]];
}

function common(suffix: '' | '[]'): Named[] {
  return [
    ...BOUNDS,
    ...filter('Serie', 'serie', 'text', suffix),
    ...filter('TipoComprobante', 'tipo_comprobante', 'int', suffix),
  ];
}

function issued(suffix: '' | '[]'): Named[] {
  return [
    ...common(suffix),
    ID_EXTERNO,
    choice('Receptor', 'receptor', 'text', suffix),
    ...filter('EstadoReceptor', 'estado_receptor', 'text', suffix),
    ...filter('EstadoDgi', 'estado_dgi', 'text', suffix),
    ...filter('Sucursal', 'sucursal', 'int', suffix),
  ];
}

const PARAMETERS: Record<Direction, Record<EndpointKind, Parameters>> = {
  recibidos: {
    list: new Map([
      ['PageNumber', { sets: 'pageNumber' }],
      ['PageSize', { sets: 'pageSize' }],
      ...common(''),
      choice('Emisor', 'emisor', 'text', ''),
      ...filter('Estado', 'estado', 'text', ''),
    ]),
    // v2's Estado replaces three filters (§4.6). In the sandbox a received receipt has only one status.
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
      ['pageNumber', { sets: 'pageNumber' }],
      ['pageSize', { sets: 'pageSize' }],
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

export interface Choice {
  /** The parameter's name. Two parameters on one field are two conditions. */
  name: string;
  field: ChoiceField;
  values: string[];
  isExcluded: boolean;
}

/** A list request's parameters, checked. Days are days since FIRST_DAY. */
export interface ListQuery {
  pageNumber: number;
  pageSize?: number;
  fromDay?: number;
  toDay?: number;
  /** `YYYY-MM-DDTHH:MM:SS`. */
  signedFrom?: string;
  signedTo?: string;
  idExterno?: string;
  numberFrom?: number;
  numberTo?: number;
  choices: Choice[];
}

/** A parameter is invalid: the answer is 400 with this message. */
export class ParameterError extends CfeLakeError {
  override readonly name = 'ParameterError';
}

const INT_MAX = 2 ** 31 - 1;

/**
 * Parses a list's query. Throws a ParameterError that names the parameter.
 * @param unknown whether a name that isn't in `known` is an error
 */
export function parseQuery(
  search: URLSearchParams,
  known: ReadonlyMap<string, Meaning>,
  unknown: 'error' | 'ignore',
): ListQuery {
  const query: ListQuery = { pageNumber: 1, choices: [] };
  const excluded = new Set<ChoiceField>();
  const seen = new Set<string>();
  for (const [name, value] of search) {
    const meaning = known.get(name);
    if (meaning === undefined) {
      if (unknown === 'ignore') continue;
      throw new ParameterError(`${name} is not a parameter of this list`);
    }
    if (seen.has(name) && meaning.sets !== 'choice')
      throw new ParameterError(`${name} is given more than once`);
    seen.add(name);
    apply(query, excluded, name, value, meaning);
  }
  for (const choice of query.choices) choice.isExcluded = excluded.has(choice.field);
  return query;
}

function apply(
  query: ListQuery,
  excluded: Set<ChoiceField>,
  name: string,
  value: string,
  meaning: Meaning,
): void {
  switch (meaning.sets) {
    case 'pageNumber':
    case 'pageSize':
      query[meaning.sets] = wholeNumber(name, value, 1);
      return;
    case 'numberFrom':
    case 'numberTo':
      query[meaning.sets] = wholeNumber(name, value, 0);
      return;
    case 'fromDay':
    case 'toDay':
      query[meaning.sets] = dayOf(name, value);
      return;
    case 'signedFrom':
    case 'signedTo':
      query[meaning.sets] = dateTime(name, value);
      return;
    case 'idExterno':
      query.idExterno = nonEmpty(name, value);
      return;
    case 'exclusion':
      if (isTrue(name, value)) excluded.add(meaning.field);
      return;
    case 'choice': {
      const { field, kind } = meaning;
      const chosen = kind === 'int' ? String(wholeNumber(name, value, 0)) : nonEmpty(name, value);
      const earlier = query.choices.find((choice) => choice.name === name);
      if (earlier === undefined) query.choices.push({ name, field, values: [chosen], isExcluded: false });
      else earlier.values.push(chosen);
    }
  }
}

function wholeNumber(name: string, value: string, least: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= INT_MAX) return number;
  throw new ParameterError(`${name} must be a whole number from ${least}`);
}

function dayOf(name: string, value: string): number {
  const day = dayNumber(value);
  if (day === undefined) throw new ParameterError(`${name} must be a date, YYYY-MM-DD`);
  return day;
}

function dateTime(name: string, value: string): string {
  if (parseLocal(value) === undefined)
    throw new ParameterError(`${name} must be a date-time, YYYY-MM-DDTHH:MM:SS`);
  return value;
}

function nonEmpty(name: string, value: string): string {
  if (value === '') throw new ParameterError(`${name} is empty`);
  return value;
}

function isTrue(name: string, value: string): boolean {
  const lower = value.toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw new ParameterError(`${name} must be true or false`);
  return lower === 'true';
}
