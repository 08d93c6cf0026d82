import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { NoTokenError } from '../api/access.ts';
import type { Clock } from '../time/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../time/days.ts';
import { type IssuedToken, LoginRefusedError } from './ask-token.ts';
import { RENEWAL_INTERVAL_MS } from './login.ts';
import { isRefusal } from './refusals.ts';
import { Token, TokenTextSchema } from './token.ts';

export const RenewedTokenSchema = v.object({
  /** Whose it is; of all companies without a token of their own when absent. */
  rut: v.optional(v.string()),
  token: v.pipe(
    TokenTextSchema,
    v.transform((text) => new Token(text)),
  ),
  issuedAtMs: v.number(),
  endsAtMs: v.number(),
  /** The version of the login's secret that it was given for. */
  version: v.string(),
});
export type RenewedToken = v.InferOutput<typeof RenewedTokenSchema>;

/** What a company got in place of a token when it was last asked for; one for each, until it is given one. */
const RefusalSchema = v.object({
  /** Absent for a login of one token for all, and where the login is refused. */
  rut: v.optional(v.string()),
  /** Why; empty where it was not refused, but not answered. Holds no token and no password. */
  reason: v.string(),
  atMs: v.number(),
  /** It is not asked for before. */
  againAtMs: v.number(),
  /** The service says that the login is refused, whoever it is asked for. */
  isOfLogin: v.optional(v.boolean()),
  /** The login asked for fewer requests, as it may of this company alone. */
  isThrottled: v.optional(v.boolean()),
  /** The login has given nobody a token since: it may be refused as a whole. */
  isDoubtful: v.optional(v.boolean()),
});
export type Refusal = v.InferOutput<typeof RefusalSchema>;

export const RefusedSchema = v.object({
  /** When the login was refused since it last gave a token, within the hour. */
  doubtsAtMs: v.array(v.number()),
  refusals: v.array(RefusalSchema),
});
export type Refused = v.InferOutput<typeof RefusedSchema>;

export const NONE_REFUSED: Refused = { doubtsAtMs: [], refusals: [] };

/** What was refused is tried again after so long, or once the login's secret is changed. */
export const REFUSED_FOR_MS = HOUR_MS;

/** What is left of a token that the next invocation would find with less than a worker needs. */
const LEAST_LEFT_MS = RENEWAL_INTERVAL_MS + 5 * MINUTE_MS;

/** What the function has, less what the last login may take: what was renewed by then is kept, the rest is next. */
const MOST_RENEWAL_MS = 4 * 60_000;

/** How often within an hour a login is refused, since it last gave a token: a wrong password locks nobody out. */
const MOST_DOUBTS = 5;
/** How often at first. */
const MOST_AT_FIRST = 2;
/** How often in a row an invocation asks in vain. */
const MOST_IN_VAIN = 3;

const TOO_SLOW = 'The login takes too long: not all companies were asked for. The others are next.';

/** The login whose tokens are renewed. */
export interface RenewedLogin {
  /** The version of its secret that was read last. */
  version(): string;
  /** Whose tokens are asked for; one of nobody in particular unless the scope is the RUT. */
  ruts: readonly (string | undefined)[];
  /** Throws NoTokenError. */
  logIn(rut: string | undefined): Promise<Pick<IssuedToken, 'token' | 'issuedAtMs' | 'lifeMs'>>;
}

/**
 * Asks for the tokens that are due: first for companies that nothing is known against, then for those that failed, by turns.
 * Where the password may be wrong, another company's token is asked for anew first: what refuses others then is no password.
 */
