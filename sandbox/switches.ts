import { DIRECTIONS, type Direction } from '../lib/api/directions.ts';
import { CfeLakeError } from '../lib/errors.ts';
import { dayNumber } from './generator/calendar.ts';

/** A fault of one page of every list: the first time that it is asked for, or always. */
export interface PageFault {
  page: number;
  when: 'once' | 'always';
}

/**
 * Rows that vanish from, or appear in, a day's list while it is read: after this many list requests of the same
 * company and direction with that day as FechaDesde.
 */
export interface RowChange {
  afterListRequests: number;
  count: number;
  /** Position in the list as served with the order `id` or `id-desc`; for other orders, by id. */
  position: 'start' | 'middle' | 'end';
}

/** The requests that a fault is confined to. An absent part stands for all. */
export interface Target {
  rut?: string;
  direction?: Direction;
  /** FechaDesde of a list request, `YYYY-MM-DD`; a detail request has none. */
  day?: string;
}

export interface Switch<Value> {
  standing: Value;
  /** The value's placeholder in the help; undefined for an option without a value. */
  value: string | undefined;
  help: string;
  /** Undefined for a text that it does not accept. */
  read(given: string): Value | undefined;
}

/** An option was given a value that it does not accept. */
export class SandboxSwitchError extends CfeLakeError {
  override readonly name = 'SandboxSwitchError';
}

export function whole(standing: number, least: number, help: string): Switch<number> {
  const read = (given: string) =>
    /^\d{1,9}$/.test(given) && Number(given) >= least ? Number(given) : undefined;
  return { standing, value: 'N', help, read };
}

export function amount(help: string): Switch<number> {
  const read = (given: string) => (/^\d+(\.\d+)?$/.test(given) ? Number(given) : undefined);
  return { standing: 0, value: 'N', help, read };
}

export function every(what: string): Switch<number> {
  return whole(0, 0, `every N-th request ${what}; 1: each`);
}

export function yes(help: string): Switch<boolean> {
  return { standing: false, value: undefined, help, read: () => true };
}

export function on(help: string): Switch<boolean> {
  const read = (given: string) => (given === 'on' ? true : given === 'off' ? false : undefined);
  return { standing: true, value: 'on|off', help, read };
}

export function text(standing: string, value: string, help: string): Switch<string> {
  return { standing, value, help, read: (given) => given };
}

export function choice<const Value extends string>(
  values: readonly [Value, ...Value[]],
  help: string,
  standing: NoInfer<Value> = values[0],
): Switch<Value> {
  const read = (given: string) => values.find((value) => value === given);
  return { standing, value: values.join('|'), help, read };
}

export function pageFault(help: string): Switch<PageFault | null> {
  const read = (given: string): PageFault | undefined => {
    const [, page, when = 'once'] = /^([1-9]\d{0,6})(?::(once|always))?$/.exec(given) ?? [];
    if (page === undefined) return undefined;
    return { page: Number(page), when: when === 'always' ? 'always' : 'once' };
  };
  return { standing: null, value: 'PAGE[:once|:always]', help, read };
}

export function rowChange(help: string): Switch<RowChange | null> {
  const read = (given: string): RowChange | undefined => {
    const parts = /^(\d{1,6}):(\d{1,6}):(start|middle|end)$/.exec(given);
    const position = (['start', 'middle', 'end'] as const).find((p) => p === parts?.[3]);
    if (parts === null || position === undefined) return undefined;
    return { afterListRequests: Number(parts[1]), count: Number(parts[2]), position };
  };
  return { standing: null, value: 'REQUESTS:COUNT:start|middle|end', help, read };
}

export function target(help: string): Switch<Target> {
  return { standing: {}, value: 'RUT|*:recibidos|emitidos|*:DAY|*', help, read: targetOf };
}

export function targetOrNone(help: string): Switch<Target | null> {
  return { ...target(help), standing: null };
}

/** `214844360018:recibidos:2026-11-19`, with `*` for any. */
function targetOf(given: string): Target | undefined {
  const [rut, side, day, ...rest] = given.split(':');
  const direction: Direction | undefined = DIRECTIONS.find((d) => d === side);
  const isRut = rut === '*' || /^\d{12}$/.test(rut ?? '');
  const isDay = day === '*' || dayNumber(day ?? '') !== undefined;
  if (!isRut || !isDay || rest.length > 0 || (direction === undefined && side !== '*')) return undefined;
  return { rut: rut === '*' ? undefined : rut, direction, day: day === '*' ? undefined : day };
}
