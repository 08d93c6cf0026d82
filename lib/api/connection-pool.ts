import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';

/**
 * Connections to the API, one for every request in flight, kept between requests; to be closed or destroyed. Of
 * undici no more than that is loaded: the rest would take twice as long as all of the exporter.
 */
export function openConnectionPool(): Dispatcher {
  return new Agent({ connections: null, allowH2: false });
}
