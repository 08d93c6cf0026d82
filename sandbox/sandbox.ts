import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Direction } from '../lib/units/unit.ts';
import { type Answer, messageAnswer, type SandboxRequest } from './answer.ts';
import type { SandboxOptions } from './behaviour.ts';
import { CENTRAL_BANK_PATH, centralBankAnswer } from './central-bank.ts';
import { dayNumber } from './generator/calendar.ts';
import type { SandboxReceipt } from './generator/receipts.ts';
import type { EndpointKind } from './lists/query.ts';
import { rowsOf } from './lists/rows.ts';
import { SANDBOX_USER } from './login.ts';
import { detail } from './render/detail.ts';
import { ROUTES } from './routes.ts';
import { type SandboxService, sandboxService } from './service.ts';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts the query API from the server's side, on this machine's loopback address: all endpoints of the contract, over
 * receipts that are made from a seed on demand. See README.md in this folder.
 */
export async function startSandbox(options: SandboxOptions = {}) {
  const service = sandboxService(options);
  const stats = statsCounter();
  const server = sandboxServer(service, stats);
  const url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return {
    /** `http://127.0.0.1:PORT`. */
    url,
    /** Its companies, with their tokens. */
    companies: service.companies,
    /** What a companies file has for all of them in place of tokens. */
    login: { tokenUrl: `${url}${TOKEN_PATH}`, ...SANDBOX_USER },
    /**
     * The receipts that this company, direction and issue day (`YYYY-MM-DD`) really has now, in order of id, made while
     * iterating. Throws a RangeError for an unknown company or an invalid day.
     */
    truth(rut: string, direction: Direction, day: string): Iterable<SandboxReceipt> {
      const number = dayNumber(day);
      if (number === undefined) throw new RangeError(`'${day}' is not a day: write YYYY-MM-DD`);
      const days = { from: number, to: number };
      const rows = rowsOf(
        service.list(rut, direction),
        days,
        service.clock.now(),
        service.behaviour().hidden,
      );
      return rows.slice(0, rows.length);
    },
    /** The detail of a receipt as JSON text, exactly as it is sent. */
    detail,
    /** Stops the clock at a `YYYY-MM-DDTHH:MM:SS`. The clock decides which receipts and statuses exist. */
    setNow: service.clock.set,
    /** Changes part of the behaviour. */
    behave: service.behave,
    stats: stats.read,
    resetStats: stats.reset,
    /** Closes all connections, including those that wait for an answer. */
    close: async (): Promise<void> => await server.close(),
  };
}

/** Where tokens are asked for; the contract does not say where that is. */
const TOKEN_PATH = '/token';

/** Longer than any client's keep-alive, so that the sandbox never closes a connection while a request is on its way. */
const KEEP_ALIVE_MS = 600_000;

function sandboxServer(service: SandboxService, stats: ReturnType<typeof statsCounter>): FastifyInstance {
  const server = fastify({
    logger: false,
    forceCloseConnections: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    exposeHeadRoutes: false,
    routerOptions: { querystringParser: () => ({}) },
  });
  for (const [path, endpoint, direction] of ROUTES)
    server.get<Route>(path, (incoming, reply) => {
      const request = requestOf(incoming, endpoint, direction);
      const rut = request.emisor ?? '';
      stats.begin(endpoint, rut);
      reply.raw.once('close', () => stats.end(reply.raw.headersSent ? reply.raw.statusCode : 0, rut));
      const answer = service.answer(request);
      const { latencyMs } = service.behaviour();
      if (latencyMs > 0) setTimeout(() => send(reply, answer), latencyMs);
      else send(reply, answer);
    });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
  server.post(TOKEN_PATH, (incoming, reply) => {
    stats.logIn();
    send(reply, service.logIn(incoming.headers['content-type'] ?? '', String(incoming.body ?? '')));
  });
  server.post(CENTRAL_BANK_PATH, (incoming, reply) => {
    send(reply, centralBankAnswer(String(incoming.body ?? ''), service.clock.now()));
  });
  server.setNotFoundHandler((_, reply) => send(reply, messageAnswer(404, 'there is no such address')));
  return server;
}

/** Only details have an id. */
type Route = { Params: { id?: string } };

function requestOf(
  incoming: FastifyRequest<Route>,
  endpoint: EndpointKind,
  direction: Direction,
): SandboxRequest {
  const address = incoming.raw.url ?? '';
  const { authorization, 'x-emisor': emisor } = incoming.headers;
  const [, query = ''] = /\?(.*)$/.exec(address) ?? [];
  return {
    endpoint,
    direction,
    address,
    search: new URLSearchParams(query),
    id: incoming.params.id,
    authorization,
    emisor: typeof emisor === 'string' ? emisor : undefined,
  };
}

function send(reply: FastifyReply, answer: Answer): void {
  if (typeof answer !== 'string') {
    const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers };
    reply.code(answer.status).headers(headers).send(answer.body);
    return;
  }
  reply.hijack();
  if (answer === 'reset') reply.raw.socket?.resetAndDestroy();
}

/** Requests and answers since the sandbox started or its counts were reset. */
interface SandboxStats {
  requests: number;
  listRequests: number;
  detailRequests: number;
  /** Requests to the token address. */
  logins: number;
  /** Answers by status; 0: no answer, because of a reset or because the client gave up. */
  byStatus: Readonly<Record<number, number>>;
  /** The most requests in flight at one moment: in all, and for each X-Emisor as sent. */
  maxInFlight: number;
  maxInFlightByRut: Readonly<Record<string, number>>;
}

function statsCounter() {
  const zeros = () => ({ list: 0, detail: 0, legacy: 0 });
  let requests: Record<EndpointKind, number> = zeros();
  let byStatus: Record<number, number> = {};
  let maxByRut = new Map<string, number>();
  const inFlightByRut = new Map<string, number>();
  let inFlight = 0;
  let logins = 0;
  let maxInFlight = 0;

  return {
    begin(endpoint: EndpointKind, rut: string): void {
      requests[endpoint]++;
      inFlight++;
      maxInFlight = Math.max(maxInFlight, inFlight);
      const requestsOfRut = (inFlightByRut.get(rut) ?? 0) + 1;
      inFlightByRut.set(rut, requestsOfRut);
      maxByRut.set(rut, Math.max(maxByRut.get(rut) ?? 0, requestsOfRut));
    },
    logIn(): void {
      logins++;
    },
    /** Must be called once the answer was sent or the connection is closed. */
    end(status: number, rut: string): void {
      byStatus[status] = (byStatus[status] ?? 0) + 1;
      inFlight--;
      inFlightByRut.set(rut, (inFlightByRut.get(rut) ?? 1) - 1);
    },
    read: (): SandboxStats => ({
      requests: requests.list + requests.detail + requests.legacy,
      listRequests: requests.list,
      detailRequests: requests.detail,
      logins,
      byStatus: { ...byStatus },
      maxInFlight,
      maxInFlightByRut: Object.fromEntries(maxByRut),
    }),
    /** Resets everything except the requests in flight. */
    reset(): void {
      requests = zeros();
      logins = 0;
      byStatus = {};
      maxInFlight = inFlight;
      maxByRut = new Map([...inFlightByRut].filter(([, count]) => count > 0));
    },
  };
}
