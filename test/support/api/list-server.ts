import { type Direction, ENDPOINTS } from '../../../lib/api/directions.ts';
import { type HttpServer, type ReceivedRequest, startHttpServer } from './http-server.ts';

/** The day under which a receipt is listed, if it is not that of `fecha_emision`. Not sent. */
export const LISTED_ON = Symbol('listed on');

export interface ListedReceipt {
  fecha_emision: string;
  [LISTED_ON]?: string;
  [field: string]: unknown;
}

/** A server of both lists, with the receipts that a test puts in. */
export interface ListServer extends HttpServer {
  lists: Record<Direction, ListedReceipt[]>;
  isUpperBoundIncluded: boolean;
  /** A status to answer with in place of the list; undefined for the list. */
  statusFor: (request: ReceivedRequest) => number | undefined | Promise<number | undefined>;
}

/** Starts a server that is closed when the running test ends. */
export async function startListServer(): Promise<ListServer> {
  const held: Pick<ListServer, 'lists' | 'isUpperBoundIncluded' | 'statusFor'> = {
    lists: { recibidos: [], emitidos: [] },
    isUpperBoundIncluded: true,
    statusFor: () => undefined,
  };
  const server = await startHttpServer(async (request) => {
    const status = await held.statusFor(request);
    if (status !== undefined) return { status };
    const direction: Direction = request.path === ENDPOINTS.recibidos.listPath ? 'recibidos' : 'emitidos';
    if (request.path !== ENDPOINTS[direction].listPath) return { status: 404 };
    const { paging } = ENDPOINTS[direction];
    const pageNumber = Number(request.query.get(paging.pageNumber));
    const pageSize = Number(request.query.get(paging.pageSize));
    const from = request.query.get('FechaDesde') ?? '';
    const to = request.query.get('FechaHasta') ?? '';
    const items = held.lists[direction]
      .filter((receipt) => {
        const day = receipt[LISTED_ON] ?? receipt.fecha_emision.slice(0, 10);
        return day >= from && (held.isUpperBoundIncluded ? day <= to : day < to);
      })
      .slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
    return { body: JSON.stringify({ items, page_number: pageNumber, page_size: items.length }) };
  });
  return Object.assign(held, server);
}
