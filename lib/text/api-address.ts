import { WrongInputError } from '../system/errors.ts';

/**
 * What is wrong with the API's base address, as the end of a sentence: it must be https, or http on this machine, and
 * nothing but a host and a path. Undefined if it is right. Never repeats the text, which may be a token in the wrong
 * place.
 */
export function addressFault(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return 'it has no https:// before it';
  if (!URL.canParse(text)) return 'it is not an address';
  const { username, password, protocol, hostname } = new URL(text);
  if (username !== '' || password !== '') return 'it must not hold a user name or a password';
  if (/[?#]/.test(text)) return 'it must have no ? and no #';
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isSafe ? undefined : 'it would send tokens unencrypted';
}

/** The API's base address; `name` is what the error calls it. Throws WrongInputError. */
export function parseApiAddress(text: string, name = 'API address'): URL {
  const fault = addressFault(text);
  if (fault === undefined) return new URL(text);
  const advice = 'Give one that begins with https:// (http:// only for this machine).';
  throw new WrongInputError(`${name}: ${fault}.`, { advice });
}

/** The address in normal form, without a slash at its end. */
export function addressText({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
