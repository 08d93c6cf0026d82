import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { NoTokenError } from '../api/access.ts';
import { Mutex } from '../system/concurrency.ts';
import { CfeLakeError, hasCode, messageOf } from '../system/errors.ts';
import {
  leftReplacements,
  NotReplacedError,
  type ReservedFile,
  reserveSecretFile,
  writeSecretFile,
} from '../system/private-files.ts';
import { type CompaniesFile, companiesIn, readCompaniesBytes, readCompaniesFile } from './company.ts';
import type { LoginPlace } from './log-in.ts';
import { isSentAlike, type Login, type Sent } from './login.ts';
import { Token } from './token.ts';

/** The login in a companies file for this API: a company's own, or that of all others. */
export function loginInFile(path: string, api: URL | undefined, rut?: string): LoginPlace {
  const place = rut ?? SHARED;
  let reserved: ReservedFile | undefined;
  /** The text with the token that is sent. */
  let before = '';
  let left: readonly string[] = [];
  return {
    async read() {
      try {
        const unclear = await CHANGES.runExclusive(() => takeUpLeft(path));
        const bytes = await readCompaniesBytes(path);
        const file = companiesIn(bytes, path);
        const login = file.api?.href === api?.href ? loginsOf(file).get(place) : undefined;
        if (login?.refreshToken !== undefined) before = bytes.toString();
        left = unclear.flatMap(({ sent, where }) => (sent === hashOf(login?.refreshToken) ? [where] : []));
        if (login === undefined) throw new NoTokenError(`${path} has no login for this API any more.`, AGAIN);
        return login;
      } catch (error) {
        throw error instanceof NoTokenError ? error : new NoTokenError(messageOf(error), AGAIN);
      }
    },
    left: () => left,
    async reserve(sent) {
      try {
        const made = await reserveSecretFile(path, noteOf(sent, place));
        reserved = made;
        return async () => {
          before = '';
          await made.release();
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
          const own = loginsOf(companiesIn(bytes, path)).get(place);
          const now = bytes.toString();
          if (withRefreshToken(now, sent, anew) === now) return false;
          // What is left beside the file has the next token in the place that its name tells.
          if (!isSentAlike(own, sent)) throw new CfeLakeError('the login was moved to another company');
          text = now;
        } catch (error) {
          // Moved away, or half saved: it may come back with the token that was sent.
          fault = error;
        }
        const replaced = withRefreshToken(text, sent, anew);
        if (replaced === text) return false;
        try {
          await reserved?.replace(
            Buffer.from(replaced),
            Buffer.from(loginAlone(before, place, sent, anew)),
            fault,
          );
        } catch (error) {
          // Another process may have found it before it was in its place.
          if ((await readFile(path, 'utf8').catch(() => '')) !== replaced)
            throw new NoTokenError(
              `the login gave a new refresh token, but ${messageOf(error)}`,
              error instanceof NotReplacedError && !error.isKept
                ? `Get a new refresh token, and write it as ${tokenOf(place)} into ${path}. ${AGAIN}`
                : // Other logins of the file may have newer ones than it had then.
                  `By hand: copy ${tokenOf(place)} from there into ${path}, and nothing else. ${AGAIN}`,
            );
        }
        return true;
      }),
  };
}

/** Several logins of one file may change it at once. */
const CHANGES = new Mutex();

/** A companies file with this login, as far as takeUpLeft needs it, in place of all that the other one has. */
function loginAlone(json: string, place: string, { tokenUrl }: Sent, anew: Token): string {
  const login = { tokenUrl, refreshToken: anew.reveal() };
  if (place !== SHARED) return JSON.stringify({ companies: [{ rut: place, login }] });
  const [company] = companiesIn(Buffer.from(json), '').companies;
  return JSON.stringify({ login, companies: [{ rut: company?.rut }] });
}

/** Names the token of a place; of one that is not known, too. */
function tokenOf(place: string): string {
  if (place === '') return 'a "refreshToken"';
  return `the "refreshToken" of ${place === SHARED ? '"login"' : `the login of RUT ${place}`}`;
}

/** Tells in a file's name which refresh token it has the next one of, and whose login has it there. */
function noteOf({ refreshToken }: Login, place: string): string {
  return `${hashOf(refreshToken)}_${place}`;
}

function hashOf(token: Token | undefined): string | undefined {
  return token && createHash('sha256').update(token.reveal()).digest('hex').slice(0, 32);
}

