import { describe, expect, it } from 'vitest';
import { API, NETWORK } from '../../lib/api/phrases.ts';
import { retold } from '../../lib/cli/phrases/retold.ts';
import { COMPANIES_FILE, LOGIN } from '../../lib/companies/phrases.ts';
import type { Localized } from '../../lib/text/language.ts';

type Phrase = (...values: never[]) => Localized;
const ROOMS: readonly Readonly<Record<string, Phrase>>[] = [API, NETWORK, LOGIN, COMPANIES_FILE];
const PHRASES = ROOMS.flatMap((room) => Object.entries(room));
const VALUES = ['7', '9'] as never[];

describe('a stored text', () => {
  it.each(PHRASES)('of the phrase %s is told in Spanish by it, with its values', (_name, phrase) => {
    const said = phrase(...VALUES);
    expect(retold(`lake: ${said('en')} (x)`, 'es')).toBe(`lake: ${said('es')} (x)`);
    expect(retold(said('en'), 'en')).toBe(said('en'));
  });

  it('is told as it is in a line that is longer than any phrase, and by its phrases in the others', () => {
    const long = `no answer from the API: ${' ('.repeat(100_000)}`;
    expect(retold(`${long}\n${API.noAnswer('x', 'y')('en')}`, 'es')).toBe(
      `${long}\n${API.noAnswer('x', 'y')('es')}`,
    );
  });

  it('has phrases within phrases, whatever else is in the line', () => {
    const refused = LOGIN.refused(400);
    const text = (language: 'en' | 'es') => API.noAnswer(refused(language), API.times(3)(language))(language);
    expect(retold(text('en'), 'es')).toBe(text('es'));
    const places = (language: 'en' | 'es') =>
      `a.json${COMPANIES_FILE.entry(4)(language)}, RUT 7: ${COMPANIES_FILE.sameRut(3)(language)}`;
    expect(retold(places('en'), 'es')).toBe(places('es'));
  });
});
