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
import { HOUR_MS } from '../time/days.ts';
import { isValidRut } from '../units/rut.ts';
import { LoginRefusedError } from './ask-token.ts';
import { EACH_RUT, type Login, problemInAws, readLogin } from './login.ts';
import { withRefreshToken } from './login-file.ts';
import { isRefusal, isRefusedToAll, type LoginPlace, logIn } from './login-tokens.ts';
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
});
const TokensSchema = v.object({
  tokens: v.array(TokenSchema),
  /** The version of the login that was refused last, and when: it is not tried each time. For these RUTs, or for all. */
  refused: v.optional(
    v.object({
      version: v.string(),
      atMs: v.number(),
      reason: v.string(),
      ruts: v.optional(v.array(v.string())),
    }),
  ),
});
export type RenewedTokens = v.InferOutput<typeof TokensSchema>;
export type RenewedToken = v.InferOutput<typeof TokenSchema>;

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
      advice: 'Nobody else may write it: remove its version, then wait ten minutes.',
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

/** What the function has, less what the last login may take: what was renewed by then is kept, the rest is next. */
const MOST_RENEWAL_MS = 4 * 60_000;

/** A refused login is tried again after so long, unless its secret is changed before. */
const REFUSED_FOR_MS = HOUR_MS;

/**
 * Logs in for each token of which no more than half of its life is left, and writes the tokens for the workers. Throws
 * what AWS does; a login that fails is part of the answer.
 */
