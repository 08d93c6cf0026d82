import { describe, expect, it } from 'vitest';
import { parseApiAddress } from '../../lib/api/address.ts';
import { InsecureAddressError } from '../../lib/api/errors.ts';

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
  ])('may not be %j', (text) => {
    expect(() => parseApiAddress(text)).toThrow(InsecureAddressError);
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

  it('says what to give instead', () => {
    expect(() => parseApiAddress('http://api.example.com')).toThrow(
      'API address: "http://api.example.com" would send tokens unencrypted. Give one that begins with https:// (http:// only for this machine).',
    );
  });
});
