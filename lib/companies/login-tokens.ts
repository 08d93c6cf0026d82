import { NoTokenError, type TokenSource } from '../api/access.ts';
import type { Secret } from '../api/body.ts';
import { Mutex } from '../system/concurrency.ts';
import { uninterrupted } from '../system/under-way.ts';
import type { Clock } from '../time/clock.ts';
import {
  askToken,
  type Grant,
  grantsOf,
  type IssuedToken,
  LoginRefusedError,
  secretsOf,
  UnusableAnswerError,
} from './ask-token.ts';
import { EACH_RUT, type Login } from './login.ts';
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

function isOfSameUser(one: Login, other: Login): boolean {
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

const LEAST_REST_MS = 60_000;

/** How long before its end a token is renewed: a tenth of its life, at least a minute, and never more than half. */
function restMs({ lifeMs }: IssuedToken): number {
  return Math.min(Math.max(lifeMs / 10, LEAST_REST_MS), lifeMs / 2);
}

/** However soon a token ends or is refused, a login is asked once in so long, and less often while that goes on. */
const LEAST_PAUSE_MS = 60_000;
const MOST_PAUSE_MS = 10 * LEAST_PAUSE_MS;

interface Held {
  issued?: Awaited<ReturnType<typeof logIn>>;
  before?: Held['issued'];
  pending?: Promise<Token> | undefined;
  failure?: unknown;
  /** The moment before which the login is not asked. */
  pausedUntilMs: number;
  pauseMs: number;
}

/** The same failure, of which is told that nothing was asked. */
function pauseAfter(failure: unknown, leftMs: number): unknown {
  if (!(failure instanceof NoTokenError) || failure.retry === undefined) return failure;
  const { whatHappened, advice, retry } = failure;
  return new NoTokenError(whatHappened, advice, { ...retry, isPause: true, retryAfterMs: leftMs });
}

/** What was refused in this process is not sent again, for whichever company: a wrong password locks nobody out. */
class Refusals {
  /** All by what is sent. */
  readonly #turns = new Map<string, Mutex>();
  readonly #refused = new Map<string, NoTokenError>();
  readonly #refusalCounts = new Map<string, number>();
  readonly #hasGiven = new Set<string>();

  /** One at a time: the one before may be refused. */
  askUnlessRefused(
    { tokenUrl, body, scope }: Login,
    grant: Grant,
    ask: (grant: Grant) => Promise<IssuedToken>,
  ): Promise<IssuedToken> {
    const sent = (tokens: readonly Token[]) =>
      JSON.stringify([tokenUrl.href, body, ...tokens.map((token) => token.reveal())]);
    const key = sent(Object.values(grant.secrets));
    const turn = this.#turns.get(key) ?? new Mutex();
    this.#turns.set(key, turn);
    return turn.runExclusive(async () => {
      const before = this.#refused.get(key);
      if (before !== undefined) throw before;
      try {
        // Who waited begins nothing once the program is told to end.
        const issued = await uninterrupted(() => ask(grant));
        this.#hasGiven.add(key);
        if (issued.refreshToken !== undefined) this.#hasGiven.add(sent([issued.refreshToken]));
        return issued;
      } catch (error) {
        if (isRefusal(error)) {
          const refusalCount = this.#refusalCounts.get(key) ?? 0;
          const before = { hasGiven: this.#hasGiven.has(key), refusalCount };
          if (isRefusedToAll(error, { ...before, isOfEachRut: scope === EACH_RUT }))
            this.#refused.set(key, error);
          this.#refusalCounts.set(key, refusalCount + 1);
        }
        throw error;
      }
    });
  }
}

/**
 * Whether asking again can't help: a wrong password may be answered with a redirect, or any status. One that gave the next
 * refresh token was answered.
 */
export function isRefusal(error: unknown): error is NoTokenError {
  const hasGiven = error instanceof UnusableAnswerError && error.refreshToken !== undefined;
  return error instanceof NoTokenError && error.retry === undefined && !hasGiven;
}

/** What such an answer to a wrong password may be, and what passes by as well, as while a login is deployed. */
const MOST_OTHER_ANSWERS = 5;

/**
 * One company may be refused alone. A refusal that does not say why is of its company once another has a token, and if it is
 * the first of a login that is asked for each: it is the second company then that tells. Of answers that are no refusal in
 * words, it is the fifth.
 */
function isRefusedToAll(
  error: NoTokenError,
  { isOfEachRut, hasGiven, refusalCount }: { isOfEachRut: boolean; hasGiven: boolean; refusalCount: number },
): boolean {
  if (!(error instanceof LoginRefusedError)) return !hasGiven && refusalCount + 1 >= MOST_OTHER_ANSWERS;
  if (error.refused !== undefined) return error.refused === 'login';
  return !hasGiven && (refusalCount > 0 || !isOfEachRut);
}

/** As long as a company that does not answer is waited for. */
const LONGEST_OUTAGE_MS = 20 * 60_000;

/** An address that has failed for so long is asked once in ten minutes, and once by each login that gave its last token. */
class Outage {
  #failure: unknown;
  #sinceMs = 0;
  #untilMs = 0;

  noteFailure(failure: unknown, nowMs: number): void {
    // What failed long before may have answered since, had it been asked.
    const isAnother = this.#failure === undefined || nowMs > this.#untilMs + MOST_PAUSE_MS;
    if (isAnother) this.#sinceMs = nowMs;
    this.#failure = failure;
    this.#untilMs = nowMs - this.#sinceMs < LONGEST_OUTAGE_MS ? nowMs : nowMs + MOST_PAUSE_MS;
  }

  end(): void {
    this.#failure = undefined;
  }

  /** How long it is not to be asked; 0 if it may be. */
  leftMs(nowMs: number): number {
    return this.#failure === undefined ? 0 : Math.max(this.#untilMs - nowMs, 0);
  }

  /** Throws the last failure while it is not to be asked. */
  assertOver(nowMs: number): void {
    const leftMs = this.leftMs(nowMs);
    if (leftMs > 0) throw pauseAfter(this.#failure, leftMs);
  }
}

/** What logins share that have the same refresh token: each may get the one that the next one needs. */
class Turn {
  readonly mutex = new Mutex();
  /** The last two that were sent or came, for whichever company. */
  refreshTokens: readonly Token[] = [];

  keepSecret(token: Token): void {
    const [last] = this.refreshTokens;
    if (last?.reveal() !== token.reveal())
      this.refreshTokens = [token, ...(last === undefined ? [] : [last])];
  }
}

/** The tokens of one login, for all companies that share it, however many ask at once. */
export class LoginTokens {
  readonly #place: LoginPlace;
  readonly #isOfEachRut: boolean;
  readonly #clock: Clock;
  /** What is held by RUT; for all companies under ''. */
  readonly #held = new Map<string, Held>();
  readonly #turn: Turn;
  readonly #refusals: Refusals;
  readonly #outage: Outage;
  readonly #throttle: Throttle;
  readonly #signal: AbortSignal | undefined;

  constructor(
    place: LoginPlace,
    { scope }: Pick<Login, 'scope'>,
    clock: Clock,
    {
      turn = new Turn(),
      refusals = new Refusals(),
      outage = new Outage(),
      throttle = new Throttle(clock),
      signal,
    }: { turn?: Turn; refusals?: Refusals; outage?: Outage; throttle?: Throttle; signal?: AbortSignal } = {},
  ) {
    this.#place = place;
    this.#isOfEachRut = scope === EACH_RUT;
    this.#clock = clock;
    this.#turn = turn;
    this.#refusals = refusals;
    this.#outage = outage;
    this.#throttle = throttle;
    this.#signal = signal;
  }

  sourceOf(rut: string, companyName: string | undefined): TokenSource {
    return {
      isRenewing: true,
      companyName,
      current: () => this.#token(rut),
      renew: (refused) => this.#token(rut, refused),
      secrets: () => this.#secretsOf(this.#heldOf(rut)),
    };
  }

  /** The secrets of the company's last two logins, and the login's newest refresh tokens. */
  #secretsOf({ issued, before }: Held): Secret[] {
    const secrets = [issued, before].flatMap((login) => {
      if (login === undefined) return [];
      const { token, refreshToken, grants } = login;
      const given = [token, ...(refreshToken === undefined ? [] : [refreshToken])];
      return [...given.map((secret) => ({ text: secret.reveal() })), ...grants.flatMap(secretsOf)];
    });
    const newest = this.#turn.refreshTokens.map((token) => ({ text: token.reveal() }));
    return [...new Map([...newest, ...secrets].map((secret) => [secret.text, secret])).values()];
  }

  /** When the company's token ends, if there is one. */
  endOf(rut: string): Date | undefined {
    const issued = this.#heldOf(rut).issued;
    return issued === undefined ? undefined : new Date(issued.issuedAtMs + issued.lifeMs);
  }

  #heldOf(rut: string): Held {
    const key = this.#isOfEachRut ? rut : '';
    const held = this.#held.get(key) ?? { pausedUntilMs: Number.NEGATIVE_INFINITY, pauseMs: LEAST_PAUSE_MS };
    this.#held.set(key, held);
    return held;
  }

  async #token(rut: string, refused?: string): Promise<string> {
    const held = this.#heldOf(rut);
    const nowMs = this.#clock.now();
    const { issued, failure } = held;
    const isRefused = refused !== undefined && issued?.token.reveal() === refused;
    const isPaused = nowMs < held.pausedUntilMs;
    if (issued !== undefined) {
      const endMs = issued.issuedAtMs + issued.lifeMs;
      if (!isRefused && nowMs < endMs - restMs(issued)) return issued.token.reveal();
      // A token that is refused so soon is refused to this company; one that ends so soon may last longer than it says.
      if (isPaused && (failure === undefined || (!isRefused && nowMs < endMs))) return issued.token.reveal();
    }
    if (isPaused && failure !== undefined) throw pauseAfter(failure, held.pausedUntilMs - nowMs);
    held.pending ??= this.#renewed(held, rut, isRefused).finally(() => {
      held.pending = undefined;
    });
    return (await held.pending).reveal();
  }

  async #renewed(held: Held, rut: string, isAfterRefusal: boolean): Promise<Token> {
    /** Pauses as long as the first time, or longer each time. */
    const pause = (sinceMs: number, isFirst: boolean, atLeastMs = 0) => {
      if (isFirst) held.pauseMs = LEAST_PAUSE_MS;
      held.pausedUntilMs = sinceMs + Math.max(held.pauseMs, atLeastMs);
      held.pauseMs = Math.min(2 * held.pauseMs, MOST_PAUSE_MS);
    };
    try {
      const issued = await this.#turn.mutex.runExclusive(async () => {
        return await logIn(this.#place, this.#clock, {
          scope: this.#isOfEachRut ? rut : undefined,
          held: held.issued,
          onRefreshToken: (token) => this.#turn.keepSecret(token),
          refusals: this.#refusals,
          throttle: this.#throttle,
          signal: this.#signal,
          assertMayBeAsked: () => {
            if (held.issued === undefined || held.failure !== undefined)
              this.#outage.assertOver(this.#clock.now());
          },
        });
      });
      held.before = held.issued;
      const { before } = held;
      const isSame = before !== undefined && isOfSameUser(before.from, issued.from);
      const refreshToken = issued.refreshToken ?? (isSame ? before.refreshToken : undefined);
      held.issued = { ...issued, refreshToken };
      held.failure = undefined;
      this.#outage.end();
      pause(issued.issuedAtMs, !isAfterRefusal);
      return issued.token;
    } catch (error) {
      const nowMs = this.#clock.now();
      const { issued } = held;
      const isAlive = issued !== undefined && !isAfterRefusal && nowMs < issued.issuedAtMs + issued.lifeMs;
      const retry = error instanceof NoTokenError ? error.retry : undefined;
      const { retryAfterMs = 0, isUnsent, isUnstored, isPause } = retry ?? {};
      const isRefused = error instanceof LoginRefusedError;
      // Whatever passes by is soon over; what goes on may be a password that is refused with a page.
      const isFirst = retry === undefined ? held.failure === undefined : !isAlive;
      if (isRefused) this.#outage.end();
      if (retry !== undefined && isPause !== true && isUnstored !== true)
        this.#outage.noteFailure(error, nowMs);
      held.failure = error;
      // What never reached the login is tried again as any request is, unless there is a token meanwhile.
      if (isPause !== true && (isUnsent !== true || isAlive))
        pause(
          nowMs,
          isFirst,
          isRefused ? Number.POSITIVE_INFINITY : Math.max(retryAfterMs, this.#outage.leftMs(nowMs)),
        );
      if (isAlive) return issued.token;
      throw error;
    }
  }
}

