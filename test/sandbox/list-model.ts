import { addDays, type Day, daysBetween } from '../../lib/time/days.ts';
import type { Direction } from '../../lib/units/unit.ts';
import type { SandboxBehaviour } from '../../sandbox/behaviour.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { LEGACY, LIST } from './support.ts';

type Endpoint = 'list' | 'legacy';

/** A filter of the contract, §4.5 and §4.6. */
export interface Filter {
  name: string;
  /** Values to be tried. */
  values: readonly string[];
  isMet(receipt: SandboxReceipt, value: string): boolean;
  isRepeatable: boolean;
  endpoints: readonly Endpoint[];
  /** Where it can be turned round. */
  excludableIn: readonly Endpoint[];
}

export interface ListRequest {
  direction: Direction;
  endpoint: Endpoint;
  company: number;
  /** The local date-time at which it is asked. */
  now: string;
  from?: Day;
  to?: Day;
  page?: number;
  size?: number;
  conditions: readonly { filter: Filter; values: readonly string[]; excluding?: string }[];
}

/** The moment of the signature with seven digits of its second, which compares as text. */
export function signatureOf({ fecha_firma }: SandboxReceipt): string {
  return `${fecha_firma}${fecha_firma.length === 19 ? '.' : ''}`.padEnd(27, '0');
}

function isNamed(party: SandboxReceipt['receptor'], part: string): boolean {
  const texts = party === null ? [] : [party.name, party.document];
  return texts.some((text) => text.toLocaleLowerCase('es').indexOf(part.toLocaleLowerCase('es')) >= 0);
}

/** The filters of a direction's lists. Some values are those of these receipts. */
export function filtersOf(direction: Direction, receipts: readonly SandboxReceipt[]): Filter[] {
  type Given = Pick<Filter, 'name' | 'values' | 'isMet'>;
  const both: readonly Endpoint[] = ['list', 'legacy'];
  const repeatable = (given: Given, endpoints = both, excludableIn = endpoints): Filter => {
    return { ...given, isRepeatable: true, endpoints, excludableIn };
  };
  const single = (name: string, values: readonly string[], isMet: Filter['isMet']): Filter => {
    return { name, values, isMet, isRepeatable: false, endpoints: both, excludableIn: [] };
  };
  const seconds = receipts.map(({ fecha_firma }) => fecha_firma.slice(0, 19));
  const numbers = receipts.map(({ numero }) => String(numero));
  const verdicts = { values: ['AE', 'BE', 'CE', 'XX'], isMet: equal(({ estado }) => estado) };
  const branch = { name: 'Sucursal', values: ['1', '2', '5', '7'], isMet: equal(({ sucursal }) => sucursal) };
  const types = ['101', '102', '111', '112', '182', '201', '999'];
  const common = [
    repeatable({
      name: 'Serie',
      values: [...receipts.map(({ serie }) => serie), 'ZZ'],
      isMet: equal(({ serie }) => serie),
    }),
    repeatable({
      name: 'TipoComprobante',
      values: types,
      isMet: equal((receipt) => receipt.tipo_comprobante),
    }),
    single('FechaFirmaDesde', seconds, (receipt, value) => signatureOf(receipt) >= `${value}.0000000`),
    single('FechaFirmaHasta', seconds, (receipt, value) => signatureOf(receipt) <= `${value}.0000000`),
    single('NumeroDesde', numbers, ({ numero }, value) => numero >= Number(value)),
    single('NumeroHasta', numbers, ({ numero }, value) => numero <= Number(value)),
  ];
  if (direction === 'recibidos') {
    const names = ['ñ', 'S.A.', 's.r.l.', '0010', '07', 'PANADERÍA', 'nadie'];
    return [
      ...common,
      repeatable({ name: 'Estado', ...verdicts }, ['list']),
      repeatable({ name: 'EstadoEmisor', ...verdicts }, ['legacy'], []),
      repeatable({ name: 'EstadoDgi', ...verdicts }, ['legacy'], []),
      repeatable(branch, ['legacy'], []),
      repeatable(
        { name: 'Emisor', values: names, isMet: ({ emisor }, part) => isNamed(emisor, part) },
        both,
        [],
      ),
    ];
  }
  const names = ['núñez', '“la', '6', 'GMBH', 'zürich', "o'ne"];
  const answers = ['ACEPTADO', 'RECHAZADO', 'aceptado'];
  const external = receipts.flatMap(({ id_externo: id }) =>
    id === null ? [] : [id, id, id.slice(1), id.slice(0, -1), id.toLowerCase()],
  );
  return [
    ...common,
    repeatable({
      name: 'EstadoReceptor',
      values: answers,
      isMet: equal((receipt) => receipt.estado_receptor),
    }),
    repeatable({
      name: 'EstadoDgi',
      values: ['AE', 'BE', 'NE'],
      isMet: equal(({ estado_dgi }) => estado_dgi),
    }),
    repeatable(branch),
    repeatable(
      { name: 'Receptor', values: names, isMet: ({ receptor }, part) => isNamed(receptor, part) },
      both,
      [],
    ),
    single('id_externo', external, (receipt, value) => receipt.id_externo === value),
  ];
}

