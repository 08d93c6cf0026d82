import { NoTokenError } from '../api/access.ts';
import { uninterrupted } from '../system/under-way.ts';
import type { Clock } from '../time/clock.ts';
import {
  askToken,
  type Grant,
  grantsOf,
  type IssuedToken,
  LoginRefusedError,
  UnusableAnswerError,
} from './ask-token.ts';
import type { Login } from './login.ts';
import { isRefusal, Refusals } from './refusals.ts';
import { Throttle } from './throttle.ts';
import type { Token } from './token.ts';

/** Where a login is written. */
export interface LoginPlace {
  /** The login as it is now. Throws NoTokenError. */
  read(): Promise<Login>;
  /**
   * Makes the place of the next refresh token, before the one that is written is sent. Throws NoTokenError if there is none.
   * Call what it gives in the end.
   */
  reserve?(sent: Login): Promise<() => Promise<void>>;
  /**
   * Writes the refresh token that came anew in place of the one that was sent, in each copy of its login; false if that is
   * no longer there, or beside it something else is written now: the login is then read and asked anew. Throws NoTokenError
   * if it can't be written.
   */
  keep(sent: Login, anew: Token): Promise<boolean>;
  /** What may be the next refresh token, which an earlier start could not keep, as far as the last `read` could not take it. */
  left?(): readonly string[];
}

/** Another process, or a person, may change the login while it is used. */
const MOST_ROUNDS = 3;

/** What is asked for. */
interface Asked {
  /** That of the login where it is absent. */
  scope?: string | undefined;
  /** Of an earlier answer, for a login that is written without one, and is still the one that it came of. */
  held?: { refreshToken: Token | undefined; from: Login } | undefined;
  /** Gets each refresh token before it is sent, or once it came. */
  onRefreshToken?(token: Token): void;
  refusals?: Refusals;
  throttle?: Throttle;
  /** Called before each asking, for which others may have been waited for. */
  assertMayBeAsked?(): void;
  /** Ends the waits between askings. */
  signal?: AbortSignal | undefined;
}

/**
 * Logs in, in the first way that is not refused. A refresh token that comes anew is kept before the access token is
 * given. Throws NoTokenError.
 */
export function logIn(
  place: LoginPlace,
  clock: Clock,
  asked: Asked,
): Promise<IssuedToken & { grants: readonly Grant[]; from: Login }> {
  return uninterrupted(() => loggedIn(place, clock, asked));
}

async function loggedIn(
  place: LoginPlace,
  clock: Clock,
  {
    scope,
    held,
    onRefreshToken,
    refusals = new Refusals(),
    throttle = new Throttle(clock),
    assertMayBeAsked,
    signal,
  }: Asked,
): ReturnType<typeof logIn> {
  for (let round = 1; ; round += 1) {
    const login = await place.read();
    const { refreshToken: written } = login;
    const sent =
      written ?? (held !== undefined && isOfSameUser(held.from, login) ? held.refreshToken : undefined);
    const grants = await grantsOf(login, sent);
    const release = written === undefined ? undefined : await place.reserve?.(login);
    const isSame = (token: Token | undefined) => token?.reveal() === written?.reveal();
    if (sent !== undefined) onRefreshToken?.(sent);
    try {
      const ask = async (grant: Grant) => {
        assertMayBeAsked?.();
        return await askToken(login, grant, scope ?? login.scope, clock);
      };
      const asked = await askInTurn(login, grants, refusals, (grant) =>
        throttle.ask(() => ask(grant), signal),
      ).catch(async (error: unknown) => {
        const anew = error instanceof UnusableAnswerError ? error.refreshToken : undefined;
        if (anew !== undefined) onRefreshToken?.(anew);
        if (written !== undefined && anew !== undefined && !isSame(anew)) await place.keep(login, anew);
        throw error;
      });
      if (!(asked instanceof NoTokenError)) {
        const { refreshToken: anew } = asked;
        if (anew !== undefined) onRefreshToken?.(anew);
        if (written === undefined || anew === undefined || isSame(anew) || (await place.keep(login, anew)))
          return { ...asked, grants, from: login };
      } else {
        const now = await place.read();
        if (isSame(now.refreshToken) && sentText(now, await grantsOf(now, sent)) === sentText(login, grants))
          throw asked instanceof LoginRefusedError ? refusal(asked, place.left?.()) : asked;
      }
    } finally {
      await release?.();
    }
    if (round === MOST_ROUNDS)
      throw new NoTokenError(
        'the login is changed by others all the time.',
        'Let one program use it at a time.',
      );
  }
}

/** All that is sent, but for whom it asks. */
function sentText({ tokenUrl, body, scope }: Login, grants: readonly Grant[]): string {
  const secrets = grants.map((grant) => Object.values(grant.secrets).map((secret) => secret.reveal()));
  return JSON.stringify([tokenUrl.href, body, scope, secrets]);
}

export function isOfSameUser(one: Login, other: Login): boolean {
  const secretsOf = ({ username, password, clientId, clientSecret }: Login) =>
    [username, password, clientId, clientSecret].map((secret) => secret?.reveal());
  const partsOf = (login: Login) => [login.tokenUrl.href, login.passwordFrom, ...secretsOf(login)];
  return JSON.stringify(partsOf(one)) === JSON.stringify(partsOf(other));
}

function refusal(refused: LoginRefusedError, left: readonly string[] = []): LoginRefusedError {
  if (left.length === 0) return refused;
  return new LoginRefusedError(
    refused.refused,
    refused.whatHappened,
    `Its newest refresh token may be ${left.join(', or ')}, which could not be taken up: write it over the old one, and nothing else from there.`,
  );
}

async function askInTurn(
  login: Login,
  grants: readonly Grant[],
  refusals: Refusals,
  ask: (grant: Grant) => Promise<IssuedToken>,
): Promise<IssuedToken | NoTokenError> {
  let refusal: NoTokenError | undefined;
  for (const grant of grants) {
    try {
      return await refusals.askUnlessRefused(login, grant, ask);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Whatever it is asked with, the company is none of this user.
      if (error instanceof LoginRefusedError && error.refused === 'scope') return error;
      refusal = error;
    }
  }
  if (refusal !== undefined) return refusal;
  return new LoginRefusedError(
    'login',
    'the login has nothing to log in with.',
    'Add a user and a password.',
  );
}
