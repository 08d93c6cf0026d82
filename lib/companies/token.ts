import { inspect } from 'node:util';
import * as v from 'valibot';

const MASK = '[token]';

/** An access token, or what one logs in with, that can't be printed by accident: only `reveal` gives it. */
export class Token {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The token itself, for the request that it belongs to only. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/** The text of a token. Every message is our own: a library's would quote what it found. */
export const TokenTextSchema = v.pipe(
  v.string('the token must be text'),
  v.nonEmpty('the token is empty'),
  v.regex(/^[\x21-\x7e]*$/, 'the token has a character that no token has, such as a space or a line break'),
);

/** What a refresh token may have: blanks too (RFC 6749 A.17). */
export const REFRESH_TOKEN_TEXT = /^[\x20-\x7e]+$/;

const SecondsSchema = v.pipe(v.number(), v.finite());
const ClaimsSchema = v.object({ exp: SecondsSchema, iat: v.fallback(v.optional(SecondsSchema), undefined) });

/** The token's own expiry (a JWT's `exp`); undefined if it is not a JWT or gives none. Never throws. */
export function tokenExpiry(token: Token): Date | undefined {
  const { exp } = claimsOf(token) ?? {};
  const expiry = exp === undefined ? undefined : new Date(exp * 1000);
  return Number.isNaN(expiry?.getTime()) ? undefined : expiry;
}

/** How long it lives by its issuer's clock alone, as far as it says so. Never throws. */
export function tokenLifeMs(token: Token): number | undefined {
  const { exp = 0, iat } = claimsOf(token) ?? {};
  return iat === undefined || exp <= iat ? undefined : (exp - iat) * 1000;
}

function claimsOf(token: Token): v.InferOutput<typeof ClaimsSchema> | undefined {
  const [header, payload, signature, ...more] = token.reveal().split('.');
  if (!header || !payload || signature === undefined || more.length > 0) return undefined;
  const claims = v.safeParse(ClaimsSchema, readJson(payload));
  return claims.success ? claims.output : undefined;
}

function readJson(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
