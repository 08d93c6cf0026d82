import { inBoth } from './language.ts';

/** What is wrong with an address, or with a file of text, as the end of a sentence. */
const en = {
  noScheme: () => 'it has no https:// before it',
  notAnAddress: () => 'it is not an address',
  hasCredentials: () => 'it must not hold a user name or a password',
  hasQuery: () => 'it must have no ? and no #',
  tokensUnencrypted: () => 'it would send tokens unencrypted',
  sentUnencrypted: () => 'it would be sent unencrypted',
  onlyHttps: () => 'Give one that begins with https:// (http:// only for this machine).',
  faulty: (name: string, fault: string) => `${name}: ${fault}.`,
};
const es: typeof en = {
  noScheme: () => 'le falta https:// adelante',
  notAnAddress: () => 'no es una dirección',
  hasCredentials: () => 'no puede llevar un usuario ni una contraseña',
  hasQuery: () => 'no puede llevar ? ni #',
  tokensUnencrypted: () => 'mandaría los tokens sin cifrar',
  sentUnencrypted: () => 'se mandaría sin cifrar',
  onlyHttps: () => 'Dé una que empiece con https:// (http:// solo para esta máquina).',
  faulty: (name, fault) => `${name}: ${fault}.`,
};

export const ADDRESS = inBoth(en, es);
