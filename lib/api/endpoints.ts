import type { Direction } from '../units/direction.ts';

interface DirectionEndpoints {
  /** The paged list; a detail is at `<listPath>/<id>` (the contract, §4.1 to §4.4). Relative to the base address. */
  listPath: string;
  /** The deprecated, unpaged list (the contract, §4.6). Relative to the base address. */
  legacyListPath: string;
  /** Names of the paging parameters: case-sensitive, and not the same in both directions (§4.1, §4.3). */
  paging: { pageNumber: string; pageSize: string };
}

export const ENDPOINTS = {
  recibidos: {
    listPath: '/v2/consulta/comprobantes/recibidos',
    legacyListPath: '/consulta/comprobantes/recibidos',
    paging: { pageNumber: 'PageNumber', pageSize: 'PageSize' },
  },
  emitidos: {
    listPath: '/v2/consulta/comprobantes/emitidos',
    legacyListPath: '/consulta/comprobantes/emitidos',
    paging: { pageNumber: 'pageNumber', pageSize: 'pageSize' },
  },
} as const satisfies Record<Direction, DirectionEndpoints>;
