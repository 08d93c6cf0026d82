import * as v from 'valibot';
import { assertCertificateChecked, DEFAULT_REQUEST_TIMEOUT_MS, NoTokenError } from '../api/access.ts';
import {
  BodyError,
  bodyText,
  holdsSecret,
  inflated,
  parseBody,
  possibleBodies,
  type Secret,
} from '../api/body.ts';
import { ConnectionPool, exchange, type HttpAnswer, isSuccess } from '../api/connection-pool.ts';
import { networkFault, parseRetryAfterMs, retryReason } from '../api/retry.ts';
import { CfeLakeError, messageOf, systemFaultOf } from '../system/errors.ts';
import { readSmallFile } from '../system/private-files.ts';
import { decodedText, NOT_UTF_8 } from '../text/decoded-text.ts';
import type { Clock } from '../time/clock.ts';
import { EACH_RUT, type Login } from './login.ts';
import { LOGIN } from './phrases.ts';
import { REFRESH_TOKEN_TEXT, Token, TokenTextSchema, tokenExpiry, tokenLifeMs } from './token.ts';

/** Whom a refusal is of: the one scope that was asked for, or whatever the login asks for. */
type Refused = 'scope' | 'login';

/** The token address refused what it was sent (400, 401, 403, 422, 423, or a code of RFC 6749 §5.2 with any status). */
export class LoginRefusedError extends NoTokenError {
  override name = 'LoginRefusedError';
  /** Undefined where it does not say why. */
  readonly refused: Refused | undefined;

  constructor(
    refused: LoginRefusedError['refused'],
    ...errorArguments: ConstructorParameters<typeof NoTokenError>
  ) {
    super(...errorArguments);
    this.refused = refused;
  }
}

/** The token address gave no token that can be used, but perhaps what the next one is asked for with. */
export class UnusableAnswerError extends NoTokenError {
  override name = 'UnusableAnswerError';
  readonly refreshToken: Token | undefined;

  constructor(
    refreshToken: Token | undefined,
    ...errorArguments: ConstructorParameters<typeof NoTokenError>
  ) {
    super(...errorArguments);
    this.refreshToken = refreshToken;
  }
}

/** What a token address gave. */
export interface IssuedToken {
  token: Token;
  refreshToken: Token | undefined;
  issuedAtMs: number;
  /** How long it lives from then on, as far as is known. */
  lifeMs: number;
}

/** One way to ask: what is sent beside the scope. */
export interface Grant {
  grant_type: string;
  secrets: Readonly<Record<string, Token>>;
}

/** The ways to ask, the one to try first at the front. `refreshToken` may be of an earlier answer. */
export async function grantsOf(login: Login, refreshToken: Token | undefined): Promise<Grant[]> {
  const { username, clientId, clientSecret } = login;
  if (clientId !== undefined && clientSecret !== undefined)
    return [
      { grant_type: 'client_credentials', secrets: { client_id: clientId, client_secret: clientSecret } },
    ];
  const password = await passwordOf(login);
  return [
    ...(refreshToken === undefined ? [] : [{ grant_type: REFRESH, secrets: { [REFRESH]: refreshToken } }]),
    ...(username === undefined || password === undefined
      ? []
      : [{ grant_type: 'password', secrets: { username, password } }]),
  ];
}

const REFRESH = 'refresh_token';

/** What of it no answer of the API may hold. Names are no secrets: some services answer with them. */
export function secretsOf({ secrets }: Grant): Secret[] {
  return Object.entries(secrets).flatMap(([name, token]) =>
    isName(name) ? [] : [{ text: token.reveal(), isWord: name === 'password' }],
  );
}

function isName(name: string): boolean {
  return name === 'username' || name === 'client_id';
}

async function passwordOf({ password, passwordFrom = '' }: Login): Promise<Token | undefined> {
  if (passwordFrom === '') return password;
  const [, kind, name = ''] = /^(env|file):(.+)$/.exec(passwordFrom) ?? [];
  try {
    const read =
      kind === 'env' ? Buffer.from(variable(name) ?? '') : await readSmallFile(name, MOST_PASSWORD_BYTES);
    return new Token(passwordIn(read));
  } catch (error) {
    const what =
      kind === 'env' && variable(name) === undefined ? LOGIN.variableMissing()('en') : faultText(error);
    throw new NoTokenError(LOGIN.noPassword(what), LOGIN.passwordShape(MOST_PASSWORD_BYTES));
  }
}

/** Names such as `__proto__` are of no variable. */
function variable(name: string): string | undefined {
  return Object.hasOwn(process.env, name) ? process.env[name] : undefined;
}

const MOST_PASSWORD_BYTES = 1024;

/** What is no password, such as a key or a process's environment, is sent nowhere. Throws a CfeLakeError. */
function passwordIn(bytes: Buffer): string {
  if (bytes.includes(0))
    throw new CfeLakeError(
      'it has a NUL, as no password has: if it is UTF-16, save it again with the encoding UTF-8',
    );
  const text = decodedText(bytes)?.replace(/\r?\n$/, '');
  if (text === undefined) throw new CfeLakeError(NOT_UTF_8);
  if (text === '') throw new CfeLakeError('it is empty');
  if (bytes.length > MOST_PASSWORD_BYTES || /[\r\n]/.test(text))
    throw new CfeLakeError('it is more than one line');
  return text;
}

