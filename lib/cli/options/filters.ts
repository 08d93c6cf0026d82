import {
  FILTER_KINDS,
  type FilterKind,
  InvalidFilterError,
  LEGACY_FILTER_KINDS,
  toLegacyQuery,
  toQuery,
} from '../../api/filters.ts';
import { WrongInputError } from '../../system/errors.ts';
import { didYouMean, nearest } from '../../text/typed-words.ts';
import { uruguayDay } from '../../time/days.ts';
import { DIRECTIONS, type Direction } from '../../units/unit.ts';
import { manyValues, oneValue, type Parsed, type Terminal } from '../command.ts';
import { askedPeriod, checkedDay, noteFuture, PERIOD_OPTIONS } from './units.ts';

export const FILTER_OPTIONS = {
  date: oneValue('D', 'only this issue date, YYYY-MM-DD'),
  ...PERIOD_OPTIONS,
  filter: manyValues('NAME=VALUE', "a filter of the API's, such as EstadoDgi=BE or ExcluirSerie=true"),
};

export interface AskedList {
  direction: Direction;
  isLegacy: boolean;
}

/** The filters of the list, under the contract's names (§4.1, §4.3, §4.6). */
function kindsOf({ direction, isLegacy }: AskedList): Readonly<Record<string, FilterKind>> {
  return isLegacy ? LEGACY_FILTER_KINDS[direction] : FILTER_KINDS[direction];
}

const LISTS = DIRECTIONS.flatMap((direction) => [
  { direction, isLegacy: false },
  { direction, isLegacy: true },
]);

export const FILTER_NOTES = LISTS.map(
  (list) =>
    `--filter of ${list.direction}${list.isLegacy ? ' --legacy' : ''}: ${Object.keys(kindsOf(list)).join(', ')}`,
);

/** The filters that the options set, under the API's names. Throws WrongInputError, also for filters that the list lacks. */
export function askedFilters(
  list: AskedList,
  { date, month, from, to, filter: typed = [] }: Parsed<typeof FILTER_OPTIONS>,
  terminal: Pick<Terminal, 'stderr'>,
): Readonly<Record<string, unknown>> {
  const kinds = kindsOf(list);
  const filters: Record<string, unknown> = askedIssueDates({ date, month, from, to }, terminal);
  for (const text of typed) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
    if (name === '')
      throw new WrongInputError(`--filter takes NAME=VALUE, such as EstadoDgi=BE, not "${text}".`);
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw unknownFilter(list, name);
    const earlier = filters[name];
    if (kind === 'texts' || kind === 'integers') {
      filters[name] = [...(Array.isArray(earlier) ? earlier : []), filterValue(kind, value)];
    } else if (earlier === undefined) filters[name] = filterValue(kind, value);
    else
      throw new WrongInputError(
        `${name} is given twice, and takes one value (--from and --to set dates, too).`,
      );
  }
  checkFilters(list, filters);
  for (const name of ['Estado', 'EstadoDgi']) noteUnseen(name, filters[name], terminal);
  return filters;
}

function unknownFilter(list: AskedList, name: string): WrongInputError {
  const names = Object.keys(kindsOf(list));
  const listName = `${list.isLegacy ? 'legacy ' : ''}list of ${list.direction}`;
  return new WrongInputError(
    `The ${listName} has no filter ${name}.${didYouMean(nearest(name, names))} It has ${names.join(', ')}.`,
  );
}

/** A text that is no value of the kind is left to the check of all filters. */
function filterValue(kind: FilterKind, text: string): unknown {
  if (kind === 'integer' || kind === 'integers') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  return kind === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

function checkFilters({ direction, isLegacy }: AskedList, filters: Readonly<Record<string, unknown>>): void {
  const [idle] = Object.keys(filters).filter(
    (name) => name.startsWith('Excluir') && filters[name.replace('Excluir', '')] === undefined,
  );
  if (idle !== undefined) {
    const inverted = idle.replace('Excluir', '');
    throw new WrongInputError(`${idle} excludes the values of ${inverted}: add --filter ${inverted}=VALUE.`);
  }
  try {
    if (isLegacy) toLegacyQuery(direction, filters);
    else toQuery(direction, filters);
  } catch (error) {
    if (!(error instanceof InvalidFilterError)) throw error;
    throw new WrongInputError(`--filter: ${error.message}.`);
  }
}

/** The tax authority's verdicts that anybody saw. The contract does not close the set, so another one is asked for. */
const SEEN_STATUSES = ['AE', 'BE', 'CE', 'FE', 'NE'];

/** A status without receipts looks like good news. */
function noteUnseen(filter: string, statuses: unknown, { stderr }: Pick<Terminal, 'stderr'>): void {
  for (const status of Array.isArray(statuses) ? statuses.map(String) : []) {
    if (SEEN_STATUSES.includes(status)) continue;
    const meant = didYouMean(SEEN_STATUSES.find((seen) => seen === status.toUpperCase()));
    stderr.writeWarning(
      `Nobody has seen the status "${status}" (${filter}); seen are ${SEEN_STATUSES.join(', ')}.${meant}`,
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
