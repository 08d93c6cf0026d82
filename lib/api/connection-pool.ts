import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { CfeLakeError } from '../errors.ts';

/** A connection takes longer only where the address is wrong or the host drops packets. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Less than the 5 seconds or more of servers, so that no request goes out on a connection that is being closed. */
const IDLE_TIMEOUT_MS = 4_000;

const AGENT_OPTIONS = { keepAlive: true, timeout: IDLE_TIMEOUT_MS };

/** A connection that this program itself ended; `code` is like that of Node's errors. */
export class ConnectionError extends CfeLakeError {
  override name = 'ConnectionError';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Connections to the API, one per request in flight, kept between requests. Must be closed or destroyed. */
export class ConnectionPool {
  private readonly http = new HttpAgent(AGENT_OPTIONS);
  private readonly https = new HttpsAgent(AGENT_OPTIONS);
  /** Each origin's part of the options, so that it is parsed once. */
  private readonly originOptions = new Map<string, RequestOptions>();
  private readonly inFlight = new Set<ClientRequest>();
  private isDestroyed = false;

  /** Sends a GET. No redirect is followed. Throws if it can't be sent as it is. */
  get(origin: string, path: string, headers: Readonly<Record<string, string>>): ClientRequest {
    if (this.isDestroyed) throw destroyed();
    const isTls = origin.startsWith('https:');
    const options = { ...this.optionsOf(origin), method: 'GET', path, headers };
    const request = isTls
      ? httpsRequest({ ...options, agent: this.https })
      : httpRequest({ ...options, agent: this.http });
    this.inFlight.add(request);
    request.once('close', () => this.inFlight.delete(request));
    sendOnceConnected(request, isTls ? 'secureConnect' : 'connect');
    return request;
  }

  private optionsOf(origin: string): RequestOptions {
    const options = this.originOptions.get(origin) ?? urlToHttpOptions(new URL(origin));
    this.originOptions.set(origin, options);
    return options;
  }

  /** Resolves once all requests in flight have ended. */
  async close(): Promise<void> {
    await Promise.all([...this.inFlight].map((request) => new Promise((end) => request.once('close', end))));
    await this.destroy();
  }

  /** Cuts all requests in flight. */
  async destroy(): Promise<void> {
    this.isDestroyed = true;
    for (const request of this.inFlight) request.destroy(destroyed());
    this.http.destroy();
    this.https.destroy();
  }
}

/** Sends after the TLS handshake: a request sent before it would fail with EPROTO, whatever is wrong with the TLS. */
function sendOnceConnected(request: ClientRequest, connected: 'connect' | 'secureConnect'): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) {
      request.end();
      return;
    }
    const timer = setTimeout(() => {
      request.destroy(new ConnectionError('ETIMEDOUT', `no connection within ${CONNECT_TIMEOUT_MS} ms`));
    }, CONNECT_TIMEOUT_MS);
    socket.once(connected, () => {
      clearTimeout(timer);
      request.end();
    });
    request.once('close', () => clearTimeout(timer));
  });
}

function destroyed(): ConnectionError {
  return new ConnectionError('ERR_POOL_DESTROYED', 'the connection pool was destroyed');
}