/**
 * The logins of these companies, each opened once; undefined for a company with a token of its own. Once the signal is
 * aborted none is asked any more.
 */
export function openLogins(
  shared: Login | undefined,
  placeOf: (rut?: string) => LoginPlace,
  clock: Clock,
  signal?: AbortSignal,
): (company: { rut: string; token?: Token; login?: Login }) => LoginTokens | undefined {
  const turns = new Map<string, Turn>();
  const refusals = new Refusals();
  const addresses = new Map<string, { outage: Outage; throttle: Throttle }>();
  const open = (login: Login, rut?: string) => {
    const { tokenUrl, refreshToken } = login;
    const key = `${refreshToken?.reveal()} ${tokenUrl.href}`;
    const turn = turns.get(key) ?? new Turn();
    if (refreshToken !== undefined) turns.set(key, turn);
    const address = addresses.get(tokenUrl.href) ?? { outage: new Outage(), throttle: new Throttle(clock) };
    addresses.set(tokenUrl.href, address);
    return new LoginTokens(placeOf(rut), login, clock, { turn, refusals, signal, ...address });
  };
  const sharedTokens = shared && open(shared);
  return ({ rut, token, login }) => {
    if (token !== undefined) return undefined;
    return login === undefined ? sharedTokens : open(login, rut);
  };
}
