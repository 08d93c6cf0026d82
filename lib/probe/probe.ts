import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { Day } from '../time/days.ts';
import { listFacts } from './list-facts.ts';
import { type WatchOptions, watchedClient } from './watch.ts';

/** For each of the two lists. */
export const MAX_REQUESTS = 60;
export const MAX_DAYS = 10;
/** A long day leaves these for the questions after it. */
const LEAST_LEFT = 5;

export interface ProbeOptions extends Omit<WatchOptions, 'maxRequests'> {
  /** Issue dates among which to find one with receipts, the newest first; at most MAX_DAYS. */
  days: readonly Day[];
  /** For each of the two lists. */
  maxRequests?: number;
}

/**
 * Finds out what the contract leaves open, by reading one company's lists as an export does, with a few questions more.
 * `days`: those that were looked at closely; null if none has receipts. `report`: what tells neither whose service it is
 * nor what any receipt holds. Throws the first error if no list is answered.
 */
export async function probe({ days, maxRequests = MAX_REQUESTS, ...options }: ProbeOptions) {
  const [newest, ...others] = days.slice(0, MAX_DAYS);
  if (newest === undefined) throw new TypeError('no day to probe');
  const looked: Record<Direction, Day | null> = { recibidos: null, emitidos: null };
  const lists = [];
  for (const direction of DIRECTIONS) {
    const watched = watchedClient({ ...options, maxRequests });
    const { watch } = watched;
    const isTimeUp = () => watch.sent > maxRequests - LEAST_LEFT;
    const ofList = { rut: options.rut, direction };
    const list = await listFacts(ofList, [newest, ...others], options.session.clock, watched, isTimeUp);
    looked[direction] = list.day ?? null;
    lists.push({ direction, watch, ...list });
  }
  const findings = lists.flatMap(({ facts }) => facts.all);
  const errors = lists.flatMap(({ facts }) => facts.errors);
  if (errors.length === findings.length) throw errors[0];
  const answers = lists.flatMap(({ watch }) => watch.answers).sort((a, b) => a.ms - b.ms);
  const sent = lists.reduce((sum, { watch }) => sum + watch.sent, 0);
  const byStatus: Record<string, number> = sent > answers.length ? { none: sent - answers.length } : {};
  for (const { status } of answers) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const withRetryAfter = answers.filter(({ hasRetryAfter }) => hasRetryAfter).length;
  const msAt = (place: number) => Number(answers.at(place)?.ms.toFixed(1) ?? 0);
  const report = {
    requests: { sent, limit: DIRECTIONS.length * maxRequests, byStatus, withRetryAfter },
    /** Until an answer began. */
    latencyMs: { min: msAt(0), median: msAt(answers.length >> 1), max: msAt(-1) },
    findings,
    /** The fields of the receipts, and how often each had which JSON type. */
    shapes: lists.map(({ direction, shapes: { list, detail } }) => ({
      direction,
      list: Object.fromEntries(list),
      detail: Object.fromEntries(detail),
    })),
  };
  return { days: looked, report };
}

export type ServiceReport = Awaited<ReturnType<typeof probe>>['report'];

/** The report, to be sent on. Throws TypeError if it held a secret after all: names of fields come from outside. */
export function sharedText(report: ServiceReport, secrets: readonly string[]): string {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (secrets.some((secret) => text.includes(secret))) throw new TypeError('the report would hold a secret');
  return text;
}
