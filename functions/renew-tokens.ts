import { type Renewal, renewTokens } from '../lib/companies/renewed-tokens.ts';
import { once } from '../lib/run/lambda/environment.ts';
import { openRenewer, reportBrokenRenewal, reportRenewal } from '../lib/run/lambda/renew-tokens.ts';
import { observed } from '../lib/run/lambda/telemetry.ts';
import { systemClock } from '../lib/time/clock.ts';

const secrets = once(openRenewer);

/** Keeps the tokens of the login fresh, for the workers. Called every 15 minutes; its event says nothing. */
export const handler = observed<Renewal>(async () => {
  try {
    const renewal = await renewTokens(secrets(), systemClock);
    reportRenewal(renewal);
    return renewal;
  } catch (error) {
    return reportBrokenRenewal(error);
  }
});
