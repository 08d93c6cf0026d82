import { NoTokenError, type TokenSource } from '../api/access.ts';
import type { Secret } from '../api/body.ts';
import { Mutex } from '../system/concurrency.ts';
import type { Clock } from '../time/clock.ts';
import { type IssuedToken, LoginRefusedError, secretsOf } from './ask-token.ts';
import { isOfSameUser, type LoginPlace, logIn } from './log-in.ts';
import { EACH_RUT, type Login } from './login.ts';
import { MOST_PAUSE_MS, Outage, pauseAfter } from './outage.ts';
import { Refusals } from './refusals.ts';
import { Throttle } from './throttle.ts';
import type { Token } from './token.ts';

const LEAST_REST_MS = 60_000;

/** How long before its end a token is renewed: a tenth of its life, at least a minute, and never more than half. */
function restMs({ lifeMs }: IssuedToken): number {
  return Math.min(Math.max(lifeMs / 10, LEAST_REST_MS), lifeMs / 2);
}

/** However soon a token ends or is refused, a login is asked once in so long, and less often while that goes on. */
const LEAST_PAUSE_MS = 60_000;

interface Held {
  issued?: Awaited<ReturnType<typeof logIn>>;
  before?: Held['issued'];
  pending?: Promise<Token> | undefined;
  failure?: unknown;
  /** The moment before which the login is not asked. */
  pausedUntilMs: number;
  pauseMs: number;
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
