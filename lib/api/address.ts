import { InsecureAddressError, UncheckedCertificateError } from './errors.ts';

/**
 * The API's base address, checked: https, or http to this very machine, and nothing in it but a host and a path.
 * `name` is what the error calls it; what was given is never repeated, since it may be a token in the wrong place.
 * Throws InsecureAddressError.
 */
export function parseApiAddress(text: string, name = 'API address'): URL {
  const refused = (reason: string) => new InsecureAddressError(name, reason);
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) throw refused('it has no https:// before it');
  if (!URL.canParse(text)) throw refused('it is not an address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw refused('it must not hold a user name or a password');
  if (/[?#]/.test(text)) throw refused('it must have no ? and no #');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw refused('it would send tokens unencrypted');
  }
  return url;
}

/** The address in the one form that two spellings of it share: origin and path, without a slash at the end. */
export function addressText({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** Throws UncheckedCertificateError where Node was told to take anybody's certificate for the API's. */
export function assertCertificateChecked(
  { protocol }: URL,
  { NODE_TLS_REJECT_UNAUTHORIZED: check }: NodeJS.ProcessEnv = process.env,
): void {
  if (protocol !== 'https:' || check !== '0') return;
  throw new UncheckedCertificateError();
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
