import * as v from 'valibot';
import type { CompanyList } from '../companies/secrets-manager.ts';
import { HOUR_MS, uruguayDateTime } from '../time/days.ts';
import { parseMessage } from './messages.ts';

/** A token that expires too early, by its own claim. Never holds the token itself. */
export interface EndingToken {
  rut: string;
  expiry: Date;
}

/** The answer of start-run to a review of tokens. */
export interface ReviewedTokens {
  /** One line for each company whose token has expired or expires within the hours asked for. */
  avisos: string[];
}

const TokenReviewSchema = v.object({
  revisar: v.literal('tokens'),
  /** How many hours from now the tokens have to last; 0 if something renews them. */
  horas: v.pipe(v.number(), v.minValue(0), v.maxValue(72)),
});

export function isTokenReview(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'revisar' in event;
}

/** Tokens of these companies that expire by that moment, earliest first. */
export function endingTokens(
  ruts: readonly string[],
  expiries: ReadonlyMap<string, Date>,
  untilMs: number,
): EndingToken[] {
  return ruts
    .flatMap((rut) => {
      const expiry = expiries.get(rut);
      return expiry === undefined || expiry.getTime() > untilMs ? [] : [{ rut, expiry }];
    })
    .sort((a, b) => a.expiry.getTime() - b.expiry.getTime() || (a.rut < b.rut ? -1 : 1));
}

/** One line: whose token, when it expires in Uruguayan time, and what to do. */
export function describeEndingToken({ rut, expiry }: EndingToken, nowMs: number): string {
  const verb = expiry.getTime() <= nowMs ? 'expired' : 'expires';
  return `RUT ${rut}: its token ${verb} on ${uruguayDateTime(expiry.getTime())}. Put a new one into the secret.`;
}

/**
 * Finds, before the night, the tokens that will expire during it. Throws MessageError and what listCompanies throws.
 */
export async function reviewTokens(
  event: unknown,
  { listCompanies, nowMs }: { listCompanies(): Promise<CompanyList>; nowMs: number },
): Promise<ReviewedTokens> {
  const { horas } = parseMessage(TokenReviewSchema, event, 'start-run was given a wrong review of tokens');
  const { ruts, expiries } = await listCompanies();
  const ending = endingTokens(ruts, expiries, nowMs + horas * HOUR_MS);
  return { avisos: ending.map((token) => describeEndingToken(token, nowMs)) };
}
