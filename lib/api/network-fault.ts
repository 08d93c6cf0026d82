const UNTRUSTED =
  'its certificate is signed by no authority that this machine trusts (NODE_EXTRA_CA_CERTS adds one)';

/** Why a connection failed, in words, by the code of the error. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address and port',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'host names can not be looked up now',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the host can not be reached',
  UND_ERR_CONNECT_TIMEOUT: 'the host can not be reached',
  EHOSTUNREACH: 'the host can not be reached',
  ENETUNREACH: 'the network can not be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this machine's clock is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  EPROTO: 'TLS could not be agreed upon',
  EMFILE: 'this program has too many files and connections open',
  ENETDOWN: 'the network is down',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer has another length than it says',
  UND_ERR_INVALID_ARG: 'it can not be sent as it is; the token may hold a character that no header takes',
  UND_ERR_DESTROYED: 'this program had closed its connections',
  UND_ERR_CLOSED: 'this program had closed its connections',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: another port, or http:// on this very machine',
};

/** Why there is no answer, with the error's code; never its message, which may quote what was sent. */
export function networkFault(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // Undici's parser has a code for some faults only.
  if (error.name === 'HTTPParserError') return withCode('its answer is not HTTP as it should be', code);
  return withCode((code !== undefined && FAULTS[code]) || 'the connection failed', code);
}

function withCode(words: string, code: string | undefined): string {
  return code === undefined ? words : `${words}, ${code}`;
}