function equal(fieldOf: (receipt: SandboxReceipt) => string | number | null): Filter['isMet'] {
  return (receipt, value) => String(fieldOf(receipt)) === value;
}

/** The request's address, its parameters named as the contract has them. What its list does not know is left out. */
export function addressOf({ direction, endpoint, from, to, page, size, conditions }: ListRequest): string {
  const [pageName, sizeName] =
    direction === 'recibidos' ? ['PageNumber', 'PageSize'] : ['pageNumber', 'pageSize'];
  const paging = endpoint === 'list' ? { [pageName]: page, [sizeName]: size } : {};
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ FechaDesde: from, FechaHasta: to, ...paging }))
    if (value !== undefined) parameters.append(name, String(value));
  for (const { filter, values, excluding } of conditions) {
    const { name, endpoints, isRepeatable, excludableIn } = filter;
    const suffix = isRepeatable && endpoint === 'legacy' ? '[]' : '';
    for (const value of endpoints.includes(endpoint) ? values : [])
      parameters.append(`${name}${suffix}`, value);
    if (excluding !== undefined && excludableIn.includes(endpoint))
      parameters.append(`Excluir${name}`, excluding);
  }
  return `${(endpoint === 'list' ? LIST : LEGACY)[direction]}?${parameters}`;
}

/** The issue days that a list is of, or the status of its refusal. */
function daysOf({ endpoint, from, to, now }: ListRequest, behaviour: SandboxBehaviour): string[] | number {
  const { upperBound, maxRangeDays, overRange } = behaviour;
  const today = now.slice(0, 10) as Day;
  const isBefore = endpoint === 'list' && upperBound === 'exclusive';
  const last = to === undefined ? addDays(today, 60) : addDays(to, isBefore ? -1 : 0);
  const first = from ?? addDays(last < today ? last : today, -90);
  const days = first > last ? [] : daysBetween(first, last);
  if (maxRangeDays === 0 || days.length <= maxRangeDays) return days;
  if (overRange === 'last') return days.slice(-maxRangeDays);
  if (overRange === 'first') return days.slice(0, maxRangeDays);
  return overRange === 'empty' ? [] : Number(overRange);
}

/** All receipts that a list selects, in its order; or the status of its refusal. */
export function selectedBy(
  request: ListRequest,
  behaviour: SandboxBehaviour,
  receiptsOn: (day: string) => readonly SandboxReceipt[],
): SandboxReceipt[] | number {
  const { conditions, endpoint } = request;
  const days = daysOf(request, behaviour);
  if (typeof days === 'number') return days;
  const known = conditions.filter(
    ({ filter, values }) => filter.endpoints.includes(endpoint) && values.length > 0,
  );
  const isSelected = (receipt: SandboxReceipt) =>
    known.every(({ filter, values, excluding }) => {
      const isExcluding = excluding?.toLowerCase() === 'true' && filter.excludableIn.includes(endpoint);
      return values.some((value) => filter.isMet(receipt, value)) !== isExcluding;
    });
  return inOrder(days.flatMap((day) => receiptsOn(day)).filter(isSelected), behaviour.order);
}

/** Receipts by id, as a list has them. Only the sandbox knows what shuffled ones are. */
export function inOrder(byId: readonly SandboxReceipt[], order: SandboxBehaviour['order']): SandboxReceipt[] {
  if (order === 'id') return [...byId];
  const compare = (a: string, b: string) => Number(a < b) - Number(a > b);
  return byId
    .toReversed()
    .sort((a, b) => (order === 'signature-desc' ? compare(signatureOf(a), signatureOf(b)) : 0));
}

/** A page of a v2 list that selects these receipts: its status, its rows and the number that it says. */
export function pageOf(
  { page = 1, size = 20 }: ListRequest,
  { resultWindow, pageSizeIgnored, pageCap, pageParameterIgnored, pastEnd }: SandboxBehaviour,
  selected: readonly SandboxReceipt[],
): { status: number; receipts: readonly SandboxReceipt[]; number: number } {
  const shown = resultWindow === 0 ? selected : selected.slice(0, resultWindow);
  const length = pageSizeIgnored === 0 ? Math.min(size, pageCap) : pageSizeIgnored;
  const pages: SandboxReceipt[][] = [];
  do pages.push(shown.slice(pages.length * length, (pages.length + 1) * length));
  while (pages.length * length < shown.length);
  const receipts = pages[pageParameterIgnored === 'no' ? page - 1 : 0];
  return {
    status: receipts === undefined && pastEnd === '404' ? 404 : 200,
    receipts: receipts ?? (pastEnd === 'repeat' ? (pages.at(-1) ?? []) : []),
    number: pageParameterIgnored === 'one' ? 1 : page,
  };
}
