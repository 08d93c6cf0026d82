import { assertCertificatesChecked } from './certificates.ts';

/**
 * The connections of an AWS client (its `requestHandler`): certificates are checked, and there are time limits to
 * connect, for an answer to begin, and while nothing arrives. The SDK itself waits for ever for an answer that never
 * comes, or that stops in the middle. Throws WrongInputError where they are not.
 */
export function awsConnections(silenceMs = 60_000) {
  assertCertificatesChecked();
  return {
    connectionTimeout: 5_000,
    requestTimeout: silenceMs,
    socketTimeout: silenceMs,
    throwOnRequestTimeout: true,
  };
}

/** How long a call of start-run may take: longer than its own limit. */
export const START_RUN_MS = 130_000;
