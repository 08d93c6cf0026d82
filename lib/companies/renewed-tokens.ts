import { createHash } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { NoTokenError } from '../api/access.ts';
import { awsFaultOf, CfeLakeError } from '../system/errors.ts';
import type { Clock } from '../time/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../time/days.ts';
import { isValidRut } from '../units/rut.ts';
import { LoginRefusedError } from './ask-token.ts';
import { EACH_RUT, type Login, problemInAws, RENEWAL_INTERVAL_MS, readLogin } from './login.ts';
import { withRefreshToken } from './login-file.ts';
import { isRefusal, type LoginPlace, logIn } from './login-tokens.ts';
import { Token, TokenTextSchema } from './token.ts';

/** The login's secret, which `renew-tokens` alone may read, and that of its tokens, which it alone writes. */
export interface RenewalSecrets {
  client: SecretsManagerClient;
  loginSecret: string;
  tokensSecret: string;
}

const TokenSchema = v.object({
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
const RefusalSchema = v.object({
  /** Whose token; absent for a login of one token for all, and for `login`. */
  rut: v.optional(v.string()),
  reason: v.string(),
  /**
   * Absent where this company is refused alone; first: for the first time; unanswered: it was not refused. Else the login
   * is, or may be: no reason was given, or no refusal in words.
   */
  kind: v.optional(v.picklist(['login', 'unexplained', 'passing', 'first', 'unanswered'])),
});
type Refusal = v.InferOutput<typeof RefusalSchema>;
const TokensSchema = v.object({
  tokens: v.array(TokenSchema),
  /** What this version of the login was refused since then. */
  refused: v.optional(
    v.object({ version: v.string(), sinceMs: v.number(), refusals: v.array(RefusalSchema) }),
  ),
});
export type RenewedTokens = v.InferOutput<typeof TokensSchema>;
export type RenewedToken = v.InferOutput<typeof TokenSchema>;
type GivenToken = Omit<RenewedToken, 'version'>;

/** The tokens that the login gave; none before it gave any. Throws CfeLakeError. */
export async function readRenewedTokens(
  client: SecretsManagerClient,
  secret: string,
): Promise<RenewedTokens> {
  const found = await secretText(client, secret);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), TokensSchema), found?.text ?? '{"tokens":[]}');
  if (parsed.success) return parsed.output;
  throw new CfeLakeError(
    'The secret of the renewed tokens has another shape than the one that renew-tokens writes.',
    {
      advice: 'Nobody else may write it: remove its version, then wait 15 minutes.',
    },
  );
}

/** The login's token for a company, if it gave one. */
export function renewedTokenOf({ tokens }: RenewedTokens, rut: string): RenewedToken | undefined {
  return tokens.find((token) => token.rut === rut) ?? tokens.find((token) => token.rut === undefined);
}

/** What an invocation of renew-tokens did. */
export interface Renewal {
  renewed: number;
  /** Why the login failed, if it did. Holds no token and no password. */
  failure?: string;
}

/** What is left of a token that the next invocation would find with less than a worker needs. */
const LEAST_LEFT_MS = RENEWAL_INTERVAL_MS + 5 * MINUTE_MS;

/** What the function has, less what the last login may take: what was renewed by then is kept, the rest is next. */
const MOST_RENEWAL_MS = 4 * 60_000;

/** What was refused is tried again after so long, or once the login's secret is changed. */
const REFUSED_FOR_MS = HOUR_MS;

/** How often within that time a login is asked that gives nobody a token, and says no reason: twice at first, then once each time. */
const MOST_DOUBTS = 5;
/** How often in a row an invocation asks one that gives nobody a token. */
const MOST_UNANSWERED = 4;

/**
 * Logs in for each token of which no more than half of its life is left, and writes the tokens for the workers. Throws
 * what AWS does, once what was given before is written; a login that fails is part of the answer.
 */