/** What was left, and what it follows. */
interface Unclear {
  sent: string | undefined;
  where: string;
}

/**
 * Finishes what an earlier start could not: takes the next refresh token that it left beside the file into the logins of
 * the same address that have the one before it. What follows a token that is no longer in the file is removed. Gives those
 * that nobody can tell the login of.
 */
async function takeUpLeft(path: string): Promise<Unclear[]> {
  const found = (await leftReplacements(path)).map(async ({ part, note }) => {
    const [sent, place = ''] = note.split('_');
    const logins = await loginsIn(part);
    return { part, sent, logins, next: logins?.get(place), where: `${tokenOf(place)} in ${part}` };
  });
  const left = await Promise.all(found);
  const unclear: Unclear[] = [];
  for (const { part, sent, logins, next, where } of left) {
    const bytes = await readCompaniesBytes(path);
    const before = [...loginsOf(companiesIn(bytes, path))].filter(
      ([, { refreshToken }]) => hashOf(refreshToken) === sent,
    );
    const [place, login] = before.find(([, { tokenUrl }]) => tokenUrl.href === next?.tokenUrl.href) ?? [];
    const isSecondName = [...(logins?.values() ?? [])].some((its) => isSentAlike(login, its));
    if (before.length === 0 || isSecondName) {
      await rm(part, { force: true });
      continue;
    }
    // A place that was made, and not used yet.
    if (logins === undefined) continue;
    const hasRival = left.some(
      (other) =>
        other.sent === sent &&
        other.next !== undefined &&
        hashOf(other.next.refreshToken) !== sent &&
        !isSentAlike(other.next, next),
    );
    if (place === undefined || login === undefined || next?.refreshToken === undefined || hasRival) {
      unclear.push({ sent, where });
      continue;
    }
    try {
      const text = withRefreshToken(bytes.toString(), login, next.refreshToken);
      await writeSecretFile(path, text, { note: noteOf(login, place) });
      await rm(part, { force: true });
    } catch (error) {
      throw new NoTokenError(
        `the newest refresh token is in ${part}, which could not be taken into ${path}: ${messageOf(error)}`,
        AGAIN,
      );
    }
  }
  return unclear;
}

/** The logins of a file that was left; none if it can't be read, undefined if it holds nothing or is gone. */
async function loginsIn(part: string): Promise<Logins | undefined> {
  try {
    return loginsOf(await readCompaniesFile(part));
  } catch {
    const text = await readFile(part, 'latin1').catch((error) => (hasCode(error, 'ENOENT') ? '' : 'unread'));
    return text.trim() === '' ? undefined : new Map();
  }
}

/** By the RUT of the company; that which companies share under SHARED. */
type Logins = ReadonlyMap<string, Login>;

const SHARED = 'login';

function loginsOf({ companies, login: shared }: CompaniesFile): Logins {
  return new Map(
    [{ rut: SHARED, login: shared }, ...companies].flatMap(({ rut, login }) =>
      login === undefined ? [] : [[rut, login] as const],
    ),
  );
}

const AGAIN = 'Then try again.';

/** The JSON text with another refresh token in each copy of the login, and nothing else changed. Names may have escapes. */
export function withRefreshToken(json: string, sent: Sent, anew: Token): string {
  return json.replace(STRING_OR_FLAT_OBJECT, (text) => {
    const login = v.safeParse(SentSchema, text);
    if (!login.success || !isSentAlike(login.output, sent)) return text;
    return text.replace(STRING_OR_MEMBER, (member, name: string, colon = '') =>
      JSON.parse(name) === 'refreshToken' ? name + colon + JSON.stringify(anew.reveal()) : member,
    );
  });
}

/** A login has texts alone. */
const STRING_OR_FLAT_OBJECT = /"(?:[^"\\]|\\.)*"|\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g;

/** Where a login's text says that its refresh token is sent, whatever else it has. */
export const SentSchema = v.pipe(
  v.string(),
  v.startsWith('{'),
  v.parseJson(),
  v.object({
    tokenUrl: v.pipe(
      v.string(),
      v.check((text) => URL.canParse(text)),
      v.transform((text) => new URL(text)),
    ),
    refreshToken: v.pipe(
      v.string(),
      v.transform((text) => new Token(text)),
    ),
  }),
);

/** Each string, with the one that is its value: nothing else in JSON has quotation marks. */
const STRING_OR_MEMBER = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)("(?:[^"\\]|\\.)*"))?/g;
