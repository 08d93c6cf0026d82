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
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: another port, or http:// on this very machine',
};

/** Why there is no answer, with the error's code; never its message, which may quote what was sent. */
export function networkFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) return 'the connection failed';
  const words = FAULTS[code];
  return words === undefined ? code : `${words}, ${code}`;
}