export async function renewTokens(secrets: RenewalSecrets, clock: Clock): Promise<Renewal> {
  const { client, tokensSecret } = secrets;
  const stored = await readRenewedTokens(client, tokensSecret);
  const nowMs = clock.now();
  const keep = async (given: readonly RenewedToken[], refused: RenewedTokens['refused']) => {
    const tokens = given.map((grant) => ({ ...grant, token: grant.token.reveal() }));
    const SecretString = JSON.stringify({ tokens, refused });
    await client.send(new PutSecretValueCommand({ SecretId: tokensSecret, SecretString }));
  };
  const place = await openLoginSecret(secrets).catch((error: unknown) => {
    if (error instanceof NoTokenError) return error;
    throw error;
  });
  if (place instanceof NoTokenError) {
    const { message: reason } = place;
    // Once, for `check`.
    if (refusalOf(stored) !== reason)
      await keep(stored.tokens, { version: '', sinceMs: nowMs, refusals: [{ reason, kind: 'login' }] });
    return { renewed: 0, failure: reason };
  }
  const isRemembered =
    stored.refused?.version === place.version() && nowMs < stored.refused.sinceMs + REFUSED_FOR_MS;
  const before = isRemembered ? stored.refused : undefined;
  const given = await renewDue(place, stored.tokens, before?.refusals ?? [], clock);
  const { renewed, faults } = given;
  const { version } = place;
  const others = stored.tokens.filter(({ rut }) => !renewed.some((token) => token.rut === rut));
  const tokens = [...renewed.map((token) => ({ ...token, version: version() })), ...others];
  // Until the login, as it is written now, has given all theirs, those of before serve on.
  const isEachGiven = place.ruts.every((rut) => tokens.some((token) => token.rut === rut));
  const ofBefore = others.filter(({ rut, endsAtMs }) => !place.ruts.includes(rut) && endsAtMs > nowMs);
  const ruts = [...place.ruts, ...(isEachGiven ? [] : ofBefore.map(({ rut }) => rut))];
  const { fitting, tooLong } = fittingOf(
    ruts.flatMap((rut) => tokens.find((token) => token.rut === rut) ?? []),
    given.refusals,
  );
  const refusals = [...given.refusals, ...tooLong];
  const isOfLogin = given.refusals !== before?.refusals && refusals[0]?.kind === 'login';
  const sinceMs = isOfLogin ? nowMs : (before?.sinceMs ?? nowMs);
  const refused = refusals.length === 0 ? undefined : { version: version(), sinceMs, refusals };
  if (renewed.length > 0 || JSON.stringify(refused) !== JSON.stringify(stored.refused))
    await keep(fitting, refused);
  if (given.error !== undefined) throw given.error;
  const told = refusals.filter(({ kind }) => kind !== 'unanswered');
  const failures = new Set([...faults, ...told.map(({ reason }) => reason)]);
  return { renewed: renewed.length, ...(failures.size > 0 && { failure: [...failures].join(' ') }) };
}

/**
 * Asks for the tokens that are due. A company that is refused without a reason may be refused alone, or with all: once the
 * login has given a token, it was alone, and is asked for again if that was earlier.
 */
async function renewDue(
  place: LoginSecret,
  held: readonly RenewedToken[],
  before: readonly Refusal[],
  clock: Clock,
): Promise<{ renewed: GivenToken[]; refusals: readonly Refusal[]; faults: string[]; error?: unknown }> {
  const nowMs = clock.now();
  const heldOf = (rut: string | undefined) => held.find((token) => token.rut === rut);
  const renewed: GivenToken[] = [];
  const faults: string[] = [];
  let unansweredCount = 0;
  let refusals = before;
  const doubts = () => refusals.filter(({ kind }) => kind === 'unexplained' || kind === 'passing');
  const mostDoubts = Math.min(doubts().length + (doubts().length === 0 ? 2 : 1), MOST_DOUBTS);
  const isFreshFor = (rut: string | undefined) => isFresh(heldOf(rut), place.version(), nowMs);
  const isDue = (rut: string | undefined) => !isFreshFor(rut) && !isRefusedTo(before, rut);
  const queue = inTurn(place.ruts.filter(isDue), before, nowMs);
  /** A company that had a token is asked once more the next time: what refused it may have passed by. */
  const alone = ({ rut, reason }: Refusal): Refusal => {
    const isAgain = before.some((one) => one.rut === rut && one.kind !== 'unanswered');
    const isFirst = heldOf(rut)?.version === place.version() && !isAgain;
    return { rut, reason, ...(isFirst && { kind: 'first' }) };
  };
  const isAsking = (rut: string | undefined, { kind, ...refusal }: Refusal) =>
    (kind === 'first' || kind === 'unanswered') && refusal.rut === rut;
  for (const rut of queue) {
    if (refusals.some(({ kind }) => kind === 'login')) break;
    if (renewed.length === 0 && doubts().length >= mostDoubts) break;
    if (unansweredCount >= MOST_UNANSWERED) break;
    if (clock.now() > nowMs + MOST_RENEWAL_MS) {
      faults.push(TOO_SLOW);
      break;
    }
    try {
      const { scope = undefined } = await place.read();
      const { token, issuedAtMs, lifeMs } = await logIn(place, clock, { scope: rut ?? scope });
      renewed.push({ ...(rut !== undefined && { rut }), token, issuedAtMs, endsAtMs: issuedAtMs + lifeMs });
      unansweredCount = 0;
      const isOfThisTime = (refusal: Refusal) => !before.includes(refusal);
      const [now, earlier] = [doubts().filter(isOfThisTime), doubts().filter((one) => !isOfThisTime(one))];
      queue.push(...earlier.filter(({ kind }) => kind === 'unexplained').map((refusal) => refusal.rut));
      faults.push(...now.filter(({ kind }) => kind === 'passing').map(({ reason }) => reason));
      refusals = [
        ...refusals.filter((refusal) => !doubts().includes(refusal) && !isAsking(rut, refusal)),
        ...now.filter(({ kind }) => kind === 'unexplained').map(alone),
      ];
    } catch (error) {
      if (!(error instanceof NoTokenError)) return { renewed, refusals, faults, error };
      const { message, retry } = error;
      unansweredCount += 1;
      refusals = refusals.filter((refusal) => !isAsking(rut, refusal));
      if (!isRefusal(error)) {
        refusals = [...refusals, { rut, reason: '', kind: 'unanswered' }];
        // A login that is down has time, as long as its token lives.
        const isUrgent = retry === undefined || (heldOf(rut)?.endsAtMs ?? 0) - nowMs < HOUR_MS;
        if (isUrgent) faults.push(message);
        continue;
      }
      const isInWords = error instanceof LoginRefusedError;
      const code = isInWords ? error.refused : undefined;
      const reason = rut === undefined || code !== undefined ? message : `RUT ${rut}: ${message}`;
      const isGiving = renewed.length > 0;
      // A login that has given others theirs, as it is written now, is not refused as a whole.
      const hasGiven = held.some((token) => token.rut !== rut && token.version === place.version());
      if (code === 'login' && !isGiving && !hasGiven) refusals = [{ reason, kind: 'login' }];
      else if (isGiving && !isInWords) faults.push(reason);
      else if (code === 'scope' || (code !== undefined && isGiving))
        refusals = [...refusals, { rut, reason }];
      else if (isGiving) refusals = [...refusals, alone({ rut, reason })];
      else refusals = [...refusals, { rut, reason, kind: isInWords ? 'unexplained' : 'passing' }];
    }
  }
  return { renewed, refusals, faults };
}