function faultText(error: unknown): string {
  return systemFaultOf(error)?.reason ?? messageOf(error);
}

const MAX_BODY_BYTES = 256 * 1024;
const MAX_BODY_VALUES = 1_000;
/** A token that does not say when it ends is used as long. */
const UNKNOWN_LIFE_MS = 300_000;
const MOST_SECONDS = 10 * 365 * 86_400;

const SecondsSchema = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.toNumber())]),
  v.gtValue(0),
  v.maxValue(MOST_SECONDS),
);

/** Some services answer with an empty one in place of none. */
function isNone(given: unknown): boolean {
  return typeof given === 'string' ? given.trim() === '' : !given;
}

const RefreshTokenSchema = v.pipe(
  v.unknown(),
  v.transform((given) => (isNone(given) ? undefined : given)),
  v.optional(
    v.pipe(
      v.string('the refresh token must be text'),
      v.regex(REFRESH_TOKEN_TEXT, 'the refresh token has a character that none has, such as a line break'),
      v.transform((text) => new Token(text)),
    ),
  ),
);

/** Domain facts §13; RFC 6749 §5.1. */
const AnswerSchema = v.object(
  {
    access_token: TokenTextSchema,
    token_type: v.pipe(v.string(), v.regex(/^bearer$/i, 'its token_type is not bearer')),
    expires_in: v.fallback(v.optional(SecondsSchema), undefined),
    refresh_token: v.optional(RefreshTokenSchema),
  },
  'it has another shape than that of a login',
);

/**
 * Asks the login's address for a token in one way, once. Throws a LoginRefusedError, or another NoTokenError: with
 * `retry` if asking again may help.
 */
export async function askToken(
  login: Login,
  grant: Grant,
  scope: string | undefined,
  clock: Clock,
): Promise<IssuedToken> {
  const { tokenUrl, body: form } = login;
  assertCertificateChecked(tokenUrl);
  const fields = {
    grant_type: grant.grant_type,
    ...Object.fromEntries(Object.entries(grant.secrets).map(([name, value]) => [name, value.reveal()])),
    ...(scope !== undefined && { scope }),
  };
  const [type, sent] =
    form === 'json'
      ? ['application/json', JSON.stringify(fields)]
      : ['application/x-www-form-urlencoded', new URLSearchParams(fields).toString()];
  const headers = {
    accept: 'application/json',
    'content-type': type,
    'content-length': String(Buffer.byteLength(sent)),
  };
  const issuedAtMs = clock.now();
  // Logins are rare: no connection is worth keeping.
  const pool = new ConnectionPool();
  let answer: HttpAnswer;
  const received: Buffer[] = [];
  let isSent = false;
  const onSent = () => {
    isSent = true;
  };
  try {
    const options = {
      timeoutMs: DEFAULT_REQUEST_TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
      onSent,
      received,
      isRefusalRead: true,
    };
    answer = await exchange(() => pool.post(tokenUrl.href, headers, sent), options);
  } catch (error) {
    const refreshToken = refreshTokenIn(received);
    if (error instanceof BodyError) throw unusable(error.message, false, refreshToken);
    const { fault } = networkFault(error);
    if (refreshToken !== undefined) throw unusable(fault, true, refreshToken);
    throw new NoTokenError(LOGIN.notAsked(fault), LOGIN.checkAddress(), {
      reason: 'failed',
      ...(isSent ? { isReached: true } : { isUnsent: true }),
    });
  } finally {
    await pool.destroy();
  }
  // Some services answer 201 to whatever is posted: a refresh token that was sent is spent all the same.
  if (!isSuccess(answer.status)) throw refusal(answer, login, scope, clock.now());
  let bytes: Buffer | undefined;
  let text = '';
  try {
    bytes = inflated(answer.body, answer.headers['content-encoding'], MAX_BODY_BYTES);
    text = bodyText(bytes, MAX_BODY_VALUES);
    const body = parseBody(text, answer.headers['content-type']);
    const parsed = v.safeParse(AnswerSchema, body);
    if (isEchoed(text, grant)) {
      const anew = parsed.success ? parsed.output.refresh_token : refreshTokenIn([bytes]);
      throw echoed(login, grant, anew);
    }
    if (!parsed.success) {
      if (refusedBy(answer) !== undefined) throw refusal(answer, login, scope, clock.now());
      throw unusable(parsed.issues[0].message, false, refreshTokenIn([bytes]));
    }
    const { access_token, refresh_token, expires_in } = parsed.output;
    const token = new Token(access_token);
    const ownMs = (tokenExpiry(token)?.getTime() ?? issuedAtMs) - issuedAtMs;
    // Of a token that has ended, by this machine's clock, only the API can tell.
    const unsaidMs = ownMs > 0 ? ownMs : UNKNOWN_LIFE_MS;
    // Some services say it in milliseconds.
    const saidMs = Math.min((expires_in ?? 0) * 1000, tokenLifeMs(token) ?? Number.POSITIVE_INFINITY);
    const lifeMs = expires_in === undefined ? unsaidMs : saidMs;
    return { token, refreshToken: refresh_token, issuedAtMs, lifeMs };
  } catch (error) {
    if (error instanceof NoTokenError) throw error;
    // Of a SyntaxError the message quotes the body.
    const fault = error instanceof BodyError ? messageOf(error) : 'it is not JSON';
    // A wrong password may be answered with the page of the login: that is no outage.
    const isPage = /^\s*</.test(text);
    throw unusable(fault, !isPage, refreshTokenIn(bytes === undefined ? received : [bytes]));
  }
}

