import * as v from 'valibot';
import { TokenTextSchema } from '../companies/token.ts';
import { WrongInputError } from '../system/errors.ts';
import { parseApiAddress } from '../text/api-address.ts';
import type { Language } from '../text/language.ts';
import { plural } from '../text/terminal.ts';
import { isValidRut, type Rut, rutProblem, showableRut } from '../units/rut.ts';
import type { Terminal } from './command.ts';
import { fewOf } from './options/connection.ts';
import { SAY } from './phrases/program.ts';

/** What is asked for each way to log in, under the names of a companies file (docs/tokens.md). */
const WAYS = {
  user: { username: 'User name', password: 'Password' },
  refresh: { refreshToken: 'Refresh token' },
  client: { clientId: 'Client id', clientSecret: 'Client secret' },
};
const SHOWN: ReadonlySet<string> = new Set(['username', 'clientId']);
const WAY_NAMES = ['user', 'refresh', 'client', 'tokens'] as const;

export type Ask = NonNullable<Terminal['ask']>;

/** The login with the secret that is asked for again; undefined after Enter, and where it has none that is written in it. */
export async function askForSecret(
  login: Readonly<Record<string, unknown>>,
  ask: Ask,
  language: Language,
): Promise<object | undefined> {
  const questions = Object.values(WAYS).flatMap((way) => Object.entries(way));
  const [name, question] = questions.find(([each]) => !SHOWN.has(each) && login[each] !== undefined) ?? [];
  if (name === undefined || question === undefined) return undefined;
  const typed = await ask(SAY.secretAgain(question)(language), true);
  return typed === '' ? undefined : { ...login, [name]: typed };
}

/** Asks for all that a companies file holds: the API, a login or tokens, and the RUTs. */
export async function askForCompanies(ask: Ask, stderr: Terminal['stderr']): Promise<object> {
  /** Asks until the answer can be read. */
  async function until<T>(question: string, read: (text: string) => T, isHidden = false): Promise<T> {
    for (;;) {
      try {
        return read(await ask(`${question}${isHidden ? ' (not shown)' : ''}: `, isHidden));
      } catch (error) {
        // The input's end is told by another error.
        if (!(error instanceof WrongInputError)) throw error;
        stderr.writeProse(`${error.message}\n`);
      }
    }
  }

  const address = (text: string) => parseApiAddress(text.trim(), 'This address').href;
  const api = await until('Address of the API (https://…)', address);
  const way = await until(
    'How do you log in: user, refresh, client or tokens? (Enter: user)',
    oneOfThese(WAY_NAMES),
  );
  const login: Record<string, string> = {};
  if (way !== 'tokens') {
    login.tokenUrl = await until('Address of the login (https://…)', address);
    for (const [name, question] of Object.entries(WAYS[way]))
      login[name] = await until(question, notEmpty, !SHOWN.has(name));
    login.body = await until('Does the login take json or form? (Enter: json)', oneOfThese(['json', 'form']));
  }
  const ruts = await askForRuts(ask, stderr);
  if (way !== 'tokens') return { api, login, companies: ruts.map((rut) => ({ rut })) };
  const companies: { rut: Rut; token: string }[] = [];
  for (const rut of ruts) {
    const last = companies.at(-1)?.token;
    const question = `Token of ${rut}${last === undefined ? '' : ' (Enter: the same as before)'}`;
    companies.push({ rut, token: await until(question, (text) => tokenIn(text.trim() || last), true) });
  }
  return { api, companies };
}

/** One of few words, or its beginning; the first of them for an empty answer. */
function oneOfThese<const Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const found = choices.find((choice) => choice.startsWith(text.trim().toLowerCase()));
    if (found === undefined) throw new WrongInputError(`Answer one of these: ${choices.join(', ')}.`);
    return found;
  };
}

/** As it was typed: a password may begin or end with a space. */
function notEmpty(text: string): string {
  if (text === '') throw new WrongInputError('The answer is empty.');
  return text;
}

function tokenIn(text = ''): string {
  const { success, output, issues } = v.safeParse(TokenTextSchema, text);
  if (success) return output;
  throw new WrongInputError(`${issues[0].message}.`);
}

/** Asks for lines of RUTs until a person says that they are all: a pasted list may have empty lines. */
async function askForRuts(ask: Ask, stderr: Terminal['stderr']): Promise<Rut[]> {
  stderr.writeProse('The RUTs of your companies: type or paste them, then press Enter.\n');
  const known = new Set<Rut>();
  for (let isEnding = false; ; ) {
    const line = await ask(isEnding ? 'Is that all? (y, or more RUTs): ' : `RUT ${known.size + 1}: `);
    const { ruts, problems } = rutsIn(line);
    for (const rut of ruts) known.add(rut);
    for (const problem of problems) stderr.writeProse(`Left out: ${problem}\n`);
    if (isEnding && /^(?:y|yes|s|si|sí)$/i.test(line.trim())) return [...known];
    isEnding = line.trim() === '' && known.size > 0;
    if (isEnding) stderr.writeProse(`${plural(known.size, 'company', 'companies')}: ${fewOf([...known])}\n`);
  }
}

/**
 * The RUTs in a line of a list, apart by commas, semicolons or blanks, each with points, dashes or blanks in it. Words
 * without a digit, such as names beside them, are left out. A problem repeats digits alone.
 */
export function rutsIn(line: string): { ruts: Rut[]; problems: string[] } {
  const words = line.split(/[,;\t\n]/).flatMap((field) => {
    const whole = field.replaceAll(/[\s.-]/g, '');
    if (isValidRut(whole)) return [whole];
    return field.split(/\s+/).flatMap((word) => (/\d/.test(word) ? [word.replaceAll(/[.-]/g, '')] : []));
  });
  const wrong = words.filter((word) => !isValidRut(word));
  const problems = wrong.map(
    (word) => `${showableRut(word) ?? 'a word'} is not a RUT: ${rutProblem(word)?.('en')}.`,
  );
  return { ruts: words.filter(isValidRut), problems };
}