/** Who got none lately is last; of the others, others are the first each time, whatever those that fail have in common. */
function inTurn(
  ruts: readonly (string | undefined)[],
  before: readonly Refusal[],
  nowMs: number,
): (string | undefined)[] {
  const time = Math.floor(nowMs / RENEWAL_INTERVAL_MS);
  const ranked = ruts.map((rut) => {
    const hash = createHash('sha256').update(`${time} ${rut}`).digest('hex');
    return { rut, isAsked: before.some((refusal) => refusal.rut === rut), hash };
  });
  return ranked
    .sort((a, b) => Number(a.isAsked) - Number(b.isAsked) || (a.hash < b.hash ? -1 : 1))
    .map(({ rut }) => rut);
}

/** A secret of AWS has 64 KiB at most. */
const MOST_SECRET_BYTES = 64_500;
/** What a token takes besides its text, and what the refusal of one does that has no room. */
const TOKEN_BYTES = 180;
const REFUSAL_BYTES = 180;

/** The tokens that one secret has room for; the others' companies are refused for the hour. */
function fittingOf(
  tokens: readonly RenewedToken[],
  refusals: readonly Refusal[],
): { fitting: RenewedToken[]; tooLong: Refusal[] } {
  const fitting: RenewedToken[] = [];
  const tooLong: Refusal[] = [];
  let leftBytes =
    MOST_SECRET_BYTES - Buffer.byteLength(JSON.stringify(refusals)) - REFUSAL_BYTES * tokens.length;
  for (const token of tokens) {
    leftBytes += REFUSAL_BYTES;
    const byteCount = JSON.stringify(token.token.reveal()).length + TOKEN_BYTES;
    if (byteCount <= leftBytes) {
      leftBytes -= byteCount;
      fitting.push(token);
    } else {
      leftBytes -= REFUSAL_BYTES;
      const { rut } = token;
      const whose = rut === undefined ? '' : `RUT ${rut}: `;
      tooLong.push({ rut, reason: `${whose}one secret has no room for its token: docs/tokens.md.` });
    }
  }
  return { fitting, tooLong };
}

const TOO_SLOW = 'The login takes too long: not all companies were asked for. The others are next.';

function isRefusedTo(refusals: readonly Refusal[], rut: string | undefined): boolean {
  return refusals.some(
    ({ kind, ...refusal }) =>
      kind === 'login' || ((kind === undefined || kind === 'unexplained') && refusal.rut === rut),
  );
}

