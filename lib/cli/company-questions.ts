import * as v from 'valibot';
import { TokenTextSchema } from '../companies/token.ts';
import { WrongInputError } from '../system/errors.ts';
import { parseApiAddress } from '../text/api-address.ts';
import type { Language } from '../text/language.ts';
import { isValidRut, type Rut, rutProblem, showableRut } from '../units/rut.ts';
import type { Terminal } from './command.ts';
import { fewOf } from './options/connection.ts';
import { INIT, SAY as QUESTION } from './phrases/init.ts';
import { SAY } from './phrases/program.ts';

/** What is asked for each way to log in, under the names of a companies file (docs/tokens.md). */
const WAYS = {
  user: ['username', 'password'],
  refresh: ['refreshToken'],
  client: ['clientId', 'clientSecret'],
} as const;
const SHOWN: ReadonlySet<string> = new Set(['username', 'clientId']);
const WAY_NAMES = ['user', 'refresh', 'client', 'tokens'] as const;

export type Ask = NonNullable<Terminal['ask']>;

/**
 * The secret of a login, of this company alone or of all, that is asked for again; undefined after Enter, and where none
 * is written in it.
 */
export async function askForSecret(
  login: Readonly<Record<string, unknown>>,
  rut: string | undefined,
  ask: Ask,
  language: Language,
): Promise<{ name: string; value: string } | undefined> {
  const name = Object.values(WAYS)
    .flat()
    .find((secret) => !SHOWN.has(secret) && login[secret] !== undefined);
  if (name === undefined) return undefined;
  const value = await ask(SAY.secretAgain(rut, INIT[language][name]())(language), true);
  return value === '' ? undefined : { name, value };
}

/** Asks for all that a companies file holds: the API, a login or tokens, and the RUTs. */
export async function askForCompanies(ask: Ask, stderr: Terminal['stderr']): Promise<object> {
  const say = INIT[stderr.language];
  /** Asks until the answer can be read. */
  async function until<T>(question: string, read: (text: string) => T, isHidden = false): Promise<T> {
    for (;;) {
      try {
        return read(await ask(say.asks(question, isHidden), isHidden));
      } catch (error) {
        // The input's end is told by another error.
        if (!(error instanceof WrongInputError)) throw error;
        stderr.say(error.said);
      }
    }
  }

  const address = (text: string) => parseApiAddress(text.trim(), say.thisAddress()).href;
  const api = await until(say.api(), address);
  const named = say.wayNames().split(', ');
  const way = WAY_NAMES[named.indexOf(await until(say.way(), oneOfThese(named)))] ?? 'user';
  const login: Record<string, string> = {};
  if (way !== 'tokens') {
    login.tokenUrl = await until(say.tokenUrl(), address);
    for (const name of WAYS[way]) login[name] = await until(say[name](), notEmpty, !SHOWN.has(name));
    login.body = await until(say.body(), oneOfThese(['json', 'form']));
  }
  const ruts = await askForRuts(ask, stderr);
  if (way !== 'tokens') return { api, login, companies: ruts.map((rut) => ({ rut })) };
  const companies: { rut: Rut; token: string }[] = [];
  for (const rut of ruts) {
    const last = companies.at(-1)?.token;
    companies.push({
      rut,
      token: await until(say.token(rut, last !== undefined), (text) => tokenIn(text.trim() || last), true),
    });
  }
  return { api, companies };
}

/** One of few words, or its beginning; the first of them for an empty answer. */
function oneOfThese(choices: readonly string[]): (text: string) => string {
  return (text) => {
    const found = choices.find((choice) => choice.startsWith(text.trim().toLowerCase()));
    if (found === undefined) throw new WrongInputError(QUESTION.oneOf(choices.join(', ')));
    return found;
  };
}

/** Keeps the text as it was typed: a password may begin or end with a space. */
function notEmpty(text: string): string {
  if (text === '') throw new WrongInputError(QUESTION.empty());
  return text;
}

function tokenIn(text = ''): string {
  const { success, output, issues } = v.safeParse(TokenTextSchema, text);
  if (success) return output;
  throw new WrongInputError(`${issues[0].message}.`);
}

/** Asks for lines of RUTs until a person says that they are all: a pasted list may have empty lines. */
async function askForRuts(ask: Ask, stderr: Terminal['stderr']): Promise<Rut[]> {
  const say = INIT[stderr.language];
  stderr.say(QUESTION.ruts());
  const known = new Set<Rut>();
  for (let isEnding = false; ; ) {
    const line = await ask(isEnding ? say.isAll() : say.rut(known.size + 1));
    const { ruts, problems } = rutsIn(line, stderr.language);
    for (const rut of ruts) known.add(rut);
    for (const problem of problems) stderr.say(QUESTION.leftOut(problem));
    if (isEnding && /^(?:y|yes|s|si|sí)$/i.test(line.trim())) return [...known];
    isEnding = line.trim() === '' && known.size > 0;
    if (isEnding) stderr.say(QUESTION.companies(known.size, fewOf([...known])));
  }
}

/**
 * The RUTs in a line of a list, apart by commas, semicolons or blanks, each with points, dashes or blanks in it. Words
 * without a digit, such as names beside them, are left out. A problem repeats digits alone.
 */
export function rutsIn(line: string, language: Language = 'en'): { ruts: Rut[]; problems: string[] } {
  const say = INIT[language];
  const words = line.split(/[,;\t\n]/).flatMap((field) => {
    const whole = field.replaceAll(/[\s.-]/g, '');
    if (isValidRut(whole)) return [whole];
    return field.split(/\s+/).flatMap((word) => (/\d/.test(word) ? [word.replaceAll(/[.-]/g, '')] : []));
  });
  const wrong = words.filter((word) => !isValidRut(word));
  const problems = wrong.map((word) =>
    say.notARut(showableRut(word) ?? say.aWord(), rutProblem(word)?.(language) ?? ''),
  );
  return { ruts: words.filter(isValidRut), problems };
}
