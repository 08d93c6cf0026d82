import { InsecureAddressError } from './errors.ts';

/** The API's base address, checked: https, or http to this very machine. Throws InsecureAddressError. */
export function parseApiAddress(text: string): URL {
  // What may hold a password is not repeated.
  const named = text.includes('@') ? 'it' : `"${text}"`;
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) {
    throw new InsecureAddressError(`${named} has no https:// before it`);
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new InsecureAddressError(`${named} is not an address`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new InsecureAddressError('it must not hold a user name or a password');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new InsecureAddressError(`"${url.origin}" would send tokens unencrypted`);
  }
  return url;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
