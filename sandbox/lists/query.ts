import type { Direction } from '../../lib/api/directions.ts';
import { CfeLakeError } from '../../lib/errors.ts';
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

/** A v2 list, a legacy list, or a detail, which has no parameters. */
export type EndpointKind = 'list' | 'legacy' | 'detail';

/** A query parameter, and what its value sets. */
interface Parameter {
  isRepeatable: boolean;
  /** Throws a ParameterError. */
  read(into: { query: ListQuery; excluded: Set<ChoiceField> }, name: string, value: string): void;
}

type Parameters = ReadonlyMap<string, Parameter>;
type Named = readonly [name: string, parameter: Parameter];

const BOUNDS: readonly Named[] = [
  ['FechaDesde', once('fromDay', dayOf)],
  ['FechaHasta', once('toDay', dayOf)],
  ['FechaFirmaDesde', once('signedFrom', dateTime)],
  ['FechaFirmaHasta', once('signedTo', dateTime)],
  ['NumeroDesde', once('numberFrom', integer)],
  ['NumeroHasta', once('numberTo', integer)],
];

/** A parameter that may be given once. */
function once<Key extends Exclude<keyof ListQuery, 'choices'>>(
  key: Key,
  parsed: (name: string, value: string) => ListQuery[Key],
): Parameter {
  return {
    isRepeatable: false,
    read({ query }, name, value) {
      query[key] = parsed(name, value);
    },
  };
}

type Parsed = (name: string, value: string) => string | number;

/** A repeatable filter: v2 repeats the bare name (the contract, §4.5), legacy adds `[]` (§4.6). */
function choice(name: string, field: ChoiceField, parsed: Parsed, suffix: '' | '[]'): Named {
  const read: Parameter['read'] = ({ query: { choices } }, given, value) => {
    const chosen = String(parsed(given, value));
    const earlier = choices.find((known) => known.name === given);
    if (earlier === undefined) choices.push({ name: given, field, values: [chosen], isExcluded: false });
    else earlier.values.push(chosen);
  };
  return [`${name}${suffix}`, { isRepeatable: true, read }];
}

/** A repeatable filter that can be turned round. */
function filter(name: string, field: ChoiceField, parsed: Parsed, suffix: '' | '[]'): Named[] {
  const read: Parameter['read'] = ({ excluded }, given, value) => {
    if (isTrue(given, value)) excluded.add(field);
  };
  return [choice(name, field, parsed, suffix), [`Excluir${name}`, { isRepeatable: false, read }]];
}

function common(suffix: '' | '[]'): Named[] {
  return [
    ...BOUNDS,
    ...filter('Serie', 'serie', nonEmpty, suffix),
    ...filter('TipoComprobante', 'tipo_comprobante', integer, suffix),
  ];
}

function issued(suffix: '' | '[]'): Named[] {
  return [
    ...common(suffix),
    ['id_externo', once('idExterno', nonEmpty)],
    choice('Receptor', 'receptor', nonEmpty, suffix),
    ...filter('EstadoReceptor', 'estado_receptor', nonEmpty, suffix),
    ...filter('EstadoDgi', 'estado_dgi', nonEmpty, suffix),
    ...filter('Sucursal', 'sucursal', integer, suffix),
  ];
}

/** The query parameters that an endpoint knows, by their exact names. */
export const PARAMETERS: Record<Direction, Record<EndpointKind, Parameters>> = {
  recibidos: {
    list: new Map([
      ['PageNumber', once('pageNumber', fromOne)],
      ['PageSize', once('pageSize', fromOne)],
      ...common(''),
      choice('Emisor', 'emisor', nonEmpty, ''),
      ...filter('Estado', 'estado', nonEmpty, ''),
    ]),
    // v2's Estado replaces three filters (§4.6). In the sandbox a received receipt has only one status.
    legacy: new Map([
      ...common('[]'),
      choice('Emisor', 'emisor', nonEmpty, '[]'),
      choice('EstadoEmisor', 'estado', nonEmpty, '[]'),
      choice('EstadoDgi', 'estado', nonEmpty, '[]'),
      choice('Sucursal', 'sucursal', integer, '[]'),
    ]),
    detail: new Map(),
  },
  emitidos: {
    list: new Map([
      ['pageNumber', once('pageNumber', fromOne)],
      ['pageSize', once('pageSize', fromOne)],
      ...issued(''),
    ]),
    legacy: new Map(issued('[]')),
    detail: new Map(),
  },
};

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
  known: Parameters,
  unknown: 'error' | 'ignore',
): ListQuery {
  const excluded = new Set<ChoiceField>();
  const query: ListQuery = { pageNumber: 1, choices: [] };
  const seen = new Set<string>();
  for (const [name, value] of search) {
    const parameter = known.get(name);
    if (parameter === undefined) {
      if (unknown === 'ignore') continue;
      throw new ParameterError(`${name} is not a parameter of this list`);
    }
    if (seen.has(name) && !parameter.isRepeatable)
      throw new ParameterError(`${name} is given more than once`);
    seen.add(name);
    parameter.read({ query, excluded }, name, value);
  }
  for (const choice of query.choices) choice.isExcluded = excluded.has(choice.field);
  return query;
}

function wholeNumber(name: string, value: string, least: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= INT_MAX) return number;
  throw new ParameterError(`${name} must be a whole number from ${least}`);
}

function integer(name: string, value: string): number {
  return wholeNumber(name, value, 0);
}

function fromOne(name: string, value: string): number {
  return wholeNumber(name, value, 1);
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
