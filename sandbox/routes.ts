import type { Direction } from '../lib/units/unit.ts';
import type { EndpointKind } from './lists/query.ts';

/** The paths of the contract, §4; `:id` stands for an id. */
export const ROUTES: readonly (readonly [path: string, endpoint: EndpointKind, direction: Direction])[] = [
  ['/v2/consulta/comprobantes/recibidos', 'list', 'recibidos'],
  ['/v2/consulta/comprobantes/recibidos/:id', 'detail', 'recibidos'],
  ['/v2/consulta/comprobantes/emitidos', 'list', 'emitidos'],
  ['/v2/consulta/comprobantes/emitidos/:id', 'detail', 'emitidos'],
  ['/consulta/comprobantes/recibidos', 'legacy', 'recibidos'],
  ['/consulta/comprobantes/emitidos', 'legacy', 'emitidos'],
];

/** What a path asks for, where no server matches it; undefined for a path that is not of the contract. */
export function routeOf(
  path: string,
): { endpoint: EndpointKind; direction: Direction; id: string | undefined } | undefined {
  const [, list = '', id] = /^(.*\/(?:recibidos|emitidos))(?:\/([^/]+))?$/.exec(path) ?? [];
  const wanted = id === undefined ? list : `${list}/:id`;
  const found = ROUTES.find(([known]) => known === wanted);
  return found && { endpoint: found[1], direction: found[2], id };
}
