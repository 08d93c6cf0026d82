import { expect, it } from 'vitest';
import { networkFault } from '../../lib/api/retry.ts';

function failure(code: string): Error {
  return Object.assign(new Error('connect to https://user:secret@host failed'), { code });
}

it.each([
  ['ENOTFOUND', /^there is no host of that name, ENOTFOUND$/],
  ['ECONNREFUSED', /nothing listens/],
  ['UND_ERR_CONNECT_TIMEOUT', /can not be reached/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /signed by no authority .* \(NODE_EXTRA_CA_CERTS/],
  ['CERT_HAS_EXPIRED', /certificate has expired/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name/],
  ['E_OF_TOMORROW', /^the connection failed, E_OF_TOMORROW$/],
  ['UND_ERR_HEADERS_OVERFLOW', /headers of its answer are too large/],
])('says what %s means, and nothing that the error says', (code, words) => {
  expect(networkFault(failure(code))).toMatch(words);
  expect(networkFault(failure(code))).not.toContain('secret');
});

it('has words for what has no code', () => {
  expect(networkFault(new Error('secret'))).toBe('the connection failed');
  expect(networkFault('secret')).toBe('the connection failed');
  expect(networkFault(Object.assign(new Error('secret'), { code: undefined }))).toBe('the connection failed');
  const parserError = Object.assign(new Error('secret'), { name: 'HTTPParserError', code: undefined });
  expect(networkFault(parserError)).toBe('its answer is not HTTP as it should be');
});
