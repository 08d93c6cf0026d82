/** A company of the secret, without its token. */
export interface CompanyToLogIn {
  /** 12 digits. */
  rut: string;
  name?: string;
}

/**
 * Logs in for one company and returns its new access token: fill this in. How to obtain a token is not part of the query
 * API; ask your provider. Keep the credentials (a user, a client secret) in a secret of its own that this function may
 * read. Its name must not begin like that of the companies' secret, or the exporter could read it.
 *
 * Only the name of an error is logged, because its message may hold what was sent.
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
