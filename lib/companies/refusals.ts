import { NoTokenError } from '../api/access.ts';
import { Mutex } from '../system/concurrency.ts';
import { uninterrupted } from '../system/under-way.ts';
import { type Grant, type IssuedToken, LoginRefusedError, UnusableAnswerError } from './ask-token.ts';
import { EACH_RUT, type Login } from './login.ts';
import type { Token } from './token.ts';

/** What was refused in this process is not sent again, for whichever company: a wrong password locks nobody out. */
export class Refusals {
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
