import {
  FILTER_KINDS,
  type FilterKind,
  InvalidFilterError,
  LEGACY_FILTER_KINDS,
  toLegacyQuery,
  toQuery,
} from '../../api/filters.ts';
import { WrongInputError } from '../../system/errors.ts';
import { didYouMean, quoted } from '../../text/typed-words.ts';
import { uruguayDay } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import { flag, manyValues, oneValue, type Parsed, type Terminal } from '../command.ts';
import { askedPeriod, checkedDay, noteFuture, PERIOD_OPTIONS } from './units.ts';

const TIME = 'YYYY-MM-DDTHH:MM:SS';

/** The option that inverts a filter of several values. */
const excluding = (filter: string) => flag(`exclude the values of --${filter} instead`);

/**
 * One option for each filter of the API's lists (contract §4.1, §4.3, §4.6), its name in lower case with dashes; the
 * options for days have the same names as in other commands.
 */
export const FILTER_OPTIONS = {
  date: oneValue('D', 'only this issue date, YYYY-MM-DD'),
  ...PERIOD_OPTIONS,
  'fecha-firma-desde': oneValue('T', `signed at this moment or later, ${TIME}`),
  'fecha-firma-hasta': oneValue('T', 'signed at this moment or earlier'),
  emisor: manyValues('TEXT', 'recibidos: name or document of the issuer'),
  receptor: manyValues('TEXT', 'emitidos: name or document of the recipient'),
  serie: manyValues('S', 'series'),
  'excluir-serie': excluding('serie'),
  'numero-desde': oneValue('N', 'lowest number'),
  'numero-hasta': oneValue('N', 'highest number'),
  'tipo-comprobante': manyValues('N', 'type, such as 101 or 111'),
  'excluir-tipo-comprobante': excluding('tipo-comprobante'),
  estado: manyValues('CODE', 'recibidos: status, such as AE or BE'),
  'excluir-estado': excluding('estado'),
  'id-externo': oneValue('TEXT', 'emitidos: external id, matched exactly'),
  'estado-receptor': manyValues('CODE', "emitidos: the recipient's status"),
  'excluir-estado-receptor': excluding('estado-receptor'),
  'estado-dgi': manyValues('CODE', "emitidos, and recibidos --legacy: the tax authority's status"),
  'excluir-estado-dgi': excluding('estado-dgi'),
  'estado-emisor': manyValues('CODE', "recibidos --legacy: the issuer's status"),
  sucursal: manyValues('N', 'emitidos, and recibidos --legacy: branch code'),
  'excluir-sucursal': excluding('sucursal'),
};

/** One of the API's four lists. */
export interface AskedList {
  direction: Direction;
  isLegacy: boolean;
}

/** The filters that the options set, under the API's names. Throws WrongInputError, also for filters that the list lacks. */
export function askedFilters(
  list: AskedList,
  { date, month, from, to, ...options }: Parsed<typeof FILTER_OPTIONS>,
  terminal: Pick<Terminal, 'stderr'>,
): Readonly<Record<string, unknown>> {
  const { direction, isLegacy } = list;
  const kinds: Readonly<Record<string, FilterKind>> = isLegacy
    ? LEGACY_FILTER_KINDS[direction]
    : FILTER_KINDS[direction];
  const named = new Map(Object.entries(kinds).map(([filter, kind]) => [optionOf(filter), { filter, kind }]));
  const filters: Record<string, unknown> = askedIssueDates({ date, month, from, to }, terminal);
  for (const [option, value] of Object.entries(options)) {
    if (!(option in FILTER_OPTIONS)) continue;
    const found = named.get(option);
    if (found === undefined) {
      const others = [...named.keys()].filter((name) => name in FILTER_OPTIONS).map((name) => `--${name}`);
      const which = `${isLegacy ? 'legacy ' : ''}list of ${direction}`;
      throw new WrongInputError(`The ${which} has no filter for --${option}. It has ${others.join(', ')}.`);
    }
    const inverted = option.replace(/^excluir-/, '');
    if (inverted !== option && !(inverted in options))
      throw new WrongInputError(
        `--${option} excludes the values of --${inverted}: give at least one of them.`,
      );
    filters[found.filter] = filterValue(option, found.kind, value);
  }
  checkFilters(list, filters);
  for (const option of ['estado', 'estado-dgi'] as const) noteUnseen(option, options[option], terminal);
  return filters;
}

/** The tax authority's verdicts that anybody saw. The contract does not close the set, so another one is asked for. */
const SEEN_STATUSES = ['AE', 'BE', 'CE', 'FE', 'NE'];

/** A status without receipts looks like good news. */
function noteUnseen(
  option: string,
  statuses: readonly string[] = [],
  { stderr }: Pick<Terminal, 'stderr'>,
): void {
  for (const status of statuses) {
    if (SEEN_STATUSES.includes(status)) continue;
    const meant = SEEN_STATUSES.find((seen) => seen === status.toUpperCase());
    stderr.writeProblem(
      `Nobody has seen the status ${quoted(status)} (--${option}); seen are ${SEEN_STATUSES.join(', ')}.${didYouMean(meant)}`,
      'Warning:',
      'warning',
    );
  }
}

function askedIssueDates(
  { date, ...range }: Pick<Parsed<typeof FILTER_OPTIONS>, 'date' | 'month' | 'from' | 'to'>,
  terminal: Pick<Terminal, 'stderr'>,
) {
  const { from, to } = askedPeriod(range, Date.now(), terminal);
  if (date === undefined) return { FechaDesde: from, FechaHasta: to };
  if (from !== undefined || to !== undefined) {
    throw new WrongInputError('Give either --date D, or --month YYYY-MM, or --from D and --to D.');
  }
  const day = checkedDay('date', date);
  noteFuture(day, uruguayDay(Date.now()), terminal);
  return { FechaDesde: day, FechaHasta: day };
}

/** `excluir-tipo-comprobante` of `ExcluirTipoComprobante`. */
function optionOf(filter: string): string {
  return filter
    .replace(/\B[A-Z]/g, '-$&')
    .replace('_', '-')
    .toLowerCase();
}

function filterValue(option: string, kind: FilterKind, value: unknown): unknown {
  if (kind === 'integer') return wholeNumber(option, value);
  if (kind === 'integers')
    return Array.isArray(value) ? value.map((text) => wholeNumber(option, text)) : value;
  return value;
}

function wholeNumber(option: string, text: unknown): number {
  const number = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (number === undefined)
    throw new WrongInputError(`--${option} takes a whole number, not ${quoted(String(text))}.`);
  return number;
}

function checkFilters({ direction, isLegacy }: AskedList, filters: object): void {
  try {
    if (isLegacy) toLegacyQuery(direction, filters);
    else toQuery(direction, filters);
  } catch (error) {
    if (!(error instanceof InvalidFilterError)) throw error;
    throw new WrongInputError(`--${optionOf(error.filter)}${error.message.slice(error.filter.length)}.`);
  }
}