/** Why the login gives no tokens, or none to this company; undefined where it is not known to refuse. */
export function refusalOf({ refused }: RenewedTokens, rut?: string): string | undefined {
  const refusals = refused?.refusals.filter(({ kind }) => kind !== 'unanswered') ?? [];
  const isOf = (refusal: Refusal) =>
    rut === undefined || refusal.rut === undefined || refusal.kind !== undefined || refusal.rut === rut;
  const reasons = new Set(refusals.filter(isOf).map(({ reason }) => reason));
  return reasons.size === 0 ? undefined : [...reasons].join(' ');
}

function isFresh(token: RenewedToken | undefined, version: string, nowMs: number): boolean {
  if (token?.version !== version) return false;
  const { issuedAtMs, endsAtMs } = token;
  return endsAtMs - nowMs > Math.max((endsAtMs - issuedAtMs) / 2, LEAST_LEFT_MS);
}

interface LoginSecret extends LoginPlace {
  /** The secret's version that was read last. */
  version(): string;
  /** Whose tokens are asked for; one of nobody in particular unless the scope is the RUT. */
  ruts: readonly (string | undefined)[];
}

/** Throws NoTokenError if there is no such secret, or if it holds no login. */
async function openLoginSecret({ client, loginSecret }: RenewalSecrets): Promise<LoginSecret> {
  let found = await secretText(client, loginSecret);
  if (found === undefined)
    throw new NoTokenError(
      `There is no secret ${loginSecret}.`,
      'Create it, or set no login: docs/tokens.md.',
    );
  let { text, version } = found;
  const { ruts } = parseLoginSecret(text);
  return {
    ruts,
    version: () => version,
    async read() {
      found = await secretText(client, loginSecret);
      ({ text, version } = found ?? { text, version });
      return parseLoginSecret(text).login;
    },
    async keep(sent, anew) {
      const SecretString = withRefreshToken(text, sent, anew);
      if (SecretString === text) return false;
      const put = new PutSecretValueCommand({
        SecretId: loginSecret,
        SecretString,
        VersionStages: [RENEWED],
      });
      const { VersionId = '' } = await client.send(put);
      try {
        await client.send(
          new UpdateSecretVersionStageCommand({
            SecretId: loginSecret,
            VersionStage: 'AWSCURRENT',
            MoveToVersionId: VersionId,
            RemoveFromVersionId: version,
          }),
        );
      } catch (error) {
        // A person wrote meanwhile: what they wrote is read again.
        if (awsFaultOf(error, 'secrets').code === 'InvalidParameterException') return false;
        throw error;
      }
      [text, version] = [SecretString, VersionId];
      return true;
    },
  };
}

/** The stage of a version that is not the current one yet. */
const RENEWED = 'CFE_LAKE_RENEWED';

const WithRutsSchema = v.looseObject({
  ruts: v.optional(v.pipe(v.array(v.pipe(v.string(), v.check(isValidRut))), v.minLength(1))),
});

/** `{"tokenUrl", …}`, as `login` in a companies file; with `ruts` where its scope is the RUT. Throws NoTokenError. */
function parseLoginSecret(text: string): { login: Login; ruts: readonly (string | undefined)[] } {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), WithRutsSchema), text);
  if (!parsed.success)
    throw wrongSecret('must be JSON, such as {"tokenUrl": "https://…", "username": "…", "password": "…"}');
  const { ruts, ...json } = parsed.output;
  const { login, reasons } = readLogin(json);
  if (login === undefined) throw wrongSecret(reasons.join('; '));
  if (login.passwordFrom !== undefined)
    throw wrongSecret('must have the password itself, not "passwordFrom"');
  if ((login.scope === EACH_RUT) !== (ruts !== undefined))
    throw wrongSecret('needs "ruts", the list of companies, where "scope" is "rut", and only there');
  const problem = problemInAws(login, ruts?.length ?? 0);
  if (problem !== undefined) throw wrongSecret(problem);
  return { login, ruts: ruts === undefined ? [undefined] : [...new Set(ruts)] };
}

function wrongSecret(reason: string): NoTokenError {
  return new NoTokenError(`The secret of the login ${reason}.`, 'Correct it: see docs/tokens.md.');
}

/** The secret's text, if it exists and has any. Throws CfeLakeError. */
async function secretText(
  client: SecretsManagerClient,
  SecretId: string,
): Promise<{ text: string; version: string } | undefined> {
  try {
    const { SecretString = '', VersionId = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
    return { text: SecretString, version: VersionId };
  } catch (error) {
    const { code, advice } = awsFaultOf(error, 'secrets');
    if (code === 'ResourceNotFoundException') return undefined;
    throw new CfeLakeError(`The secret ${SecretId} could not be read (${code}).`, { advice });
  }
}
