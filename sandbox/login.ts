import { type BodyAnswer, messageAnswer, unauthorized } from './answer.ts';
import type { SandboxBehaviour } from './behaviour.ts';
import { type SandboxCompany, signedToken } from './generator/parties.ts';

/** The user of the office that may read all companies. Each company also has its own: its RUT, with this password. */
export const SANDBOX_USER = { username: 'estudio', password: 'una-clave-de-prueba' };

const REFRESH_LIFE_MS = 365 * 86_400_000;

/** What a token is good for, and until when. */
interface Grant {
  username: string;
  /** One company's RUT; all that the user may read when absent. */
  scope: string | undefined;
  endsAtMs: number;
}

export type SandboxLogin = ReturnType<typeof sandboxLogin>;

/** The token address: users, access tokens that end, and refresh tokens (what clients of such a service show). */
export function sandboxLogin(
  companies: readonly SandboxCompany[],
  behaviour: () => Readonly<SandboxBehaviour>,
  nowMs: () => number,
) {
  const ruts = new Set<string>(companies.map(({ rut }) => rut));
  const accessTokens = new Map<string, Grant>();
  const refreshTokens = new Map<string, Grant>();
  let count = 0;

  const isUser = (username: string | undefined) =>
    username === SANDBOX_USER.username || ruts.has(username ?? '');

  const tokenOf = (grant: Grant): string => {
    count += 1;
    const [iat, exp] = [nowMs(), grant.endsAtMs].map((ms) => Math.floor(ms / 1000));
    return signedToken({ sub: grant.username, jti: String(count), iat, exp });
  };

  const issued = (username: string, scope: string | undefined, sent?: string): BodyAnswer => {
    const { tokenSeconds, refreshTokens: kind } = behaviour();
    const access = { username, scope, endsAtMs: nowMs() + tokenSeconds * 1000 };
    const accessToken = tokenOf(access);
    accessTokens.set(accessToken, access);
    const refresh = { username, scope, endsAtMs: nowMs() + REFRESH_LIFE_MS };
    const refreshToken = kind === 'same' && sent !== undefined ? sent : tokenOf(refresh);
    if (kind === 'anew' && sent !== undefined) refreshTokens.delete(sent);
    if (kind !== 'none') refreshTokens.set(refreshToken, refresh);
    return {
      status: 200,
      body: JSON.stringify({
        access_token: accessToken,
        token_type: 'bearer',
        ...(kind !== 'none' && { refresh_token: refreshToken }),
      }),
    };
  };

  return {
    /** Answers a POST with a body in JSON or as a form. */
    answer(contentType: string, body: string): BodyAnswer {
      const { loginStatus } = behaviour();
      if (loginStatus > 0) return messageAnswer(loginStatus, 'no login now');
      const fields = fieldsOf(contentType, body);
      const { grant_type, username, password, scope, refresh_token: sent } = fields;
      if (grant_type === 'password' || grant_type === 'client_credentials') {
        const [user, key] =
          grant_type === 'password' ? [username, password] : [fields.client_id, fields.client_secret];
        const isRight = isUser(user) && key === SANDBOX_USER.password;
        return isRight && user !== undefined ? issued(user, scope) : refused('invalid_grant');
      }
      if (grant_type !== 'refresh_token') return refused('unsupported_grant_type');
      const grant = refreshTokens.get(sent ?? '');
      if (grant === undefined || grant.endsAtMs <= nowMs()) return refused('invalid_grant');
      return issued(grant.username, scope ?? grant.scope, sent);
    },
    /** Why a token of this login may not read a company; `unknown` if it is of no login. */
    refusalOf(token: string, rut: string): BodyAnswer | 'unknown' | undefined {
      const grant = accessTokens.get(token);
      if (grant === undefined) return 'unknown';
      if (grant.endsAtMs <= nowMs()) return unauthorized('token expirado');
      const isOfficeUser = grant.username === SANDBOX_USER.username;
      const mayRead =
        ruts.has(rut) && (isOfficeUser || grant.username === rut) && (grant.scope ?? rut) === rut;
      return mayRead ? undefined : messageAnswer(403, 'el usuario no tiene acceso a esta empresa');
    },
  };
}

function refused(error: string): BodyAnswer {
  return { status: 400, body: JSON.stringify({ error }) };
}

function fieldsOf(contentType: string, body: string): Record<string, string | undefined> {
  if (contentType.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body));
  try {
    const parsed: unknown = JSON.parse(body);
    const fields = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
    return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}
