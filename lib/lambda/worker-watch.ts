import type { TokenSource } from '../api/access.ts';
import { Token } from '../companies/token.ts';
import { tokenExpiry } from '../companies/token-expiry.ts';
import type { Clock } from '../time/clock.ts';
import { DAY_MS } from '../time/days.ts';
import { Sample } from './sample.ts';

/** What an invocation of the worker sees beside its work: how fast the API is, and how long the token is good. */
export class WorkerWatch {
  /** Milliseconds until answers began. */
  readonly latencies = new Sample();
  private readonly clock: Clock;
  private expiry: Date | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** To be called when an invocation begins: it is another company's. */
  begin(): void {
    this.latencies.clear();
    this.expiry = undefined;
  }

  /** Of the last token seen, negative once it has expired; undefined when it does not say. */
  get tokenDaysLeft(): number | undefined {
    return this.expiry === undefined ? undefined : (this.expiry.getTime() - this.clock.now()) / DAY_MS;
  }

  /** The same source, whose tokens are looked at on their way; only when they expire is kept. */
  watchTokens(source: TokenSource): TokenSource {
    const look = async (reading: Promise<string>): Promise<string> => {
      const token = await reading;
      this.expiry = tokenExpiry(new Token(token));
      return token;
    };
    return {
      current: () => look(source.current()),
      renew: () => look(source.renew()),
      get companyName() {
        return source.companyName;
      },
    };
  }
}
