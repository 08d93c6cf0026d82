import { WrongInputError } from '../system/errors.ts';

/**
 * What is wrong with the API's base address, as the end of a sentence: it must be https, or http on this machine, and
 * nothing but a host and a path. Undefined if it is right. Never repeats the text, which may be a token in the wrong
 * place.
 */
export function addressFault(text: string): string | undefined {
  const fault = hostFault(text);
  if (fault !== undefined) return fault;
  if (/[?#]/.test(text)) return 'it must have no ? and no #';
  return isEncrypted(text) ? undefined : 'it would send tokens unencrypted';
}

function hostFault(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return 'it has no https:// before it';
  if (!URL.canParse(text)) return 'it is not an address';
  const { username, password } = new URL(text);
  return username === '' && password === '' ? undefined : 'it must not hold a user name or a password';
}

function isEncrypted(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** An address that is told what a run found. It may have a query, as those of chats do. Throws WrongInputError. */
export function parseNoticeAddress(text: string, name: string): URL {
  const fault = hostFault(text) ?? (isEncrypted(text) ? undefined : 'it would be sent unencrypted');
  if (fault === undefined) return new URL(text);
  throw new WrongInputError(`${name}: ${fault}.`, { advice: ONLY_HTTPS });
}

const ONLY_HTTPS = 'Give one that begins with https:// (http:// only for this machine).';

/** The API's base address; `name` is what the error calls it. Throws WrongInputError. */
export function parseApiAddress(text: string, name = 'API address'): URL {
  const fault = addressFault(text);
  if (fault === undefined) return new URL(text);
  throw new WrongInputError(`${name}: ${fault}.`, { advice: ONLY_HTTPS });
}

/** The address in normal form, without a slash at its end. */
export function addressText({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
