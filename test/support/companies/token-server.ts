import type { Clock } from '../../../lib/time/clock.ts';
import { type Answer, type HttpServer, json, startHttpServer } from '../api/http-server.ts';

export const PASSWORD = 'QXZJ-the-password-KWVY';

/** A token address that knows one user, whose access tokens and refresh tokens are numbered. */
export class TokenServer {
  readonly server: HttpServer;
  /** What each request sent, in order. */
  readonly asked: Record<string, string>[] = [];
  /** A status to answer with, if it is not 200. */
  status: number | undefined;
  /** With what, if it is not nothing. */
  body: string | undefined;
  /** What it then asks to wait. */
  retryAfterSeconds: number | undefined;
  /** The scopes that it gives nobody a token of. */
  readonly refusedScopes = new Set<string>();
  /** What happens to the connection in place of an answer. */
  fault: Answer['fault'];
  lifeSeconds: number | undefined = 3_600;
  /** Whether each answer's refresh token replaces the one before. */
  areRefreshTokensNew = true;
  /** Whether a refresh token that was sent before withdraws the one that is current. */
  isReuseDetected = false;
  tokenType = 'bearer';
  /** At the end of each access token: real ones are long. */
  padding = '';
  /** Awaited before an answer is given. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  /** When each access token ends, by its text. */
  readonly ends = new Map<string, number>();
  #refreshCount = 0;
  readonly #clock: Clock;

  private constructor(server: HttpServer, clock: Clock) {
    this.server = server;
    this.#clock = clock;
  }

  static async start(clock: Clock): Promise<TokenServer> {
    let started: TokenServer | undefined;
    const server = await startHttpServer(async ({ headers, body }) => {
      const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
      const fields: Record<string, string> = isForm
        ? Object.fromEntries(new URLSearchParams(body))
        : JSON.parse(body);
      return (await started?.answer(fields)) ?? { status: 500 };
    });
    started = new TokenServer(server, clock);
    return started;
  }

  get url(): string {
    return `${this.server.address.href}token`;
  }

  get refreshToken(): string {
    return `refresh-token-${this.#refreshCount}`;
  }

  isLive(token: string): boolean {
    return this.#clock.now() < (this.ends.get(token) ?? 0);
  }

  async answer(fields: Record<string, string>): Promise<Answer> {
    this.asked.push(fields);
    const number = this.asked.length;
    await this.beforeAnswer();
    if (this.status !== undefined || this.fault !== undefined)
      return {
        status: this.status,
        body: this.body,
        fault: this.fault,
        headers: this.retryAfterSeconds === undefined ? {} : { 'retry-after': `${this.retryAfterSeconds}` },
      };
    const { grant_type, password, refresh_token } = fields;
    const isRight = grant_type === 'password' ? password === PASSWORD : refresh_token === this.refreshToken;
    if (!isRight && grant_type !== 'password' && this.isReuseDetected) this.#refreshCount += 1;
    if (!isRight) return { status: 400, body: '{"error":"invalid_grant"}' };
    if (fields.scope !== undefined && this.refusedScopes.has(fields.scope))
      return { status: 400, body: '{"error":"invalid_scope"}' };
    if (this.areRefreshTokensNew) this.#refreshCount += 1;
    const token = `access-token-${number}${fields.scope === undefined ? '' : `-${fields.scope}`}${this.padding}`;
    this.ends.set(token, this.#clock.now() + (this.lifeSeconds ?? 300) * 1000);
    return json({
      access_token: token,
      token_type: this.tokenType,
      refresh_token: this.refreshToken,
      ...(this.lifeSeconds !== undefined && { expires_in: this.lifeSeconds }),
    });
  }
}
