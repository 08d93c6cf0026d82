import { readFile } from 'node:fs/promises';
import { NoTokenError } from '../api/access.ts';
import { messageOf } from '../system/errors.ts';
import { assertReplaceable, writeSecretFile } from '../system/private-files.ts';
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
  return {
    async read() {
      try {
        const login = find(await readCompaniesFile(path));
        if (login === undefined) throw new NoTokenError(`${path} has no login for this API any more.`, AGAIN);
        // A refresh token may be void once it was sent, so the place of the next one is looked at before.
        if (login.refreshToken !== undefined) await assertReplaceable(path);
        return login;
      } catch (error) {
        throw error instanceof NoTokenError ? error : new NoTokenError(messageOf(error), AGAIN);
      }
    },
    async keep(sent, anew) {
      try {
        // Byte for byte, whatever its encoding: tokens are ASCII.
        const text = await readFile(path, 'latin1');
        const replaced = withRefreshToken(text, sent, anew);
        if (replaced === text) return false;
        await writeSecretFile(path, Buffer.from(replaced, 'latin1'));
        return true;
      } catch (error) {
        throw new NoTokenError(
          `the login gave a new refresh token, which could not be stored: ${messageOf(error)}`,
          `The one in ${path} may be void: correct that, and write a new one into it.`,
        );
      }
    },
  };
}

const AGAIN = 'Correct that, then try again.';

/** The JSON text with the one refresh token in place of the other, and nothing else changed. */
export function withRefreshToken(json: string, sent: Token, anew: Token): string {
  return json.replace(/("refreshToken"\s*:\s*)("(?:[^"\\]|\\.)*")/g, (member, name: string, value: string) =>
    JSON.parse(value) === sent.reveal() ? name + JSON.stringify(anew.reveal()) : member,
  );
}
