import { expect, it } from 'vitest';
import { networkFault } from '../../lib/api/retry.ts';

function failure(code: string): Error {
  return Object.assign(new Error('connect to https://user:secret@host failed'), { code });
}

it.each([
  ['ENOTFOUND', /^there is no host of that name, ENOTFOUND$/],
  ['ECONNREFUSED', /nothing listens/],
  ['ETIMEDOUT', /cannot be reached/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /not signed by an authority .* \(NODE_EXTRA_CA_CERTS/],
  ['CERT_HAS_EXPIRED', /certificate has expired/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name/],
  ['HPE_INVALID_CONSTANT', /^its answer is not valid HTTP, HPE_INVALID_CONSTANT$/],
  ['E_OF_TOMORROW', /^the connection failed, E_OF_TOMORROW$/],
  ['HPE_HEADER_OVERFLOW', /headers of its answer are too large/],
])('says what %s means, and nothing from the error’s own text', (code, words) => {
  const { fault } = networkFault(failure(code));
  expect(fault).toMatch(words);
  expect(fault).not.toContain('secret');
});

it('describes a fault without a code', () => {
  for (const error of [
    new Error('secret'),
    'secret',
    Object.assign(new Error('secret'), { code: undefined }),
  ]) {
    expect(networkFault(error).fault).toBe('the connection failed');
  }
});