export async function renewDue(
  login: RenewedLogin,
  held: readonly RenewedToken[],
  before: Refused,
  clock: Clock,
): Promise<Refused & { version: string; renewed: RenewedToken[]; faults: string[]; error?: unknown }> {
  const nowMs = clock.now();
  let version = login.version();
  let renewed: RenewedToken[] = [];
  const faults: string[] = [];
  let { refusals } = before;
  let doubtsAtMs = before.doubtsAtMs.filter((atMs) => atMs > nowMs - HOUR_MS);
  let mostAtFirst = Math.min(doubtsAtMs.length + (doubtsAtMs.length === 0 ? MOST_AT_FIRST : 1), MOST_DOUBTS);
  let inVainCount = 0;
  const end = (more: object = {}) => ({ version, renewed, faults, refusals, doubtsAtMs, ...more });

  const known = knownOf(held, before.refusals);
  const { heldOf, refusalOf, isKnown } = known;
  const isOfVersion = (rut: string | undefined) => heldOf(rut)?.version === version;
  const hasGiven = () => renewed.some((one) => one.version === version);
  /** What somebody wrote meanwhile was refused nothing before, and has given nobody a token. */
  const noteVersion = () => {
    if (login.version() !== version)
      [version, refusals, doubtsAtMs, mostAtFirst] = [login.version(), [], [], MOST_AT_FIRST];
  };
  const isDue = (rut: string | undefined) =>
    !(isOfVersion(rut) && isFresh(heldOf(rut), nowMs)) && (refusalOf(rut)?.againAtMs ?? nowMs) <= nowMs;
  const note = (refusal: Refusal) => {
    // It has what it was asked for, and only shows what others are refused.
    if (renewed.some((one) => one.rut === refusal.rut)) return;
    refusals = [...refusals.filter((one) => one.rut !== refusal.rut), refusal];
  };

  const due = login.ruts.filter(isDue);
  const isRefused = refusals.some((one) => isOfAll(one) && one.againAtMs > nowMs);
  if (isRefused || due.length === 0) return end();
  const proof = login.ruts.find(
    (rut) => isOfVersion(rut) && !due.includes(rut) && refusalOf(rut) === undefined,
  );
  const queue = queueOf(due, known, { nowMs, proof, isDoubted: doubtsAtMs.length > 0 });
  for (;;) {
    // After some in vain, whoever was given a token last shows whether the login still gives any.
    const isDoubted = inVainCount === MOST_IN_VAIN && hasGiven() && queue.length > 0;
    if (inVainCount >= MOST_IN_VAIN && !isDoubted) break;
    if (refusals.some((one) => isOfAll(one) && !before.refusals.includes(one))) break;
    if (doubtsAtMs.length >= (hasGiven() ? MOST_DOUBTS : mostAtFirst)) break;
    const next = isDoubted ? renewed.at(-1) : queue.shift();
    if (next === undefined) break;
    const { rut } = next;
    if (clock.now() > nowMs + MOST_RENEWAL_MS) {
      faults.push(TOO_SLOW);
      break;
    }
    try {
      const { token, issuedAtMs, lifeMs } = await login.logIn(rut);
      noteVersion();
      const given = { rut, token, issuedAtMs, endsAtMs: issuedAtMs + lifeMs, version };
      renewed = [...renewed.filter((one) => one.rut !== rut), given];
      const earlier = refusals.filter((one) => one.isDoubtful === true && before.refusals.includes(one));
      const isQueued = (one: Refusal) => one.rut === rut || queue.some((other) => other.rut === one.rut);
      queue.push(...earlier.filter((one) => !isQueued(one)).map((one) => ({ rut: one.rut })));
      refusals = refusals
        .filter((one) => one.rut !== rut && !isOfAll(one))
        .map(({ isDoubtful: _, ...one }) => one);
      doubtsAtMs = [];
      inVainCount = 0;
    } catch (error) {
      if (!(error instanceof NoTokenError)) return end({ error });
      const { message, retry } = error;
      noteVersion();
      inVainCount += 1;
      if (!isRefusal(error)) {
        const isThrottled = retry?.reason === 'throttled';
        note({ reason: '', ...refusalOf(rut), rut, atMs: nowMs, againAtMs: nowMs, isThrottled });
        // A login that is down has time, as long as its token lives.
        const isUrgent = retry === undefined || (heldOf(rut)?.endsAtMs ?? 0) - nowMs < HOUR_MS;
        if (isUrgent) faults.push(rut === undefined ? message : `RUT ${rut}: ${message}`);
        continue;
      }
      const isInWords = error instanceof LoginRefusedError;
      const code = isInWords ? error.refused : undefined;
      const reason = rut === undefined || code !== undefined ? message : `RUT ${rut}: ${message}`;
      const isGivenToOthers = hasGiven() || login.ruts.some((one) => one !== rut && isOfVersion(one));
      const isOfLogin = code === 'login' && !isGivenToOthers;
      const isDoubt = code !== 'scope';
      // What refused a company that had a token, and what is no refusal in words, may have passed by.
      const isFirst = !isKnown(rut) && (isOfVersion(rut) || !isInWords);
      const isSoon = isFirst || (rut === undefined && !isInWords);
      const againAtMs = isSoon && !isOfLogin ? nowMs : nowMs + REFUSED_FOR_MS;
      const isOfAnyone = isDoubt && !hasGiven();
      note({
        rut,
        reason,
        atMs: nowMs,
        againAtMs,
        ...(isOfLogin && { isOfLogin }),
        ...(isOfAnyone && { isDoubtful: true }),
      });
      if (isDoubt) doubtsAtMs = [...doubtsAtMs, clock.now()];
    }
  }
  return end();
}

