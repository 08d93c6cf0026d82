import * as v from 'valibot';
import { addressFault } from '../text/api-address.ts';
import { nearest } from '../text/typed-words.ts';
import { MINUTE_MS } from '../time/days.ts';
import { REFRESH_TOKEN_TEXT, Token } from './token.ts';

/** What access tokens are asked for with (docs/tokens.md), as it is written beside the companies. */
export type Login = v.InferOutput<typeof LoginSchema>;

/** The same as a caller or a file gives it. */
export type LoginGiven = v.InferInput<typeof LoginSchema>;

/** As `scope` this means a token for each company, asked for with its RUT. */
export const EACH_RUT = 'rut';

const WordsSchema = v.pipe(v.string('must be text'), v.nonEmpty('is empty'));
const SecretSchema = v.pipe(
  WordsSchema,
  v.transform((text) => new Token(text)),
);

// Every message is our own: a library's would quote what it found, and that may be a password.
export const LoginSchema = v.strictObject({
  tokenUrl: v.pipe(
    WordsSchema,
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const fault = addressFault(value);
      if (fault === undefined) return new URL(value);
      addIssue({ message: `is not the address of a login: ${fault('en')}` });
      return NEVER;
    }),
  ),
  username: v.optional(SecretSchema),
  password: v.optional(SecretSchema),
  passwordFrom: v.optional(
    v.pipe(WordsSchema, v.regex(/^(env:\w+|file:.+)$/, 'must be "env:NAME" or "file:PATH"')),
  ),
  refreshToken: v.optional(
    v.pipe(
      WordsSchema,
      v.regex(REFRESH_TOKEN_TEXT, 'has a character that no refresh token has, such as ñ or a line break'),
      v.transform((text) => new Token(text)),
    ),
  ),
  clientId: v.optional(SecretSchema),
  clientSecret: v.optional(SecretSchema),
  body: v.optional(v.picklist(['json', 'form'], 'must be "json" or "form"'), 'json'),
  scope: v.optional(WordsSchema),
});

/** A login, or what is wrong with it: the ends of sentences that begin with where it is written. */
export function readLogin(json: unknown): { login?: Login; reasons: string[] } {
  const parsed = v.safeParse(LoginSchema, json);
  if (!parsed.success) return { reasons: parsed.issues.map(reasonOf) };
  const reason = contradictionIn(parsed.output);
  return reason === undefined ? { login: parsed.output, reasons: [] } : { reasons: [reason] };
}

function reasonOf(issue: v.InferIssue<typeof LoginSchema>): string {
  const name = v.getDotPath(issue);
  if (name === null)
    return 'must be an object, such as {"tokenUrl": "https://…", "username": "…", "password": "…"}';
  if (issue.type !== 'strict_object') return `"${name}" ${issue.message}`;
  if (issue.expected !== 'never') return `has no "${name}"`;
  // A name that is like none may be a secret in the wrong place.
  const names = Object.keys(LoginSchema.entries);
  const near = nearest(name, names);
  return near === undefined
    ? `has a member that is not known; it takes ${names.join(', ')}`
    : `has a member that is not known, "${name}". Did you mean ${near}?`;
}

function contradictionIn(login: Login): string | undefined {
  const { username, password, passwordFrom, refreshToken, clientId, clientSecret } = login;
  const hasPassword = password !== undefined || passwordFrom !== undefined;
  if (password !== undefined && passwordFrom !== undefined)
    return 'has "password" and "passwordFrom": keep one of them';
  if ((username === undefined) === hasPassword) return 'needs "username" and "password" together';
  if ((clientId === undefined) !== (clientSecret === undefined))
    return 'needs "clientId" and "clientSecret" together';
  const hasUser = hasPassword || refreshToken !== undefined;
  if (clientId !== undefined)
    return hasUser ? 'logs in as a client and as a user: keep one of them' : undefined;
  return hasUser
    ? undefined
    : 'has nothing to log in with: "username" and "password", "refreshToken", or "clientId" and "clientSecret"';
}

/** What a refresh token goes with. */
export type Sent = Pick<Login, 'tokenUrl' | 'refreshToken'>;

/** Whether both send the same refresh token to the same address. */
export function isSentAlike(one: Sent | undefined, other: Sent | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.tokenUrl.href === other.tokenUrl.href && one.refreshToken?.reveal() === other.refreshToken?.reveal()
  );
}

/** Secrets Manager keeps some 100 versions a day of a secret, and each invocation of renew-tokens writes one at most. */
export const RENEWAL_INTERVAL_MS = 15 * MINUTE_MS;

/** How many tokens of some 1 KB fit into one secret of 64 KiB. */
const MOST_TOKENS_IN_AWS = 40;

/**
 * Why AWS can't keep the tokens of a login that gives one for each company: they are one secret, and each refresh token
 * that comes anew is a version of the login's, of which Secrets Manager keeps some 100 a day.
 */
export function problemInAws({ scope, refreshToken }: Login, companyCount: number): string | undefined {
  if (scope !== EACH_RUT) return undefined;
  if (refreshToken !== undefined)
    return 'asks for a token of each company with a refresh token, whose many versions AWS does not keep: give user and password instead';
  return companyCount > MOST_TOKENS_IN_AWS
    ? `asks for a token of each of ${companyCount} companies, and AWS keeps at most ${MOST_TOKENS_IN_AWS}: give the others a login of one token for all, or run them on one machine`
    : undefined;
}
