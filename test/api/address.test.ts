import { describe, expect, it } from 'vitest';
import { assertCertificateChecked } from '../../lib/api/access.ts';
import { WrongInputError } from '../../lib/system/errors.ts';
import { parseApiAddress } from '../../lib/text/api-address.ts';

describe('the API address', () => {
  it.each([
    'https://api.example.com',
    'https://api.example.com:8443/base/',
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://127.8.9.10:80/x',
    'http://[::1]:3000',
    'HTTP://LOCALHOST',
  ])('may be %s', (text) => {
    expect(parseApiAddress(text).href).toBe(new URL(text).href);
  });

  it.each([
    'http://api.example.com',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[::2]',
    'ws://localhost',
    'ftp://api.example.com',
    'file:///etc/hosts',
    'api.example.com',
    '',
    'https://api.example.com/?key=1',
    'https://api.example.com/?',
    'https://api.example.com/#x',
  ])('may not be %j', (text) => {
    expect(() => parseApiAddress(text)).toThrow(WrongInputError);
  });

  it('may not hold a user name or a password, and the message does not repeat them', () => {
    for (const text of ['https://me@api.example.com', 'https://me:s3cret@api.example.com']) {
      expect(() => parseApiAddress(text)).toThrow(/user name or a password/);
    }
    const broken = ['me:s3cret@api.example.com', 'https://me:s3cret@api example.com'];
    for (const text of ['https://me:s3cret@api.example.com', ...broken]) {
      expect(() => parseApiAddress(text)).toThrow(/^(?!.*(s3cret|me@)).*API address/);
    }
  });

  it('never repeats what was given, which may be a token in the wrong place', () => {
    for (const text of [
      's3cret',
      's3cret://a',
      'https://s3cret space',
      'http://s3cret.example',
      'https://a/?t=s3cret',
    ]) {
      expect(() => parseApiAddress(text, '--api')).toThrow(/^(?!.*s3cret)--api: /);
    }
  });
});

it('the certificate of the API is checked, or nothing is sent', () => {
  const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const address = new URL('https://api.example.com');
  expect(() => assertCertificateChecked(address, unchecked)).toThrow(/NODE_TLS_REJECT_UNAUTHORIZED=0/);
  assertCertificateChecked(new URL('http://127.0.0.1:8787'), unchecked);
  assertCertificateChecked(address, { NODE_TLS_REJECT_UNAUTHORIZED: '1' });
  assertCertificateChecked(address, {});
});
