import { createHash } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { NoTokenError } from '../api/access.ts';
import { awsFaultOf } from '../system/errors.ts';
import type { Clock } from '../time/clock.ts';
import { isValidRut } from '../units/rut.ts';
import { type LoginPlace, logIn } from './log-in.ts';
import { EACH_RUT, type Login, problemInAws, readLogin } from './login.ts';
import { SentSchema, withRefreshToken } from './login-file.ts';
import {
  NONE_REFUSED,
  REFUSED_FOR_MS,
  type Refusal,
  RefusedSchema,
  type RenewedLogin,
  type RenewedToken,
  RenewedTokenSchema,
  renewDue,
} from './renew-due.ts';
import { Throttle } from './throttle.ts';
import type { Token } from './token.ts';
import { UnreadableSecretError } from './unreadable-secret.ts';

/** The login's secret, which `renew-tokens` alone may read, and that of its tokens, which it alone writes. */
export interface RenewalSecrets {
  client: SecretsManagerClient;
  loginSecret: string;
  tokensSecret: string;
}

const TokensSchema = v.object({
  tokens: v.array(RenewedTokenSchema),
  /** What this version of the login was refused. */
  refused: v.fallback(v.optional(v.object({ version: v.string(), ...RefusedSchema.entries })), undefined),
});
export type RenewedTokens = v.InferOutput<typeof TokensSchema>;

/** The tokens that the login gave; none before it gave any, or if another wrote there. Throws UnreadableSecretError. */
export async function readRenewedTokens(
  client: SecretsManagerClient,
  secret: string,
): Promise<RenewedTokens> {
  const found = await secretText(client, secret);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), TokensSchema), found?.text);
  return parsed.success ? parsed.output : { tokens: [] };
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
  const login = await openLoginSecret(secrets, clock).catch((error: unknown) => {
    if (error instanceof NoTokenError) return error;
    throw error;
  });
  if (login instanceof NoTokenError) {
    const { message: reason } = login;
    // Once, for `check`.
    if (refusalOf(stored) !== reason) {
      const refusal = { reason, atMs: nowMs, againAtMs: nowMs, isOfLogin: true };
      await keep(stored.tokens, { version: '', doubtsAtMs: [], refusals: [refusal] });
    }
    return { renewed: 0, failure: reason };
  }
  const before = stored.refused?.version === login.version() ? stored.refused : NONE_REFUSED;
  const given = await renewDue(login, stored.tokens, before, clock);
  const { renewed, faults, doubtsAtMs, version } = given;
  const others = stored.tokens.filter(({ rut }) => !renewed.some((token) => token.rut === rut));
  const tokens = [...renewed, ...others];
  const isListed = ({ rut }: RenewedToken) => login.ruts.includes(rut);
  // Until the login, as it is written now, has given all theirs, those of before serve on.
  const isEachGiven = login.ruts.every((rut) => tokens.some((token) => token.rut === rut));
  const ofBefore = others.filter((token) => !isListed(token) && token.endsAtMs > nowMs);
  const ruts = [...login.ruts, ...(isEachGiven ? [] : ofBefore.map(({ rut }) => rut))];
  const { fitting, withoutRoom } = fittingOf(
    ruts.flatMap((rut) => tokens.find((token) => token.rut === rut) ?? []),
  );
  const refusals = [
    ...given.refusals,
    ...withoutRoom.filter(isListed).map(({ rut }) => ({
      rut,
      reason: `${rut === undefined ? '' : `RUT ${rut}: `}one secret has no room for its token: docs/tokens.md.`,
      atMs: nowMs,
      againAtMs: nowMs + REFUSED_FOR_MS,
    })),
  ];
  const isNoneRefused = refusals.length === 0 && doubtsAtMs.length === 0;
  const kept = { version, doubtsAtMs, refusals: refusals.slice(0, noteCount(fitting, refusals)) };
  const refused = isNoneRefused ? undefined : kept;
  if (renewed.length > 0 || JSON.stringify(refused) !== JSON.stringify(stored.refused))
    await keep(fitting, refused);
  if (given.error !== undefined) throw given.error;
  const failures = new Set([...faults, ...refusals.map(({ reason }) => reason).filter(isTold)]);
  return { renewed: renewed.length, ...(failures.size > 0 && { failure: [...failures].join(' ') }) };
}

/** A secret of AWS has 64 KiB at most. */
const MOST_SECRET_BYTES = 64_500;
/** Of these, what is left for notes of what was refused. */
const NOTES_BYTES = 1_500;
/** What a token takes besides its text. */
const TOKEN_BYTES = 180;

function bytesOf(tokens: readonly RenewedToken[]): number {
  const byteCounts = tokens.map(({ token }) => JSON.stringify(token.reveal()).length + TOKEN_BYTES);
  return byteCounts.reduce((sum, byteCount) => sum + byteCount, 0);
}

/** The tokens that one secret has room for; the others' companies are refused for the hour. */
function fittingOf(tokens: readonly RenewedToken[]) {
  const fitting: RenewedToken[] = [];
  const withoutRoom: RenewedToken[] = [];
  for (const token of tokens) {
    const isFitting = bytesOf([...fitting, token]) <= MOST_SECRET_BYTES - NOTES_BYTES;
    (isFitting ? fitting : withoutRoom).push(token);
  }
  return { fitting, withoutRoom };
}

