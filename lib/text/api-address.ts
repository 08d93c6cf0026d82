import { WrongInputError } from '../system/errors.ts';
import type { Localized } from './language.ts';
import { ADDRESS } from './phrases.ts';

/**
 * What is wrong with the API's base address, as the end of a sentence: it must be https, or http on this machine, and
 * nothing but a host and a path. Undefined if it is right. Never repeats the text, which may be a token in the wrong
 * place.
 */
export function addressFault(text: string): Localized | undefined {
  const fault = hostFault(text);
  if (fault !== undefined) return fault;
  if (/[?#]/.test(text)) return ADDRESS.hasQuery();
  return isEncrypted(text) ? undefined : ADDRESS.tokensUnencrypted();
}

function hostFault(text: string): Localized | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return ADDRESS.noScheme();
  if (!URL.canParse(text)) return ADDRESS.notAnAddress();
  const { username, password } = new URL(text);
  return username === '' && password === '' ? undefined : ADDRESS.hasCredentials();
}

function isEncrypted(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** An address that is told what a run found. It may have a query, as those of chats do. Throws WrongInputError. */
export function parseNoticeAddress(text: string, name: string): URL {
  const fault = hostFault(text) ?? (isEncrypted(text) ? undefined : ADDRESS.sentUnencrypted());
  if (fault === undefined) return new URL(text);
  throw faulty(name, fault);
}

function faulty(name: string, fault: Localized): WrongInputError {
  return new WrongInputError((language) => ADDRESS.faulty(name, fault(language))(language), {
    advice: ADDRESS.onlyHttps(),
  });
}

/** The API's base address; `name` is what the error calls it. Throws WrongInputError. */
export function parseApiAddress(text: string, name = 'API address'): URL {
  const fault = addressFault(text);
  if (fault === undefined) return new URL(text);
  throw faulty(name, fault);
}

/** The address in normal form, without a slash at its end. */
export function addressText({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
