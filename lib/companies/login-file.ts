import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { NoTokenError } from '../api/access.ts';
import { Mutex } from '../system/concurrency.ts';
import { messageOf } from '../system/errors.ts';
import {
  leftReplacements,
  type ReservedFile,
  reserveSecretFile,
  writeSecretFile,
} from '../system/private-files.ts';
import { type CompaniesFile, companiesIn, readCompaniesBytes, readCompaniesFile } from './company.ts';
import type { Login } from './login.ts';
import type { LoginPlace } from './login-tokens.ts';
import type { Token } from './token.ts';

/** The login in a companies file for this API: a company's own, or that of all others. */
export function loginInFile(path: string, api: URL | undefined, rut?: string): LoginPlace {
  const find = ({ companies, login, api: now }: CompaniesFile): Login | undefined => {
    if (now?.href !== api?.href) return undefined;
    return rut === undefined ? login : companies.find((company) => company.rut === rut)?.login;
  };
  let reserved: ReservedFile | undefined;
  /** The text with the token that is sent, byte for byte, whatever its encoding: tokens are ASCII. */
  let before = '';
  let left: readonly string[] = [];
  return {
    async read() {
      try {
        left = await CHANGES.runExclusive(() => takeUpLeft(path));
        const bytes = await readCompaniesBytes(path);
        const login = find(companiesIn(bytes, path));
        if (login?.refreshToken !== undefined) before = bytes.toString('latin1');
        if (login === undefined) throw new NoTokenError(`${path} has no login for this API any more.`, AGAIN);
        return login;
      } catch (error) {
        throw error instanceof NoTokenError ? error : new NoTokenError(messageOf(error), AGAIN);
      }
    },
    left: () => left,
    async reserve(sent) {
      try {
        const place = await reserveSecretFile(path, noteOf(sent));
        reserved = place;
        return async () => {
          before = '';
          await place.release();
        };
      } catch (error) {
        throw new NoTokenError(
          `no refresh token was sent, because the next one could not be stored: ${messageOf(error)}`,
          AGAIN,
        );
      }
    },
    keep: (sent, anew) =>
      CHANGES.runExclusive(async () => {
        let text = before;
        let fault: unknown;
        try {
          const bytes = await readCompaniesBytes(path);
          companiesIn(bytes, path);
          text = bytes.toString('latin1');
        } catch (error) {
          // Moved away, or half saved: it may come back with the token that was sent.
          fault = error;
        }
        const replaced = withRefreshToken(text, sent, anew);
        if (replaced === text) return false;
        try {
          await reserved?.replace(Buffer.from(replaced, 'latin1'), fault);
        } catch (error) {
          // Another process may have found it before it was in its place.
          if ((await readFile(path, 'latin1').catch(() => '')) !== replaced)
            throw new NoTokenError(`the login gave a new refresh token, but ${messageOf(error)}`, AGAIN);
        }
        return true;
      }),
  };
}

/** Several logins of one file may change it at once. */
const CHANGES = new Mutex();

/** Tells in a file's name which refresh token it has the next one of. */
function noteOf(sent: Token): string {
  return createHash('sha256').update(sent.reveal()).digest('hex').slice(0, 32);
}

/**
 * Finishes what an earlier start could not: takes the next refresh token that it left beside the file into what the file
 * holds now. What follows a token that is no longer in the file is removed. Gives those that it can't read.
 */
async function takeUpLeft(path: string): Promise<string[]> {
  const unread: string[] = [];
  for (const { part, note } of await leftReplacements(path)) {
    const bytes = await readCompaniesBytes(path);
    const [rut, sent] =
      [...refreshTokensOf(companiesIn(bytes, path))].find(([, token]) => noteOf(token) === note) ?? [];
    const anew = refreshTokensOf(await readCompaniesFile(part).catch(() => NO_COMPANIES)).get(rut);
    // A second name of the file has the token itself.
    if (sent === undefined || anew?.reveal() === sent.reveal()) {
      await rm(part, { force: true });
      continue;
    }
    if (anew === undefined) {
      // A place that was made, and not used yet.
      const isEmpty = await readFile(part, 'latin1').then(
        (text) => text.trim() === '',
        () => false,
      );
      if (!isEmpty) unread.push(part);
      continue;
    }
    try {
      const text = withRefreshToken(bytes.toString('latin1'), sent, anew);
      await writeSecretFile(path, Buffer.from(text, 'latin1'), { note });
      await rm(part, { force: true });
    } catch (error) {
      throw new NoTokenError(
        `the newest refresh token is in ${part}, which could not be taken into ${path}: ${messageOf(error)}`,
        AGAIN,
      );
    }
  }
  return unread;
}

/** The file's refresh tokens by the RUT of the company; that of the login which companies share under undefined. */
function refreshTokensOf({
  companies,
  login,
}: Pick<CompaniesFile, 'companies' | 'login'>): ReadonlyMap<string | undefined, Token> {
  return new Map(
    [{ rut: undefined, login }, ...companies].flatMap(({ rut, login: { refreshToken } = {} }) =>
      refreshToken === undefined ? [] : [[rut, refreshToken] as const],
    ),
  );
}

/** A place that was made and not used holds nothing. */
const NO_COMPANIES = { companies: [], login: undefined };

const AGAIN = 'Then try again.';

/** The JSON text with the one refresh token in place of the other, and nothing else changed. Names may have escapes. */
export function withRefreshToken(json: string, sent: Token, anew: Token): string {
  return json.replace(STRING_OR_MEMBER, (text, name: string, colon = '', value = 'null') =>
    JSON.parse(name) === 'refreshToken' && JSON.parse(value) === sent.reveal()
      ? name + colon + JSON.stringify(anew.reveal())
      : text,
  );
}

/** Each string, with the one that is its value: nothing else in JSON has quotation marks. */
const STRING_OR_MEMBER = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)("(?:[^"\\]|\\.)*"))?/g;