/** How many of the notes there is room for beside these tokens: what the others say is found out again. */
function noteCount(tokens: readonly RenewedToken[], refusals: readonly Refusal[]): number {
  const leftBytes = MOST_SECRET_BYTES - bytesOf(tokens);
  const fits = (count: number) => Buffer.byteLength(JSON.stringify(refusals.slice(0, count))) <= leftBytes;
  return refusals.findLastIndex((_, index) => fits(index + 1)) + 1;
}

/** Why the login gives no tokens, or none to this company; undefined where it is not known to refuse. */
export function refusalOf({ refused }: RenewedTokens, rut?: string): string | undefined {
  const isOf = (one: Refusal) =>
    rut === undefined || one.rut === undefined || one.isDoubtful === true || one.rut === rut;
  const found = refused?.refusals.filter(isOf) ?? [];
  const reasons = new Set(found.map(({ reason }) => reason).filter(isTold));
  return reasons.size === 0 ? undefined : [...reasons].join(' ');
}

function isTold(reason: string): boolean {
  return reason !== '';
}

/** Throws NoTokenError if there is no such secret, or if it holds no login. */
async function openLoginSecret({ client, loginSecret }: RenewalSecrets, clock: Clock): Promise<RenewedLogin> {
  let found = await secretText(client, loginSecret);
  if (found === undefined)
    throw new NoTokenError(
      `There is no secret ${loginSecret}.`,
      'Create it, or set no login: docs/tokens.md.',
    );
  let { text, version } = found;
  const { ruts } = parseLoginSecret(text);
  const readCurrent = async () => {
    found = await secretText(client, loginSecret);
    ({ text, version } = found ?? { text, version });
  };
  /** Puts it in place of the version that was read, and gives whether it is the current one. */
  const makeCurrent = async (next: SecretVersion) => {
    try {
      await client.send(
        new UpdateSecretVersionStageCommand({
          SecretId: loginSecret,
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: next.version,
          RemoveFromVersionId: version,
        }),
      );
      ({ text, version } = next);
    } catch (error) {
      if (awsFaultOf(error, 'secrets').code !== 'InvalidParameterException') throw error;
      // A person wrote meanwhile, or another invocation finished it.
      await readCurrent();
    }
    return version === next.version;
  };
  const place: LoginPlace = {
    async read() {
      await readCurrent();
      const { login } = parseLoginSecret(text);
      if (login.refreshToken === undefined) return login;
      const left = await secretText(client, loginSecret, RENEWED);
      // An earlier invocation could not finish, or the refresh token that it sent was written again since.
      const next = v.safeParse(SentSchema, left?.text.trim());
      const isNext =
        next.success &&
        left?.version === versionAfter(login.refreshToken, left?.text ?? '') &&
        next.output.tokenUrl.href === login.tokenUrl.href;
      if (isNext) await place.keep(login, next.output.refreshToken);
      return parseLoginSecret(text).login;
    },
    async keep(sent, anew) {
      if (sent.refreshToken === undefined) return false;
      const ofAsked = withRefreshToken(text, sent, anew);
      for (let tries = 1; ; tries += 1) {
        const next = withRefreshToken(text, sent, anew);
        if (next === text) return false;
        const put = new PutSecretValueCommand({
          SecretId: loginSecret,
          SecretString: next,
          VersionStages: [RENEWED],
          ClientRequestToken: versionAfter(sent.refreshToken, next),
        });
        const { VersionId = '' } = await client.send(put);
        // In another login than was asked, the next one gives the token.
        if (await makeCurrent({ text: next, version: VersionId })) return next === ofAsked;
        if (tries === MOST_KEEPING_TRIES)
          throw new NoTokenError(
            'the secret of the login was written by others all the time.',
            'Get a new refresh token, and write it there.',
          );
      }
    },
  };
  const throttle = new Throttle(clock);
  return {
    ruts,
    version: () => version,
    logIn: (rut) => logIn(place, clock, { scope: rut, throttle }),
  };
}

/** How often a new refresh token is put into what others write meanwhile with the one that was sent. */
const MOST_KEEPING_TRIES = 3;

/** The stage of a version that is not the current one yet. */
const RENEWED = 'CFE_LAKE_RENEWED';

/** The id of the version with what came of this refresh token; nobody guesses that of the text. */
function versionAfter(sent: Token, text: string): string {
  return createHash('sha256').update(`${sent.reveal()} ${text}`).digest('hex');
}

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

interface SecretVersion {
  text: string;
  version: string;
}

/** The text of the secret's current version, or of another stage, if there is one. Throws UnreadableSecretError. */
async function secretText(
  client: SecretsManagerClient,
  SecretId: string,
  VersionStage?: string,
): Promise<SecretVersion | undefined> {
  try {
    const { SecretString = '', VersionId = '' } = await client.send(
      new GetSecretValueCommand({ SecretId, VersionStage }),
    );
    return { text: SecretString, version: VersionId };
  } catch (error) {
    const unreadable = new UnreadableSecretError(SecretId, error);
    if (unreadable.awsCode === 'ResourceNotFoundException') return undefined;
    throw unreadable;
  }
}
