/** A company of the secret, without its token. */
export interface CompanyToLogIn {
  /** 12 digits. */
  rut: string;
  name?: string;
}

/**
 * Logs in for one company and gives its new access token: fill this in. How a token is had is not part of the query
 * API; ask your provider. Keep what it takes (a user, a client secret) in a secret of its own whose name does not begin
 * as that of the companies does, so that the exporter can't read it, and let this function read that one too.
 *
 * An error of this function is logged by its name alone, for its message may hold what was sent.
 */
export async function login(company: CompanyToLogIn): Promise<string> {
  throw new LoginNotFilledInError(company);
}

export class LoginNotFilledInError extends Error {
  override name = 'LoginNotFilledInError';
  constructor({ rut }: CompanyToLogIn) {
    super(`No login for RUT ${rut}: fill in login() in examples/token-rotation/login.ts.`);
  }
}
