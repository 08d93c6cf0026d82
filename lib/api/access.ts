/** Where a company's token comes from, so that it can be read again when the API refuses it. */
export interface TokenSource {
  /** The token now; the same one until `renew`. */
  current(): Promise<string>;
  /** Reads the source again. */
  renew(): Promise<string>;
}

/**
 * One company's access: the token in use, and its one renewal. Requests that are refused at the same time
 * share one reading of the source; a token that stayed the same is not asked for again.
 */
export class CompanyAccess {
  readonly rut: string;
  private readonly source: TokenSource;
  private token: Promise<string> | undefined;
  private renewal: Promise<string> | undefined;
  /** A refused token that the source still gives: reading the source again would not help. */
  private unchanged: string | undefined;

  constructor(rut: string, source: TokenSource) {
    this.rut = rut;
    this.source = source;
  }

  tokenInUse(): Promise<string> {
    this.token ??= this.source.current();
    return this.token;
  }

  /** The token to try after `refused` was refused; undefined when the source has no other. */
  async renewedToken(refused: string): Promise<string | undefined> {
    const inUse = await this.tokenInUse();
    if (inUse !== refused) return inUse;
    if (this.unchanged === refused) return undefined;
    this.renewal ??= this.source.renew().finally(() => {
      this.renewal = undefined;
    });
    const renewed = await this.renewal;
    if (renewed === refused) {
      this.unchanged = refused;
      return undefined;
    }
    this.token = Promise.resolve(renewed);
    return renewed;
  }
}