export async function renewTokens(secrets: RenewalSecrets, clock: Clock): Promise<Renewal> {
  const { client, tokensSecret } = secrets;
  const stored = await readRenewedTokens(client, tokensSecret);
  const { refused } = stored;
  const nowMs = clock.now();
  const keep = async (given: readonly RenewedToken[], refusal: RenewedTokens['refused']) => {
    const tokens = given.map((grant) => ({ ...grant, token: grant.token.reveal() }));
    const SecretString = JSON.stringify({ tokens, refused: refusal });
    await client.send(new PutSecretValueCommand({ SecretId: tokensSecret, SecretString }));
  };
  const place = await openLoginSecret(secrets).catch((error: unknown) => {
    if (error instanceof NoTokenError) return error;
    throw error;
  });
  if (place instanceof NoTokenError) {
    const { message: reason } = place;
    // Once, for `check`.
    if (refused?.reason !== reason) await keep(stored.tokens, { version: '', atMs: nowMs, reason });
    return { renewed: 0, failure: reason };
  }
  const isRemembered = refused?.version === place.version() && nowMs < refused.atMs + REFUSED_FOR_MS;
  let refusal = isRemembered ? refused : undefined;
  const failures = new Set(refusal === undefined ? [] : [refusal.reason]);
  const renewed: RenewedToken[] = [];
  const kept: RenewedToken[] = [];
  const renew = async (rut: string | undefined) => {
    const { scope = undefined } = await place.read();
    const { token, issuedAtMs, lifeMs } = await logIn(place, clock, { scope: rut ?? scope });
    renewed.push({ ...(rut !== undefined && { rut }), token, issuedAtMs, endsAtMs: issuedAtMs + lifeMs });
  };
  // Answers that are no refusal in words are not remembered: they may pass by.
  let otherAnswerCount = 0;
  let isStopped = false;
  const heldOf = (rut: string | undefined) => stored.tokens.find((token) => token.rut === rut);
  // Others are the first each hour: by those that get a token a refusal is known to be its company's alone.
  const turn = Math.floor(nowMs / HOUR_MS) % place.ruts.length;
  const ruts = [...place.ruts.slice(turn), ...place.ruts.slice(0, turn)];
  /** Whether another company that has a token is given one anew, before all are taken for refused. */
  const isOtherGiven = async (refusedRut: string | undefined) => {
    const isAsked = (rut: string | undefined) => rut !== refusedRut && !isRefusedTo(refusal, rut);
    const [other] = ruts
      .filter((rut) => isAsked(rut) && heldOf(rut) !== undefined)
      .sort((one, another) => (heldOf(another)?.endsAtMs ?? 0) - (heldOf(one)?.endsAtMs ?? 0));
    if (other === undefined) return false;
    try {
      await renew(other);
      return true;
    } catch (error) {
      if (!(error instanceof NoTokenError)) throw error;
      // A login that is down has refused nobody.
      return error.retry !== undefined;
    }
  };
  for (const rut of ruts) {
    const held = heldOf(rut);
    try {
      if (renewed.some((token) => token.rut === rut)) continue;
      // After a refusal of the login each further try may lock the user out.
      if (isStopped || isRefusedTo(refusal, rut) || isFresh(held, nowMs)) {
        if (held !== undefined) kept.push(held);
        continue;
      }
      if (clock.now() > nowMs + MOST_RENEWAL_MS) {
        failures.add(TOO_SLOW);
        if (held !== undefined) kept.push(held);
        continue;
      }
      await renew(rut);
    } catch (error) {
      if (!(error instanceof NoTokenError)) throw error;
      // A login that is down has time, as long as its token lives.
      const leftMs = (held?.endsAtMs ?? 0) - nowMs;
      const isRemembered = error instanceof LoginRefusedError;
      const refusedCount = refusal === undefined ? 0 : (refusal.ruts?.length ?? 1);
      const refusalCount = isRemembered ? refusedCount : otherAnswerCount;
      if (!isRemembered && isRefusal(error)) otherAnswerCount += 1;
      const before = { isOfEachRut: rut !== undefined, refusalCount };
      const isOfAll =
        isRefusal(error) &&
        isRefusedToAll(error, { ...before, hasGiven: renewed.length > 0 }) &&
        (isRefusedToAll(error, { ...before, hasGiven: true }) || !(await isOtherGiven(rut)));
      const isAlone = rut !== undefined && isRefusal(error) && !isOfAll;
      // Only a code of the company alone names it.
      const isNamed = isRemembered && error.refused === 'scope';
      const reason = isAlone && !isNamed ? `RUT ${rut}: ${error.message}` : error.message;
      if (error.retry === undefined || leftMs < HOUR_MS) failures.add(reason);
      isStopped ||= isOfAll;
      if (isRemembered) {
        refusal = {
          version: place.version(),
          // Companies together, so that the secret is not written anew for each.
          atMs: (isAlone ? refusal?.atMs : undefined) ?? nowMs,
          reason: isAlone && refusal !== undefined ? `${refusal.reason} ${reason}` : reason,
          ...(isAlone && { ruts: [...(refusal?.ruts ?? []), rut] }),
        };
      }
      if (held !== undefined) kept.push(held);
    }
  }
  if (renewed.length > 0 || refusal !== refused) {
    const left = kept.filter((held) => !renewed.some(({ rut }) => rut === held.rut));
    const given = [...renewed, ...left].sort(
      (one, other) => place.ruts.indexOf(one.rut) - place.ruts.indexOf(other.rut),
    );
    const fitting = given.filter((_, index) => bytesOf(given.slice(0, index + 1)) <= MOST_TOKEN_BYTES);
    if (fitting.length < given.length) failures.add(tooLong(given.slice(fitting.length)));
    await keep(fitting, refusal);
  }
  return { renewed: renewed.length, ...(failures.size > 0 && { failure: [...failures].join(' ') }) };
}

/** A secret of AWS has 64 KiB at most; what else it holds is short. */
const MOST_TOKEN_BYTES = 60 * 1024;

/** What tokens take in the secret. */
function bytesOf(tokens: readonly RenewedToken[]): number {
  return tokens.reduce((sum, { token }) => sum + JSON.stringify(token.reveal()).length + 100, 0);
}

function tooLong(tokens: readonly RenewedToken[]): string {
  const ruts = tokens.flatMap(({ rut }) => rut ?? []).join(', ');
  return `One secret has no room for the tokens of all companies, as they are long: RUT ${ruts} has none. Give those another way: docs/tokens.md.`;
}

const TOO_SLOW = 'The login takes too long: not all companies were asked for. The others are next.';

/** Whether the refusal is of the company, alone or with all. */
export function isRefusedTo(refusal: RenewedTokens['refused'], rut = ''): boolean {
  return refusal !== undefined && refusal.ruts?.includes(rut) !== false;
}

function isFresh(token: RenewedToken | undefined, nowMs: number): boolean {
  return token !== undefined && token.endsAtMs - nowMs > (token.endsAtMs - token.issuedAtMs) / 2;
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
  return { login, ruts: ruts ?? [undefined] };
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
