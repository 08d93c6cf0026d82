// What the exporter uses of undici: a pool of connections with `request`. Its index also loads a browser's fetch,
// web sockets, mocks and caches, which would be half of the bundle.
const Agent = require('undici/lib/dispatcher/agent.js');
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
const request = require('undici/lib/api/api-request.js');

Dispatcher.prototype.request = request;

module.exports = { Agent };