/** Whatever else is wrong with the answer, even if it was cut or is no JSON: the token that was sent may be spent. */
function refreshTokenIn(chunks: readonly Buffer[]): Token | undefined {
  for (const bytes of possibleBodies(Buffer.concat(chunks))) {
    // Without NULs, UTF-16 is as readable.
    const text = bytes.toString('latin1').replaceAll('\0', '');
    const [, word = 'null'] = REFRESH_TOKEN.exec(text) ?? [];
    const { success: isToken, output } = v.safeParse(RefreshTokenSchema, JSON.parse(word));
    if (isToken && output !== undefined) return output;
  }
  return undefined;
}

const REFRESH_TOKEN = /"refresh_token"\s*:\s*("(?:[ !#-[\]-~]|\\(?:["\\/]|u[\dA-Fa-f]{4}))*")/;

/** A refresh token may come back as the one that stays valid, and nowhere else. */
function isEchoed(text: string, grant: Grant): boolean {
  const maskedText = text.replace(/"refresh_token"\s*:\s*"(?:[^"\\]|\\.)*"/, '"refresh_token":null');
  return Object.entries(grant.secrets).some(([name, value]) => {
    if (isName(name)) return false;
    return holdsSecret(name === REFRESH ? maskedText : text, { text: value.reveal() });
  });
}

/** The refresh token that was sent may be spent: the new one alone is kept, where there is a place for it. */
function echoed(login: Login, { secrets }: Grant, anew: Token | undefined): NoTokenError {
  const advice = 'Report it to the provider, and change the password: it may be in other answers and logs.';
  const isSent = Object.values(secrets).some((secret) => secret.reveal() === anew?.reveal());
  return login.refreshToken === undefined || anew === undefined || isSent
    ? new NoTokenError('the login answered with what was sent to it, so nothing of it was kept.', advice)
    : new UnusableAnswerError(
        anew,
        'the login answered with what was sent to it, so nothing of it but its new refresh token was kept.',
        advice,
      );
}

function unusable(fault: string, isWorthAgain = false, refreshToken?: Token): UnusableAnswerError {
  return new UnusableAnswerError(
    refreshToken,
    LOGIN.unreadable(fault),
    LOGIN.changed(),
    isWorthAgain ? { reason: 'failed' } : undefined,
  );
}

/** RFC 6749 §5.2, RFC 8707 §2. */
const REFUSED: Readonly<Record<string, Refused>> = {
  invalid_scope: 'scope',
  invalid_target: 'scope',
  invalid_client: 'login',
  invalid_grant: 'login',
  unauthorized_client: 'login',
};
const RefusalSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ error: v.picklist(Object.keys(REFUSED)) }),
  v.transform(({ error }) => REFUSED[error]),
);

/** 422 and 423 are no status of OAuth, and what common frameworks answer a wrong password and a locked user with. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 422, 423]);

function refusedBy({ body, headers }: HttpAnswer): Refused | undefined {
  try {
    const bytes = inflated(body, headers['content-encoding'], MAX_BODY_BYTES);
    const parsed = v.safeParse(RefusalSchema, bodyText(bytes, MAX_BODY_VALUES));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

function refusal(answer: HttpAnswer, login: Login, scope: string | undefined, nowMs: number): NoTokenError {
  const { status, headers } = answer;
  const refused = refusedBy(answer);
  if (refused !== undefined || REFUSALS.has(status)) {
    if (refused !== 'scope')
      return new LoginRefusedError(refused, LOGIN.refused(status), LOGIN.checkSecrets());
    return login.scope === EACH_RUT
      ? new LoginRefusedError(refused, LOGIN.refusedRut(scope ?? '', status), LOGIN.checkRights())
      : new LoginRefusedError(refused, LOGIN.refused(status), LOGIN.checkScope());
  }
  const reason = retryReason(status);
  if (reason !== undefined) {
    const retryAfterMs = parseRetryAfterMs(headers['retry-after'], nowMs, headers.date);
    const advice = status === 429 ? LOGIN.askLess() : LOGIN.checkAddress();
    return new NoTokenError(LOGIN.status(status), advice, {
      reason,
      retryAfterMs,
      isReached: true,
    });
  }
  const isRedirect = status >= 300 && status < 400;
  return isRedirect
    ? new NoTokenError(LOGIN.redirected(status), LOGIN.finalAddress())
    : new NoTokenError(LOGIN.unknown(status), LOGIN.checkBody());
}
