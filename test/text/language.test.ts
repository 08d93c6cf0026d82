import { expect, it } from 'vitest';
import { languageOf } from '../../lib/text/language.ts';

it.each([
  [{ LANG: 'es_UY.UTF-8' }, 'es'],
  [{ LANG: 'es' }, 'es'],
  [{ LANG: 'en_US.UTF-8', LC_MESSAGES: 'es_ES' }, 'es'],
  [{ LANG: 'es_UY.UTF-8', LC_ALL: 'C' }, 'en'],
  // Empty counts as unset, as POSIX has it.
  [{ LANG: 'es_UY.UTF-8', LC_ALL: '', LC_MESSAGES: '' }, 'es'],
  [{ LANG: 'est_EE' }, 'en'],
  [{}, 'en'],
])('the language of %j is %s', (environment, language) => {
  expect(languageOf(environment, 'linux')).toBe(language);
});
