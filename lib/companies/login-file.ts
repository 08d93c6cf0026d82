import { readFile, rename } from 'node:fs/promises';
import { NoTokenError } from '../api/access.ts';
import { Mutex } from '../system/concurrency.ts';
import { messageOf, systemFaultOf } from '../system/errors.ts';
import { leftReplacements, type ReservedFile, reserveSecretFile } from '../system/private-files.ts';
import { shellWord } from '../text/terminal.ts';
import { type CompaniesFile, readCompaniesFile } from './company.ts';
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
  return {
    async read() {
      try {
        await CHANGES.runExclusive(() => takeUpLeft(path));
        const login = find(await readCompaniesFile(path));
        if (login === undefined) throw new NoTokenError(`${path} has no login for this API any more.`, AGAIN);
        return login;
      } catch (error) {
        throw error instanceof NoTokenError ? error : new NoTokenError(messageOf(error), AGAIN);
      }
    },
    async reserve() {
      try {
        reserved = await reserveSecretFile(path);
        return reserved.release;
      } catch (error) {
        throw new NoTokenError(
          `no refresh token was sent, because the next one could not be stored: ${messageOf(error)}`,
          AGAIN,
        );
      }
    },
    keep: (sent, anew) =>
      CHANGES.runExclusive(async () => {
        // Byte for byte, whatever its encoding: tokens are ASCII.
        const text = await readFile(path, 'latin1');
        const replaced = withRefreshToken(text, sent, anew);
        if (replaced === text) return false;
        try {
          await reserved?.replace(Buffer.from(replaced, 'latin1'));
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

/** Finishes what an earlier start could not: a newer file with a login, which is to take this one's place. */
async function takeUpLeft(path: string): Promise<void> {
  for (const left of await leftReplacements(path)) {
    const { login, companies } = await readCompaniesFile(left).catch(() => NO_COMPANIES);
    if (login === undefined && companies.every((company) => company.login === undefined)) continue;
    await rename(left, path).catch((error: unknown) => {
      throw new NoTokenError(
        `the newest refresh token is in ${left}, which could not take the place of ${path}: ${systemFaultOf(error)?.reason ?? messageOf(error)}.`,
        `Run: mv ${shellWord(left)} ${shellWord(path)}`,
      );
    });
    return;
  }
}

/** A place that was made and not used holds nothing. */
const NO_COMPANIES = { companies: [], login: undefined };

const AGAIN = 'Then try again.';

/** The JSON text with the one refresh token in place of the other, and nothing else changed. */
export function withRefreshToken(json: string, sent: Token, anew: Token): string {
  return json.replace(/("refreshToken"\s*:\s*)("(?:[^"\\]|\\.)*")/g, (member, name: string, value: string) =>
    JSON.parse(value) === sent.reveal() ? name + JSON.stringify(anew.reveal()) : member,
  );
}
