import type { Rut } from '../../../lib/units/rut.ts';
import type { Direction } from '../../../lib/units/unit.ts';
import { type Answer, messageAnswer, rutOf, type SandboxRequest } from '../../../sandbox/answer.ts';
import type { Intercept, ListedDay, SandboxBehaviour } from '../../../sandbox/behaviour.ts';

/** Faults of the sandbox: for `intercept` of its behaviour. */

export const status500: Answer = messageAnswer(500, 'Internal server error');
export const html502: Answer = html(502, '502 Bad Gateway');
export const html200: Answer = html(200, 'Mantenimiento programado');
export const redirect: Answer = {
  status: 302,
  body: '',
  headers: { location: 'https://elsewhere.invalid/' },
};

export function status429(retryAfter?: string): Answer {
  const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
  return { ...messageAnswer(429, 'Too many requests'), headers };
}

function html(status: number, title: string): Answer {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, body, headers: { 'content-type': 'text/html; charset=utf-8' } };
}

/** Every request has this answer. */
export function always(answer: Answer): Intercept {
  return () => answer;
}

/** Every n-th request has this answer; its repetition is answered. */
export function every(n: number, answer: Answer | ((usual: Answer) => Answer)): Intercept {
  const spared = new Set<string>();
  let requests = 0;
  return (request, usual) => {
    requests += 1;
    const key = `${request.emisor} ${request.address}`;
    if (spared.delete(key) || requests % n !== 0) return usual(request);
    spared.add(key);
    return typeof answer === 'function' ? answer(usual(request)) : answer;
  };
}

/** The answer with half of its body. */
export function cutOff(answer: Answer): Answer {
  if (typeof answer === 'string') return answer;
  return { ...answer, body: answer.body.slice(0, answer.body.length / 2) };
}

/** Changes the body of each 200. */
export function rewritten(change: (body: string, request: SandboxRequest) => string): Intercept {
  return (request, usual) => {
    const answer = usual(request);
    if (typeof answer === 'string' || answer.status !== 200) return answer;
    return { ...answer, body: change(answer.body, request) };
  };
}

/** Companies that are never answered; `onHang` is called for each request of theirs. */
export function hangingFor(ruts: readonly Rut[], onHang: () => void = () => undefined): Intercept {
  return (request, usual) => {
    const rut = rutOf(request);
    if (rut === undefined || !ruts.includes(rut)) return usual(request);
    onHang();
    return 'hang';
  };
}

/** Which requests a fault is confined to. An absent part stands for all. */
export interface Target {
  rut?: string;
  direction?: Direction;
  /** One that the list includes. */
  day?: string;
}

export function confined({ rut, direction, day }: Target, intercept: Intercept): Intercept {
  return (request, usual) => {
    const isMeant =
      (rut ?? request.emisor) === request.emisor &&
      (direction ?? request.direction) === request.direction &&
      (day === undefined || isListOf(day, request));
    return isMeant ? intercept(request, usual) : usual(request);
  };
}

function isListOf(day: string, { search, endpoint }: Parameters<Intercept>[0]): boolean {
  if (endpoint === 'detail') return false;
  return (search.get('FechaDesde') ?? '') <= day && day <= (search.get('FechaHasta') ?? '9');
}

/** The company's token is refused. */
export function refusing(rut: string | undefined): Intercept {
  return confined({ rut }, always({ status: 401, body: '{}' }));
}

/** Lists that include the day answer 500. */
export function failingDay(target: Target): Intercept {
  return confined(target, always(status500));
}

/** This page of a list is empty or lacks its second half: the first time that it is asked for, or always. */
export function pageFault(kind: 'empty' | 'short', page: number, isAlways = false): Intercept {
  const happened = new Set<string>();
  return (request, usual) => {
    const { emisor, direction, search } = request;
    const number = search.get('PageNumber') ?? search.get('pageNumber');
    const key = `${emisor} ${direction} ${search.get('FechaDesde')} ${search.get('FechaHasta')}`;
    if (number !== String(page) || (happened.has(key) && !isAlways)) return usual(request);
    happened.add(key);
    const withRows = (body: string) => {
      const { items, ...envelope } = exactly(body);
      const rows = kind === 'empty' ? [] : items.slice(0, items.length / 2);
      return JSON.stringify({ ...envelope, items: rows, page_size: rows.length });
    };
    return rewritten(withRows)(request, usual);
  };
}

/** A page, with its numbers as they came. */
function exactly(body: string): { items: unknown[] } {
  return JSON.parse(body, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? JSON.rawJSON(context?.source ?? '') : value,
  );
}

/** After so many requests of a company, its token is another one, which ends in `+`. */
export function renewedAfter(most: number): Intercept {
  const asked = new Map<string, number>();
  return (request, usual) => {
    const { emisor = '', authorization = '' } = request;
    const count = asked.get(emisor) ?? 0;
    if (count >= most && !authorization.endsWith('+'))
      return { status: 401, body: '{"error":"token expirado"}' };
    asked.set(emisor, count + 1);
    return usual({ ...request, authorization: authorization.replace(/\+$/, '') });
  };
}

/** Rows that vanish from a day's list, or appear in it, after so many of its requests. */
export interface RowChange extends Target {
  kind: 'removed' | 'inserted';
  /** Of the same company and direction, with that day as FechaDesde. */
  afterListRequests: number;
  count: number;
  position: 'start' | 'middle' | 'end';
}

export function movingRows(change: RowChange): Pick<SandboxBehaviour, 'intercept' | 'hidden'> {
  const { kind, afterListRequests, count, position } = change;
  const requests = new Map<string, number>();
  const moved = new Map<string, { start: number; end: number }>();
  const keyOf = ({ rut, direction, day }: ListedDay) => `${rut} ${direction} ${day}`;
  return {
    intercept: (request, usual) => {
      const answer = usual(request);
      const { endpoint, emisor: rut = '', direction, search } = request;
      const key = keyOf({ rut, direction, day: search.get('FechaDesde') ?? '' });
      if (endpoint === 'list') requests.set(key, (requests.get(key) ?? 0) + 1);
      return answer;
    },
    hidden: (unit, appeared) => {
      const isMeant =
        (change.rut ?? unit.rut) === unit.rut &&
        (change.direction ?? unit.direction) === unit.direction &&
        (change.day ?? unit.day) === unit.day;
      const hasMoved = (requests.get(keyOf(unit)) ?? 0) >= afterListRequests;
      if (!isMeant || hasMoved !== (kind === 'removed')) return [];
      const rows = Math.min(count, appeared);
      const start = { start: 0, middle: (appeared - rows) >> 1, end: appeared - rows }[position];
      // The rows that moved first stay the same ones, however the list grows.
      const block = moved.get(keyOf(unit)) ?? { start, end: start + rows };
      moved.set(keyOf(unit), block);
      return [block];
    },
  };
}