/** What is known of the companies before they are asked for. */
function knownOf(held: readonly RenewedToken[], refusals: readonly Refusal[]) {
  const refusalOf = (rut: string | undefined) => refusals.find((one) => one.rut === rut);
  return {
    heldOf: (rut: string | undefined) => held.find((token) => token.rut === rut),
    refusalOf,
    isKnown: (rut: string | undefined) => (refusalOf(rut)?.reason ?? '') !== '',
  };
}

/**
 * Those that are due, in the order in which they are asked for. `proof`: a company that has a token of this login and is not
 * due, asked for first where the password may be wrong; `isDoubted`: the login was refused lately.
 */
function queueOf(
  due: readonly (string | undefined)[],
  { heldOf, refusalOf, isKnown }: ReturnType<typeof knownOf>,
  { nowMs, proof, isDoubted }: { nowMs: number; proof: string | undefined; isDoubted: boolean },
): { rut: string | undefined }[] {
  const isFailed = (rut: string | undefined) => refusalOf(rut) !== undefined;
  const askedAtMs = (rut: string | undefined) => refusalOf(rut)?.atMs ?? 0;
  const endsAtMs = (rut: string | undefined) => heldOf(rut)?.endsAtMs ?? 0;
  const time = Math.floor(nowMs / RENEWAL_INTERVAL_MS);
  const order = orderOf(time);
  const others = order(
    due.filter((rut) => !isFailed(rut)),
    endsAtMs,
  );
  const unanswered = order(
    due.filter((rut) => isFailed(rut) && !isKnown(rut)),
    askedAtMs,
  );
  // By turns, whoever was given a token last is the likeliest to be given one, and nobody is left out.
  const isLikeliestFirst = time % 2 === 0;
  const refused = order(due.filter(isKnown), isLikeliestFirst ? (rut) => -endsAtMs(rut) : askedAtMs);
  const hadToken = others.filter((rut) => heldOf(rut) !== undefined);
  const isProofNeeded = isDoubted || (others.length === 0 && refused.length > 0);
  // Beside companies that never had a token, one that had one shows whether the login, as it is written now, gives any.
  const first = proof === undefined ? hadToken.slice(-1) : isProofNeeded ? [proof] : [];
  // A login that answers few at once, as with status 429, gives by turns to whoever needs it most, failed or not.
  const neediest = isLikeliestFirst ? [] : order([...others, ...unanswered], endsAtMs).slice(0, 1);
  const isThrottled = (rut: string | undefined) => refusalOf(rut)?.isThrottled === true;
  const [throttled, down] = [unanswered.filter(isThrottled), unanswered.filter((rut) => !isThrottled(rut))];
  // Who keeps the others waiting comes last.
  const inOrder = [...first, ...neediest, ...inTurns(others, inTurns(down, refused)), ...throttled];
  return [...new Set(inOrder)].map((rut) => ({ rut }));
}

function isOfAll({ isOfLogin }: Refusal): boolean {
  return isOfLogin === true;
}

/** Sorts by a number; of those alike, others are the first each time. */
function orderOf(time: number) {
  const hashOf = (rut: string | undefined) => createHash('sha256').update(`${time} ${rut}`).digest('hex');
  return (ruts: readonly (string | undefined)[], numberOf: (rut: string | undefined) => number) =>
    ruts
      .map((rut) => ({ rut, number: numberOf(rut), hash: hashOf(rut) }))
      .sort((a, b) => a.number - b.number || (a.hash < b.hash ? -1 : 1))
      .map(({ rut }) => rut);
}

/** One of each by turns, then what is left of the longer list. */
function inTurns<Item>(ones: readonly Item[], others: readonly Item[]): Item[] {
  const length = Math.max(ones.length, others.length);
  const places = Array.from({ length }, (_, index) => index);
  return places.flatMap((place) => [ones, others].flatMap((list) => list.slice(place, place + 1)));
}

function isFresh(token: RenewedToken | undefined, nowMs: number): boolean {
  if (token === undefined) return false;
  const { issuedAtMs, endsAtMs } = token;
  return endsAtMs - nowMs > Math.max((endsAtMs - issuedAtMs) / 2, LEAST_LEFT_MS);
}
