/** Where a company's token comes from, so that it can be read again when the API refuses it. */
export interface TokenSource {
  /** The token now; the same one until `renew`. */
  current(): Promise<string>;
  /** Reads the source again. */
  renew(): Promise<string>;
  /** What the source calls the company; known once a token was read, and undefined where it doesn't say. */
  readonly companyName?: string | undefined;
}

/**
 * One company's access: the token in use, and its one renewal. Requests that are refused at the same time
 * share one reading of the source; a token that stayed the same is not asked for again.
 */
export class CompanyAccess {
  readonly rut: string;
  private readonly source: TokenSource;
  #token: Promise<string> | undefined;
  /** By refused token: each is reason for one reading of the source, shared by all that it was refused to. */
  readonly #renewals = new Map<string, Promise<void>>();

  constructor(rut: string, source: TokenSource) {
    this.rut = rut;
    this.source = source;
  }

  tokenInUse(): Promise<string> {
    this.#token ??= this.source.current().catch((error: unknown) => {
      // The next request may find the source well again.
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  /** The token to try after `refused` was refused; undefined when the source has no other. */
  async renewedToken(refused: string): Promise<string | undefined> {
    let renewal = this.#renewals.get(refused);
    if (renewal === undefined) {
      renewal = this.renewAfter(refused);
      this.#renewals.set(refused, renewal);
    }
    await renewal;
    const inUse = await this.tokenInUse();
    return inUse === refused ? undefined : inUse;
  }

  private async renewAfter(refused: string): Promise<void> {
    try {
      this.#token = Promise.resolve(await this.source.renew());
    } catch (error) {
      this.#renewals.delete(refused);
      throw error;
    }
  }
}
