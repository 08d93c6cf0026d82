import { CfeLakeError } from '../../lib/system/errors.ts';
import type { Direction } from '../../lib/units/unit.ts';
import { dayNumber, parseLocal } from '../generator/calendar.ts';
import type { SandboxReceipt } from '../generator/receipts.ts';

/** A v2 list, a legacy list, or a detail, which has no parameters. */
export type EndpointKind = 'list' | 'legacy' | 'detail';

/** A list request's parameters, checked. Days are days since FIRST_DAY. */
export interface ListQuery {
  pageNumber: number;
  pageSize?: number;
  fromDay?: number;
  toDay?: number;
  /** The filters by the name of the parameter. A receipt must meet all of them. */
  filters: Map<string, Filter>;
  /** The names of the filters that are turned round. */
  excluded: Set<string>;
}

/** A filter with its values, of which a receipt must have one. */
interface Filter {
  values: string[];
  isMet: ((receipt: SandboxReceipt) => boolean)[];
}

/** A parameter is invalid: the answer is 400 with this message. */
export class ParameterError extends CfeLakeError {
  override readonly name = 'ParameterError';
}

/** What a parameter's value must be. */
interface Kind<Value> {
  what: string;
  read(text: string): Value | undefined;
}

const DATE: Kind<number> = { what: 'a date, YYYY-MM-DD', read: dayNumber };
const DATE_TIME: Kind<string> = {
  what: 'a date-time, YYYY-MM-DDTHH:MM:SS',
  read: (text) => (parseLocal(text) === undefined ? undefined : text),
};
const TEXT: Kind<string> = { what: 'a text', read: (text) => (text === '' ? undefined : text) };
const BOOLEAN: Kind<boolean> = {
  what: 'true or false',
  read: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
};

const INT_MAX = 2 ** 31 - 1;

function wholeFrom(least: number): Kind<number> {
  const read = (text: string) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= INT_MAX ? number : undefined;
  };
  return { what: `a whole number from ${least}`, read };
}

/** A query parameter, and what its value sets. */
interface Parameter {
  isRepeatable: boolean;
  /** Throws a ParameterError. */
  read(query: ListQuery, name: string, text: string): void;
}

function parameter<Value>(
  kind: Kind<Value>,
  set: (query: ListQuery, value: Value, name: string, text: string) => void,
  isRepeatable = false,
): Parameter {
  return {
    isRepeatable,
    read(query, name, text) {
      const value = kind.read(text);
      if (value === undefined) throw new ParameterError(`${name} must be ${kind.what}`);
      set(query, value, name, text);
    },
  };
}

function filter<Value>(
  kind: Kind<Value>,
  isMet: (receipt: SandboxReceipt, value: Value) => boolean,
  isRepeatable = true,
): Parameter {
  const set = ({ filters }: ListQuery, value: Value, name: string, text: string) => {
    const known = filters.get(name) ?? { values: [], isMet: [] };
    known.values.push(text);
    known.isMet.push((receipt) => isMet(receipt, value));
    filters.set(name, known);
  };
  return parameter(kind, set, isRepeatable);
}

const BOUNDS: Readonly<Record<string, Parameter>> = {
  FechaDesde: parameter(DATE, (query, day) => {
    query.fromDay = day;
  }),
  FechaHasta: parameter(DATE, (query, day) => {
    query.toDay = day;
  }),
  FechaFirmaDesde: filter(DATE_TIME, ({ fecha_firma }, bound) => fecha_firma.slice(0, 19) >= bound, false),
  FechaFirmaHasta: filter(DATE_TIME, isSignedBy, false),
  NumeroDesde: filter(wholeFrom(0), ({ numero }, least) => numero >= least, false),
  NumeroHasta: filter(wholeFrom(0), ({ numero }, most) => numero <= most, false),
};

/** Within the bound's own second, only a signature without a fraction is at the bound. */
function isSignedBy({ fecha_firma }: SandboxReceipt, bound: string): boolean {
  const second = fecha_firma.slice(0, 19);
  return second < bound || (second === bound && !/[1-9]/.test(fecha_firma.slice(19)));
}

const SERIES = filter(TEXT, ({ serie }, value) => serie === value);
const TYPE = filter(wholeFrom(0), ({ tipo_comprobante }, value) => tipo_comprobante === value);
const BRANCH = filter(wholeFrom(0), ({ sucursal }, value) => sucursal === value);
const STATUS = filter(TEXT, ({ estado }, value) => estado === value);

