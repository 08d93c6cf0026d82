import type { Day } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/direction.ts';
import { listFacts } from './list-facts.ts';
import { type Watched, type WatchOptions, watchedClient } from './watch.ts';

/** For each of the two lists. */
export const MAX_REQUESTS = 60;

export interface ProbeOptions extends Omit<WatchOptions, 'maxRequests'> {
  /** Issue dates among which to find one with receipts, the newest first. */
  days: readonly Day[];
  maxRequests?: number;
}

/**
 * Finds out what the contract leaves open, by reading one company's lists as an export does, with a few questions more.
 * `looked`: the days that were looked at closely; null if none has receipts. `report`: what tells neither whose service
 * it is nor what any receipt holds. Throws the first error if no list is answered.
 */
export async function probe({ days, maxRequests = MAX_REQUESTS, ...options }: ProbeOptions) {
  const [newest, ...others] = days;
  if (newest === undefined) throw new TypeError('no day to probe');
  const lists: ({ direction: Direction } & Watched['watch'] & Awaited<ReturnType<typeof listFacts>>)[] = [];
  for (const direction of DIRECTIONS) {
    const watched = watchedClient({ ...options, maxRequests });
    const told = await listFacts({ rut: options.rut, direction }, [newest, ...others], watched);
    lists.push({ direction, ...watched.watch, ...told });
  }
  const findings = lists.flatMap(({ facts }) => facts);
  const errors = lists.flatMap((list) => list.errors);
  if (errors.length === findings.length) throw errors[0];
  const answers = lists.flatMap((list) => list.answers).sort((a, b) => a.ms - b.ms);
  const sent = lists.reduce((sum, list) => sum + list.sent, 0);
  const byStatus: Record<string, number> = sent > answers.length ? { none: sent - answers.length } : {};
  for (const { status } of answers) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const withRetryAfter = answers.filter(({ hasRetryAfter }) => hasRetryAfter).length;
  const msAt = (place: number) => Number(answers.at(place)?.ms.toFixed(1) ?? 0);
  const dayOf = (asked: Direction) => lists.find(({ direction }) => direction === asked)?.day ?? null;
  const report = {
    requests: { sent, limit: lists.length * maxRequests, byStatus, withRetryAfter },
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
  return { looked: { recibidos: dayOf('recibidos'), emitidos: dayOf('emitidos') }, report };
}

export type ServiceReport = Awaited<ReturnType<typeof probe>>['report'];
