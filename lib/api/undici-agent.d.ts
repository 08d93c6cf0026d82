/** A part of undici 8.12.4 that its index brings together with a browser's fetch, web sockets, mocks and caches. */

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