/** Filters by direction and version that can be turned round, and others. All are repeatable. */
const RECEIVED = { Serie: SERIES, TipoComprobante: TYPE, Estado: STATUS };
const RECEIVED_PLAIN = { Emisor: filter(TEXT, ({ emisor }, part) => isNamed(emisor, part)) };
// v2's Estado replaces three filters (§4.6). In the sandbox a received receipt has only one status.
const RECEIVED_LEGACY = { Serie: SERIES, TipoComprobante: TYPE };
const RECEIVED_LEGACY_PLAIN = {
  ...RECEIVED_PLAIN,
  EstadoEmisor: STATUS,
  EstadoDgi: STATUS,
  Sucursal: BRANCH,
};
const ISSUED = {
  Serie: SERIES,
  TipoComprobante: TYPE,
  EstadoReceptor: filter(TEXT, ({ estado_receptor }, value) => estado_receptor === value),
  EstadoDgi: filter(TEXT, ({ estado_dgi }, value) => estado_dgi === value),
  Sucursal: BRANCH,
};
const ISSUED_PLAIN = { Receptor: filter(TEXT, ({ receptor }, part) => isNamed(receptor, part)) };
const EXTERNAL_ID = { id_externo: filter(TEXT, ({ id_externo }, value) => id_externo === value, false) };

function isNamed(party: SandboxReceipt['receptor'], part: string): boolean {
  return party?.searchText.includes(part.toLowerCase()) ?? false;
}

/** v2 repeats the bare name of a filter (the contract, §4.5), legacy adds `[]` (§4.6). */
function parametersOf(
  suffix: '' | '[]',
  excludable: Readonly<Record<string, Parameter>>,
  plain: Readonly<Record<string, Parameter>>,
  moreParameters: Readonly<Record<string, Parameter>> = {},
): ReadonlyMap<string, Parameter> {
  const exclusionOf = (name: string) =>
    parameter(BOOLEAN, ({ excluded }, isExcluded) => {
      if (isExcluded) excluded.add(`${name}${suffix}`);
    });
  return new Map([
    ...Object.entries({ ...BOUNDS, ...moreParameters }),
    ...Object.entries({ ...excludable, ...plain }).map(
      ([name, known]) => [`${name}${suffix}`, known] as const,
    ),
    ...Object.keys(excludable).map((name) => [`Excluir${name}`, exclusionOf(name)] as const),
  ]);
}

function pagingOf(number: string, size: string): Record<string, Parameter> {
  return {
    [number]: parameter(wholeFrom(1), (query, value) => {
      query.pageNumber = value;
    }),
    [size]: parameter(wholeFrom(1), (query, value) => {
      query.pageSize = value;
    }),
  };
}

/** The query parameters that an endpoint knows, by their exact names. */
export const PARAMETERS: Record<Direction, Record<EndpointKind, ReadonlyMap<string, Parameter>>> = {
  recibidos: {
    list: parametersOf('', RECEIVED, RECEIVED_PLAIN, pagingOf('PageNumber', 'PageSize')),
    legacy: parametersOf('[]', RECEIVED_LEGACY, RECEIVED_LEGACY_PLAIN),
    detail: new Map(),
  },
  emitidos: {
    list: parametersOf('', ISSUED, ISSUED_PLAIN, { ...pagingOf('pageNumber', 'pageSize'), ...EXTERNAL_ID }),
    legacy: parametersOf('[]', ISSUED, ISSUED_PLAIN, EXTERNAL_ID),
    detail: new Map(),
  },
};

/** Parses a list's query. Throws a ParameterError that names the parameter. */
export function parseQuery(search: URLSearchParams, known: ReadonlyMap<string, Parameter>): ListQuery {
  const query: ListQuery = { pageNumber: 1, filters: new Map(), excluded: new Set() };
  for (const [name, text] of search) {
    const parameter = known.get(name);
    if (parameter === undefined) throw new ParameterError(`${name} is not a parameter of this list`);
    if (!parameter.isRepeatable && search.getAll(name).length > 1)
      throw new ParameterError(`${name} is given more than once`);
    parameter.read(query, name, text);
  }
  return query;
}

/** Whether the query selects the receipt, if it is of one of the query's days. */
export function isSelected({ filters, excluded }: ListQuery, receipt: SandboxReceipt): boolean {
  return [...filters].every(([name, { isMet }]) => isMet.some((is) => is(receipt)) !== excluded.has(name));
}
