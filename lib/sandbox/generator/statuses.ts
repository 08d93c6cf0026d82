import { HOUR_MS } from './calendar.ts';
import { mix } from './hash.ts';
import { nothingAfter } from './timing.ts';
import { isTicket } from './types.ts';

/**
 * How statuses stand at a moment. The tax authority's verdict comes within minutes, or never; a rejection
 * may become an acceptance, and an accepted receipt may be annulled, within 60 days; the recipient answers
 * within 20 days, or never.
 */

const DAY_HOURS = 24;
const ANSWER_DAYS = 20;
const VERDICT_MS = 10 * 60_000;
const SALT_VERDICT = 31;
const SALT_DELAY = 32;
const SALT_ANSWER = 33;

export interface StatusRules {
  /** Whether statuses change as time passes; else every receipt has its last status from the start. */
  statusFlips: boolean;
  /** Days after its arrival within which a verdict may still be reversed. */
  statusFlipDays: number;
}

/** A course: the verdict, and what it is turned into later if it is. */
const COURSES: readonly (readonly [upTo: number, verdict: string, turned: string])[] = [
  [950, 'AE', 'AE'],
  [970, 'BE', 'BE'],
  [982, 'BE', 'AE'],
  [988, 'AE', 'BE'],
  [1000, 'CE', 'CE'],
];

/** The tax authority's verdict on a receipt, or undefined while there is none. */
function verdictAt(hash: number, since: number, now: number, rules: StatusRules): string | undefined {
  const chance = mix(hash, SALT_VERDICT);
  const course = COURSES.find(([upTo]) => chance % 1000 < upTo);
  if (!rules.statusFlips) return course?.[2];
  if (now < since + 5_000 + (chance % VERDICT_MS)) return undefined;
  if (course?.[1] === course?.[2]) return course?.[1];
  const delayHours =
    DAY_HOURS + (mix(hash, SALT_DELAY) % Math.max(1, (rules.statusFlipDays - 1) * DAY_HOURS));
  return now < since + delayHours * HOUR_MS ? course?.[1] : course?.[2];
}

/** `estado.codigo` of a received receipt; null until the verdict. */
export function receivedStatus(
  hash: number,
  arrivedAt: number,
  now: number,
  rules: StatusRules,
): string | null {
  return verdictAt(hash, arrivedAt, now, rules) ?? null;
}

/** `estado_dgi.codigo` of an issued receipt: NE until the verdict; some unnamed e-Tickets stay NE for ever. */
export function authorityStatus(
  hash: number,
  receipt: { type: number; isNamed: boolean; signedAt: number },
  now: number,
  rules: StatusRules,
): string {
  if (!receipt.isNamed && isTicket(receipt.type) && mix(hash, SALT_ANSWER) % 6 === 0) return 'NE';
  return verdictAt(hash, receipt.signedAt, now, rules) ?? 'NE';
}

/** `estado_receptor.codigo` of an issued receipt; null without an answer, which one in five never gives. */
export function recipientStatus(
  hash: number,
  receipt: { answers: boolean; signedAt: number },
  now: number,
  rules: StatusRules,
): string | null {
  const chance = mix(hash, SALT_ANSWER);
  if (!receipt.answers || chance % 5 === 0) return null;
  const delayHours = (chance >>> 8) % (ANSWER_DAYS * DAY_HOURS);
  if (rules.statusFlips && now < receipt.signedAt + delayHours * HOUR_MS) return null;
  return chance % 17 === 0 ? 'RECHAZADO' : 'ACEPTADO';
}

/** From this moment on, the receipts of an issue day no longer change. */
export function nothingMovesAfter(day: number, statusFlipDays: number): number {
  return nothingAfter(day) + (1 + Math.max(statusFlipDays, ANSWER_DAYS)) * DAY_HOURS * HOUR_MS;
}
